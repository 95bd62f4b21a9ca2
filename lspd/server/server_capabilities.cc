// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/server_capabilities.h"

#include <nlohmann/json.hpp>

#include "absl/strings/match.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

struct MethodCapability {
  const char* method;
  const char* pointer;  // JSON pointer into the capabilities.
};

constexpr MethodCapability kMethods[] = {
    {"textDocument/hover", "/hoverProvider"},
    {"textDocument/signatureHelp", "/signatureHelpProvider"},
    {"textDocument/declaration", "/declarationProvider"},
    {"textDocument/definition", "/definitionProvider"},
    {"textDocument/typeDefinition", "/typeDefinitionProvider"},
    {"textDocument/implementation", "/implementationProvider"},
    {"textDocument/references", "/referencesProvider"},
    {"textDocument/documentHighlight", "/documentHighlightProvider"},
    {"textDocument/documentSymbol", "/documentSymbolProvider"},
    {"textDocument/codeAction", "/codeActionProvider"},
    {"codeAction/resolve", "/codeActionProvider/resolveProvider"},
    {"textDocument/formatting", "/documentFormattingProvider"},
    {"textDocument/rangeFormatting", "/documentRangeFormattingProvider"},
    {"textDocument/rename", "/renameProvider"},
    {"textDocument/prepareRename", "/renameProvider/prepareProvider"},
    {"textDocument/diagnostic", "/diagnosticProvider"},
    {"textDocument/prepareCallHierarchy", "/callHierarchyProvider"},
    {"callHierarchy/incomingCalls", "/callHierarchyProvider"},
    {"callHierarchy/outgoingCalls", "/callHierarchyProvider"},
    {"textDocument/prepareTypeHierarchy", "/typeHierarchyProvider"},
    {"typeHierarchy/supertypes", "/typeHierarchyProvider"},
    {"typeHierarchy/subtypes", "/typeHierarchyProvider"},
    {"workspace/symbol", "/workspaceSymbolProvider"},
    {"workspaceSymbol/resolve", "/workspaceSymbolProvider/resolveProvider"},
    {"workspace/diagnostic", "/diagnosticProvider/workspaceDiagnostics"},
    {"workspace/executeCommand", "/executeCommandProvider"},
    {"workspace/willRenameFiles", "/workspace/fileOperations/willRename"},
};

// The registration that also stands for this method.
absl::string_view RegistrationOf(absl::string_view method) {
  if (absl::StartsWith(method, "callHierarchy/")) {
    return "textDocument/prepareCallHierarchy";
  }
  if (absl::StartsWith(method, "typeHierarchy/")) {
    return "textDocument/prepareTypeHierarchy";
  }
  if (method == "textDocument/prepareRename") return "textDocument/rename";
  return method;
}

// Providers are `true`, or an object of options.
bool IsYes(const json& value) {
  return value.is_boolean() ? value.get<bool>() : !value.is_null();
}

// Null where any step is missing or no object.
const json& At(const json& object, const char* pointer) {
  static const json* const kNothing = new json(nullptr);
  const json::json_pointer path(pointer);
  return object.is_object() && object.contains(path) ? object.at(path)
                                                     : *kNothing;
}

std::string TextAt(const json& object, const char* pointer) {
  const json& value = At(object, pointer);
  return value.is_string() ? value.get<std::string>() : "";
}

}  // namespace

ServerCapabilities::ServerCapabilities()
    : capabilities_(std::make_unique<json>(json::object())) {}

ServerCapabilities::~ServerCapabilities() = default;

void ServerCapabilities::OnInitialized(const json& result) {
  *capabilities_ = At(result, "/capabilities");
  std::string encoding = TextAt(result, "/capabilities/positionEncoding");
  if (encoding.empty()) encoding = TextAt(result, "/offsetEncoding");
  encoding_ = PositionEncodingFromString(encoding);
  name_ = TextAt(result, "/serverInfo/name");
  version_ = TextAt(result, "/serverInfo/version");

  // A bare number for textDocumentSync means the old form, which had saves.
  const json& sync = At(*capabilities_, "/textDocumentSync");
  wants_saves_ = sync.is_object() && IsYes(At(sync, "/save"));
  saves_include_text_ = IsYes(At(sync, "/save/includeText"));
  // The notifications member may be a registration id instead of true.
  takes_folder_changes_ =
      IsYes(At(*capabilities_, "/workspace/workspaceFolders/supported")) &&
      IsYes(At(*capabilities_,
               "/workspace/workspaceFolders/changeNotifications"));
}

void ServerCapabilities::Register(const std::string& id,
                                  const std::string& method) {
  registrations_[id] = method;
  if (method == "workspace/didChangeWorkspaceFolders") {
    takes_folder_changes_ = true;
  }
}

std::string ServerCapabilities::Unregister(const std::string& id) {
  const auto found = registrations_.find(id);
  if (found == registrations_.end()) return "";
  const std::string method = found->second;
  registrations_.erase(found);
  return method;
}

bool ServerCapabilities::Supports(absl::string_view method) const {
  const absl::string_view registration = RegistrationOf(method);
  for (const auto& [id, registered] : registrations_) {
    if (registration == absl::string_view(registered)) return true;
  }
  for (const MethodCapability& known : kMethods) {
    if (method == known.method) {
      return IsYes(At(*capabilities_, known.pointer));
    }
  }
  return true;
}

}  // namespace banyan::lspd
