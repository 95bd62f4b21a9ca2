// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/server_capabilities.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace banyan::lspd {
namespace {

using nlohmann::json;

// What a server said, after `initialize` answered this.
struct After : ServerCapabilities {
  explicit After(const char* result) { OnInitialized(json::parse(result)); }
};

TEST(ServerCapabilitiesTest, ReadsTheEncodingWhereverItIsSaid) {
  EXPECT_EQ(
      After(R"({"capabilities": {"positionEncoding": "utf-8"}})").encoding(),
      PositionEncoding::kUtf8);
  // clangd before version 21.
  EXPECT_EQ(
      After(R"({"capabilities": {}, "offsetEncoding": "utf-8"})").encoding(),
      PositionEncoding::kUtf8);
  // ccls: not what we offered, but what it does.
  EXPECT_EQ(
      After(R"({"capabilities": {}, "offsetEncoding": "utf-32"})").encoding(),
      PositionEncoding::kUtf32);
  EXPECT_EQ(After(R"({"capabilities": {}})").encoding(),
            PositionEncoding::kUtf16);
}

TEST(ServerCapabilitiesTest, ProvidersAreTrueOrOptions) {
  const After capabilities(R"({"capabilities": {
      "hoverProvider": true, "definitionProvider": {},
      "referencesProvider": false, "declarationProvider": null,
      "renameProvider": {"prepareProvider": true}}})");
  EXPECT_TRUE(capabilities.Supports("textDocument/hover"));
  EXPECT_TRUE(capabilities.Supports("textDocument/definition"));
  EXPECT_FALSE(capabilities.Supports("textDocument/references"));
  EXPECT_FALSE(capabilities.Supports("textDocument/declaration"));
  EXPECT_FALSE(capabilities.Supports("workspace/symbol"));
  EXPECT_TRUE(capabilities.Supports("textDocument/prepareRename"));
}

TEST(ServerCapabilitiesTest, MethodsOfNoKnownCapabilityAreWorthATry) {
  EXPECT_TRUE(After(R"({"capabilities": {}})")
                  .Supports("textDocument/switchSourceHeader"));
}

TEST(ServerCapabilitiesTest, RegistrationsComeAndGo) {
  After capabilities(R"({"capabilities": {}})");
  capabilities.Register("a", "textDocument/diagnostic");
  capabilities.Register("b", "textDocument/diagnostic");
  EXPECT_EQ(capabilities.Unregister("a"), "textDocument/diagnostic");
  EXPECT_TRUE(capabilities.Supports("textDocument/diagnostic"));
  EXPECT_EQ(capabilities.Unregister("b"), "textDocument/diagnostic");
  EXPECT_EQ(capabilities.Unregister("b"), "");
  EXPECT_FALSE(capabilities.Supports("textDocument/diagnostic"));
}

TEST(ServerCapabilitiesTest, ARegistrationOfPrepareStandsForItsFamily) {
  After capabilities(R"({"capabilities": {}})");
  EXPECT_FALSE(capabilities.Supports("callHierarchy/incomingCalls"));
  capabilities.Register("a", "textDocument/prepareCallHierarchy");
  EXPECT_TRUE(capabilities.Supports("callHierarchy/incomingCalls"));
}

TEST(ServerCapabilitiesTest, FolderChangesMayBeAnnouncedByAnId) {
  EXPECT_TRUE(After(R"({"capabilities": {"workspace": {"workspaceFolders":
      {"supported": true, "changeNotifications": "workspace/x"}}}})")
                  .takes_folder_changes());
  EXPECT_TRUE(After(R"({"capabilities": {"workspace": {"workspaceFolders":
      {"supported": true, "changeNotifications": true}}}})")
                  .takes_folder_changes());
  EXPECT_FALSE(After(R"({"capabilities": {"workspace": {"workspaceFolders":
      {"supported": true}}}})")
                   .takes_folder_changes());
}

TEST(ServerCapabilitiesTest, SavesInAllForms) {
  EXPECT_FALSE(
      After(R"({"capabilities": {"textDocumentSync": 1}})").wants_saves());
  EXPECT_TRUE(After(R"({"capabilities": {"textDocumentSync": {"save": true}}})")
                  .wants_saves());
  const After with_text(
      R"({"capabilities": {"textDocumentSync": {"save": {"includeText": true}}}})");
  EXPECT_TRUE(with_text.wants_saves());
  EXPECT_TRUE(with_text.saves_include_text());
}

TEST(ServerCapabilitiesTest, SurvivesNonsense) {
  for (const char* result :
       {"null", "[]", "7", R"({"capabilities": 7})",
        R"({"capabilities": {"workspace": [], "textDocumentSync": "x",
            "positionEncoding": 8}, "serverInfo": "x"})"}) {
    EXPECT_EQ(After(result).encoding(), PositionEncoding::kUtf16) << result;
    EXPECT_FALSE(After(result).Supports("textDocument/hover")) << result;
  }
}

}  // namespace
}  // namespace banyan::lspd
