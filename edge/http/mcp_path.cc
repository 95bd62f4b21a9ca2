// SPDX-License-Identifier: Apache-2.0
#include "edge/http/mcp_path.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace banyan::edge {

std::optional<McpPath> ParseMcpPath(absl::string_view path) {
  absl::ConsumeSuffix(&path, "/");
  if (path == "/mcp") return McpPath{};
  if (!absl::ConsumePrefix(&path, "/mcp/p/")) return std::nullopt;
  if (path.empty() || absl::StrContains(path, '/')) return std::nullopt;
  auto project = PercentDecode(path);
  if (!project.has_value()) return std::nullopt;
  return McpPath{*std::move(project)};
}

std::optional<std::string> ParseAccess(absl::string_view query) {
  std::optional<std::string> access;
  for (absl::string_view part : absl::StrSplit(query, '&')) {
    if (!absl::ConsumePrefix(&part, "access=")) continue;
    if (access.has_value()) return std::nullopt;
    access = PercentDecode(part);
    if (access != "read-only" && access != "read-write") return std::nullopt;
  }
  return access.value_or("");
}

std::optional<std::string> PercentDecode(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    const absl::string_view digits = text.substr(i + 1, 2);
    if (digits.size() < 2 || !absl::ascii_isxdigit(digits[0]) ||
        !absl::ascii_isxdigit(digits[1]) || digits == "00") {
      return std::nullopt;
    }
    decoded += absl::HexStringToBytes(digits);
    i += 2;
  }
  return decoded;
}

}  // namespace banyan::edge
