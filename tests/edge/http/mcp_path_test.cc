// SPDX-License-Identifier: Apache-2.0
#include "edge/http/mcp_path.h"

#include <gmock/gmock.h>

namespace banyan::edge {
namespace {

std::string ProjectOf(absl::string_view path) {
  const auto parsed = ParseMcpPath(path);
  return parsed.has_value() ? "project:" + parsed->project : "none";
}

TEST(McpPathTest, FindsTheProjectInThePath) {
  EXPECT_EQ(ProjectOf("/mcp"), "project:");
  EXPECT_EQ(ProjectOf("/mcp/"), "project:");
  EXPECT_EQ(ProjectOf("/mcp/p/web"), "project:web");
  EXPECT_EQ(ProjectOf("/mcp/p/web/"), "project:web");
  EXPECT_EQ(ProjectOf("/mcp/p/web%20shop%2Fapi"), "project:web shop/api");
  EXPECT_EQ(ProjectOf("/mcp/p/a+b"), "project:a+b");
}

TEST(McpPathTest, NothingElseIsOurs) {
  for (const char* path :
       {"/", "", "*", "/mcpx", "/MCP", "//mcp", "/mcp//", "/mcp/p", "/mcp/p/",
        "/mcp/p/a/b", "/mcp/x/a", "/mcp/../mcp", "/%6dcp", "/mcp/p/%",
        "/mcp/p/%4", "/mcp/p/%zz", "/mcp/p/%00", "/mcp/p/a%00b"}) {
    EXPECT_EQ(ProjectOf(path), "none") << path;
  }
}

TEST(McpPathTest, AccessHasTwoValues) {
  EXPECT_EQ(ParseAccess(""), "");
  EXPECT_EQ(ParseAccess("x=1"), "");
  EXPECT_EQ(ParseAccess("x=1&access=read-only"), "read-only");
  EXPECT_EQ(ParseAccess("access=read%2Dwrite"), "read-write");
  EXPECT_EQ(ParseAccess("access="), std::nullopt);
  EXPECT_EQ(ParseAccess("access=all"), std::nullopt);
  EXPECT_EQ(ParseAccess("access=read-only&access=read-write"), std::nullopt);
}

}  // namespace
}  // namespace banyan::edge
