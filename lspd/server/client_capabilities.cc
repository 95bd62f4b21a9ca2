// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/client_capabilities.h"

#include <nlohmann/json.hpp>
#include <numeric>

#include "lspd/protocol/file_uri.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

json Numbers(int last) {
  std::vector<int> numbers(static_cast<size_t>(last));
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

json Dynamic() { return {{"dynamicRegistration", true}}; }

json Window() {
  return {{"workDoneProgress", true},
          {"showMessage",
           {{"messageActionItem", {{"additionalPropertiesSupport", false}}}}},
          {"showDocument", {{"support", false}}}};
}

json Workspace() {
  return {{"applyEdit", false},
          {"workspaceEdit",
           {{"documentChanges", true},
            {"resourceOperations", {"create", "rename", "delete"}},
            {"failureHandling", "transactional"}}},
          {"didChangeConfiguration", Dynamic()},
          {"didChangeWatchedFiles",
           {{"dynamicRegistration", true}, {"relativePatternSupport", true}}},
          {"symbol",
           {{"dynamicRegistration", true},
            {"symbolKind", {{"valueSet", Numbers(26)}}},
            {"tagSupport", {{"valueSet", {1}}}},
            {"resolveSupport", {{"properties", {"location.range"}}}}}},
          {"executeCommand", Dynamic()},
          {"configuration", true},
          {"workspaceFolders", true},
          {"diagnostics", {{"refreshSupport", true}}},
          {"fileOperations",
           {{"dynamicRegistration", true},
            {"willRename", true},
            {"didRename", true}}}};
}

json TextDocument() {
  const json link = {{"dynamicRegistration", true}, {"linkSupport", true}};
  return {{"synchronization",
           {{"dynamicRegistration", true},
            {"willSave", false},
            {"willSaveWaitUntil", false},
            {"didSave", true}}},
          {"hover",
           {{"dynamicRegistration", true},
            {"contentFormat", {"markdown", "plaintext"}}}},
          {"signatureHelp", Dynamic()},
          {"declaration", link},
          {"definition", link},
          {"typeDefinition", link},
          {"implementation", link},
          {"references", Dynamic()},
          {"documentHighlight", Dynamic()},
          {"documentSymbol",
           {{"dynamicRegistration", true},
            {"symbolKind", {{"valueSet", Numbers(26)}}},
            {"hierarchicalDocumentSymbolSupport", true},
            {"tagSupport", {{"valueSet", {1}}}}}},
          {"codeAction",
           {{"dynamicRegistration", true},
            {"codeActionLiteralSupport",
             {{"codeActionKind",
               {{"valueSet",
                 {"", "quickfix", "refactor", "source",
                  "source.organizeImports"}}}}}},
            {"isPreferredSupport", true},
            {"disabledSupport", true},
            {"dataSupport", true},
            {"resolveSupport", {{"properties", {"edit"}}}}}},
          {"formatting", Dynamic()},
          {"rangeFormatting", Dynamic()},
          {"rename", {{"dynamicRegistration", true}, {"prepareSupport", true}}},
          {"publishDiagnostics",
           {{"relatedInformation", true},
            {"versionSupport", true},
            {"tagSupport", {{"valueSet", {1, 2}}}}}},
          {"diagnostic",
           {{"dynamicRegistration", true}, {"relatedDocumentSupport", false}}},
          {"callHierarchy", Dynamic()},
          {"typeHierarchy", Dynamic()}};
}

}  // namespace

json ClientCapabilities() {
  return {{"window", Window()},
          {"workspace", Workspace()},
          {"textDocument", TextDocument()},
          {"general",
           {{"positionEncodings", {"utf-8", "utf-16"}},
            // Without it clangd cancels what it takes for superseded requests;
            // ours belong to different sessions.
            {"staleRequestSupport",
             {{"cancel", true}, {"retryOnContentModified", json::array()}}}}},
          {"experimental", {{"serverStatusNotification", true}}},
          // clangd before version 21 knows only this spelling.
          {"offsetEncoding", {"utf-8", "utf-16"}}};
}

json WorkspaceFolder(const std::string& root) {
  return {{"uri", FileUri(root)}, {"name", root.substr(root.rfind('/') + 1)}};
}

json InitializeParams(const std::vector<std::string>& roots,
                      const json& initialization_options, pid_t client_pid) {
  json folders = json::array();
  for (const std::string& root : roots)
    folders.push_back(WorkspaceFolder(root));
  return {
      {"processId", client_pid == 0 ? json(nullptr) : json(client_pid)},
      // One neutral name: some servers hide features from editors they know.
      {"clientInfo", {{"name", "banyan"}, {"version", "1"}}},
      {"locale", "en"},
      {"rootPath", roots.front()},
      {"rootUri", FileUri(roots.front())},
      {"workspaceFolders", std::move(folders)},
      {"capabilities", ClientCapabilities()},
      {"initializationOptions", initialization_options.is_object()
                                    ? initialization_options
                                    : json::object()},
      {"trace", "off"}};
}

}  // namespace banyan::lspd
