// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_language_server_checks.h"

#include <fstream>

namespace banyan::fake_server {
namespace {

// "At once", with room for a machine that is busy with other tests.
constexpr std::chrono::milliseconds kAnswerLimit(500);

const Json& At(const Json& object, const char* key) {
  static const Json null;
  return object.is_object() && object.contains(key) ? object[key] : null;
}

std::string TextAt(const Json& object, const char* key) {
  const Json& value = At(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

}  // namespace

void ClientChecks::Report(const std::string& violation) const {
  if (!is_strict_) return;
  std::ofstream(report_, std::ios::app) << violation << '\n';
}

void ClientChecks::OnClientMessage(const Json& message) {
  if (!message.is_object() || TextAt(message, "jsonrpc") != "2.0") {
    return Report("not a JSON-RPC 2.0 message: " + message.dump());
  }
  const std::string method = TextAt(message, "method");
  if (method.empty()) return OnAnswer(message);

  const bool is_request = message.contains("id");
  if (message.contains("params") && !message["params"].is_object() &&
      !message["params"].is_array()) {
    Report("params is neither object nor array: " + method);
  }
  CheckOrder(method, is_request);
  if (is_request) {
    CheckRequest(message, method);
  } else {
    CheckNotification(method, At(message, "params"));
  }
}

void ClientChecks::OnServerRequest(const Json& id, const std::string& method,
                                   const Json& params) {
  server_requests_[id] = {method, At(params, "items").size(), Clock::now()};
}

void ClientChecks::OnEnd() {
  for (const auto& [id, request] : server_requests_) {
    if (Clock::now() - request.asked > kAnswerLimit) {
      Report("no answer to " + request.method + " " + id.dump());
    }
  }
}

void ClientChecks::OnAnswer(const Json& message) {
  const auto request = server_requests_.find(At(message, "id"));
  if (request == server_requests_.end()) {
    return Report("an answer to nothing: " + message.dump());
  }
  const ServerRequest asked = request->second;
  server_requests_.erase(request);
  if (message.contains("result") == message.contains("error")) {
    Report("not one of result and error: " + asked.method);
  }
  if (Clock::now() - asked.asked > kAnswerLimit) {
    Report("answered too late: " + asked.method);
  }
  const bool is_configuration = asked.method == "workspace/configuration";
  if (is_configuration && (!At(message, "result").is_array() ||
                           At(message, "result").size() != asked.items)) {
    Report("configuration of another length than asked for");
  }
}

void ClientChecks::CheckOrder(const std::string& method, bool is_request) {
  const std::string what = (is_request ? "request " : "notification ") + method;
  if (method == "exit") {
    if (!is_shut_down_) Report("exit without shutdown");
    return;
  }
  if (is_shut_down_ && method != "$/cancelRequest") {
    Report(what + " after shutdown");
  }
  if (method == "initialize") {
    if (initialize_asked_) Report("initialize twice");
    initialize_asked_ = true;
  } else if (method == "initialized") {
    if (!initialize_answered_) Report("initialized before the answer");
    if (is_initialized_) Report("initialized twice");
    is_initialized_ = true;
  } else if (method == "$/cancelRequest" || method == "shutdown") {
    if (!initialize_asked_) Report(what + " before initialize");
  } else if (!is_initialized_) {
    Report(what + " before initialized");
  }
  if (method == "shutdown") is_shut_down_ = true;
}

void ClientChecks::CheckRequest(const Json& message,
                                const std::string& method) {
  const Json& id = message["id"];
  if (!id.is_number_integer()) Report("id is no integer: " + id.dump());
  if (!ids_.insert(id).second) Report("id used twice: " + id.dump());
  const Json& params = At(message, "params");
  if (method == "shutdown" && message.contains("params")) {
    Report("shutdown with params");
  }
  if (method == "initialize") {
    if (!At(params, "capabilities").is_object()) {
      Report("initialize without capabilities");
    }
    if (!params.contains("processId")) Report("initialize without processId");
    for (const Json& folder : At(params, "workspaceFolders")) {
      folders_.insert(TextAt(folder, "uri"));
    }
  }
  if (params.contains("position")) CheckPosition(method, params);
}

void ClientChecks::CheckNotification(const std::string& method,
                                     const Json& params) {
  const std::string uri = TextAt(At(params, "textDocument"), "uri");
  if (method == "textDocument/didOpen") {
    CheckOpen(At(params, "textDocument"));
  } else if (method == "textDocument/didChange") {
    CheckChange(params);
  } else if (method == "textDocument/didClose") {
    if (versions_.erase(uri) == 0) Report("close of an unopened document");
  } else if (method == "textDocument/didSave") {
    if (!IsOpen(uri)) Report("save of an unopened document");
  } else if (method == "workspace/didChangeWorkspaceFolders") {
    CheckFolders(At(params, "event"));
  } else if (method == "$/cancelRequest" && ids_.count(At(params, "id")) == 0) {
    Report("cancel of what was never asked");
  }
}

void ClientChecks::CheckOpen(const Json& document) {
  const std::string uri = TextAt(document, "uri");
  if (uri.empty() || TextAt(document, "languageId").empty() ||
      !At(document, "version").is_number_integer() ||
      !At(document, "text").is_string()) {
    return Report("didOpen without uri, languageId, version or text");
  }
  const bool is_new =
      versions_.emplace(uri, document["version"].get<int64_t>()).second;
  if (!is_new) Report("double open of " + uri);
}

void ClientChecks::CheckChange(const Json& params) {
  const std::string uri = TextAt(At(params, "textDocument"), "uri");
  const auto open = versions_.find(uri);
  if (open == versions_.end()) {
    return Report("change of an unopened document: " + uri);
  }
  const Json& version = At(At(params, "textDocument"), "version");
  if (!version.is_number_integer()) {
    Report("didChange without a version");
  } else if (version.get<int64_t>() <= open->second) {
    Report("version does not increase: " + uri + " " + version.dump());
  } else {
    open->second = version.get<int64_t>();
  }
  if (!At(params, "contentChanges").is_array()) {
    Report("didChange without contentChanges");
  }
}

void ClientChecks::CheckFolders(const Json& event) {
  for (const Json& folder : At(event, "removed")) {
    if (folders_.erase(TextAt(folder, "uri")) == 0) {
      Report("removal of an unknown folder: " + folder.dump());
    }
  }
  for (const Json& folder : At(event, "added")) {
    if (!folders_.insert(TextAt(folder, "uri")).second) {
      Report("double add of a folder: " + folder.dump());
    }
  }
}

void ClientChecks::CheckPosition(const std::string& method,
                                 const Json& params) {
  const Json& position = params["position"];
  const auto is_count = [](const Json& value) {
    return value.is_number_integer() && value.get<int64_t>() >= 0;
  };
  if (!is_count(At(position, "line")) || !is_count(At(position, "character"))) {
    Report("not a position: " + method + " " + position.dump());
  }
  if (TextAt(At(params, "textDocument"), "uri").empty()) {
    Report("a position without a document: " + method);
  }
}

}  // namespace banyan::fake_server
