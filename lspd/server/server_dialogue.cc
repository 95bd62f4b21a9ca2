// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/server_dialogue.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/server/client_capabilities.h"
#include "lspd/server/server_settings.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

// How long a waiter may sleep before it looks whether its caller left.
constexpr absl::Duration kPoll = absl::Milliseconds(50);

std::string Text(const json& object, const char* name) {
  if (!object.is_object()) return "";
  const auto member = object.find(name);
  return member != object.end() && member->is_string()
             ? member->get<std::string>()
             : "";
}

const json& Member(const json& object, const char* name) {
  static const json* const kNothing = new json(nullptr);
  if (!object.is_object()) return *kNothing;
  const auto member = object.find(name);
  return member == object.end() ? *kNothing : *member;
}

}  // namespace

ServerDialogue::ServerDialogue(
    const ServerEntry& entry, std::vector<std::string> roots,
    std::function<json(const std::string& root)> settings,
    OpenDocuments& documents)
    : entry_(entry),
      settings_(std::move(settings)),
      documents_(documents),
      roots_(std::move(roots)),
      readiness_(entry.readiness(), absl::Now()) {
  for (size_t i = 1; i < roots_.size(); ++i) {
    readiness_.OnFolderAdded(absl::Now());
  }
}

ServerDialogue::~ServerDialogue() = default;

absl::StatusOr<json> ServerDialogue::Answer(const std::string& method,
                                            const json& params) {
  if (method == "workspace/configuration") return AnswerConfiguration(params);
  if (method == "workspace/workspaceFolders") {
    json folders = json::array();
    for (const std::string& root : roots()) {
      folders.push_back(WorkspaceFolder(root));
    }
    return folders;
  }
  if (method == "client/registerCapability") {
    Register(params);
    return json(nullptr);
  }
  if (method == "client/unregisterCapability") {
    Unregister(params);
    return json(nullptr);
  }
  // An error here forbids the token, and clangd never tries again.
  if (method == "window/workDoneProgress/create") return json(nullptr);
  // Nobody is there to choose; null is "dismissed".
  if (method == "window/showMessageRequest") return json(nullptr);
  if (method == "window/showDocument") return json({{"success", false}});
  if (method == "workspace/applyEdit") {
    return json({{"applied", false},
                 {"failureReason", "edits are made by banyan alone"}});
  }
  if (absl::StartsWith(method, "workspace/") &&
      absl::EndsWith(method, "/refresh")) {
    return json(nullptr);
  }
  return absl::UnimplementedError(method);
}

json ServerDialogue::AnswerConfiguration(const json& params) {
  json values = json::array();
  const json& items = Member(params, "items");
  if (!items.is_array()) return values;
  for (const json& item : items) {
    std::string root;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      root = RootOfLocked(Text(item, "scopeUri"));
    }
    values.push_back(SettingsAt(settings_(root), Text(item, "section")));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  has_configuration_ = true;
  changed_.notify_all();
  return values;
}

void ServerDialogue::WaitForConfiguration(absl::Duration longest) const {
  const absl::Time until = absl::Now() + longest;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!has_configuration_ && end_.ok() && absl::Now() < until) {
    WaitLocked(lock, until);
  }
}

std::string ServerDialogue::RootOfLocked(absl::string_view scope_uri) const {
  const std::string path = PathOfFileUri(scope_uri).value_or("");
  std::string best;
  for (const std::string& root : roots_) {
    const bool holds =
        path == root || absl::StartsWith(path, absl::StrCat(root, "/"));
    if (holds && root.size() > best.size()) best = root;
  }
  if (best.empty() && !roots_.empty()) return roots_.front();
  return best;
}

void ServerDialogue::Register(const json& params) {
  const json& registrations = Member(params, "registrations");
  if (!registrations.is_array()) return;
  for (const json& registration : registrations) {
    const std::string id = Text(registration, "id");
    const std::string method = Text(registration, "method");
    {
      std::lock_guard<std::mutex> lock(mutex_);
      capabilities_.Register(id, method);
    }
    if (method == "workspace/didChangeWatchedFiles") {
      documents_.WatchFiles(id, Member(registration, "registerOptions"));
    }
  }
}

void ServerDialogue::Unregister(const json& params) {
  // The protocol's own spelling, and the right one.
  const json& misspelt = Member(params, "unregisterations");
  const json& registrations =
      misspelt.is_array() ? misspelt : Member(params, "unregistrations");
  if (!registrations.is_array()) return;
  for (const json& registration : registrations) {
    const std::string id = Text(registration, "id");
    std::string method;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      method = capabilities_.Unregister(id);
    }
    if (method == "workspace/didChangeWatchedFiles") {
      documents_.UnwatchFiles(id);
    }
  }
}

void ServerDialogue::Hear(const std::string& method, const json& params) {
  if (method == "$/progress") {
    HearProgress(params);
  } else if (method == "window/logMessage" || method == "window/showMessage") {
    std::lock_guard<std::mutex> lock(mutex_);
    readiness_.OnLogMessage(Text(params, "message"), absl::Now());
  } else if (method == "experimental/serverStatus") {
    const json& quiescent = Member(params, "quiescent");
    std::lock_guard<std::mutex> lock(mutex_);
    readiness_.OnServerStatus(quiescent.is_boolean() && quiescent.get<bool>(),
                              absl::Now());
  } else if (method == "textDocument/publishDiagnostics") {
    const absl::StatusOr<PublishedDiagnostics> pushed =
        PublishedDiagnosticsFromJson(params);
    if (!pushed.ok()) return;
    std::lock_guard<std::mutex> lock(mutex_);
    diagnostics_.OnPushed(*pushed, absl::Now());
  } else {
    return;
  }
  changed_.notify_all();
}

void ServerDialogue::HearProgress(const json& params) {
  const json& value = Member(params, "value");
  const std::string kind = Text(value, "kind");
  const json& token = Member(params, "token");
  const std::string key =
      token.is_string() ? token.get<std::string>() : token.dump();
  Readiness::ProgressKind progress = Readiness::ProgressKind::kReport;
  if (kind == "begin") {
    progress = Readiness::ProgressKind::kBegin;
  } else if (kind == "end") {
    progress = Readiness::ProgressKind::kEnd;
  } else if (kind != "report") {
    return;  // A partial result.
  }
  std::lock_guard<std::mutex> lock(mutex_);
  readiness_.OnProgress(key, progress, Text(value, "title"), absl::Now());
  work_.OnProgress(key, value);
}

void ServerDialogue::OnInitialized(const json& result) {
  bool wants_saves = false;
  bool with_text = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    capabilities_.OnInitialized(result);
    readiness_.OnStarted(absl::Now());
    wants_saves = capabilities_.wants_saves();
    with_text = capabilities_.saves_include_text();
  }
  // Unlocked: documents call us while they hold their own lock.
  if (wants_saves) documents_.SendSaves(with_text);
}

bool ServerDialogue::AddRoot(const std::string& root) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (std::find(roots_.begin(), roots_.end(), root) != roots_.end()) {
    return false;
  }
  roots_.push_back(root);
  readiness_.OnFolderAdded(absl::Now());
  return true;
}

bool ServerDialogue::RemoveRoot(const std::string& root) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find(roots_.begin(), roots_.end(), root);
  if (found == roots_.end()) return false;
  roots_.erase(found);
  return true;
}

std::vector<std::string> ServerDialogue::roots() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return roots_;
}

bool ServerDialogue::TakesFolderChanges() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return capabilities_.takes_folder_changes();
}

bool ServerDialogue::Supports(absl::string_view method) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return capabilities_.Supports(method);
}

PositionEncoding ServerDialogue::encoding() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return capabilities_.encoding();
}

void ServerDialogue::OnDocumentOpened() {
  std::lock_guard<std::mutex> lock(mutex_);
  readiness_.OnDocumentOpened(absl::Now());
  changed_.notify_all();
}

void ServerDialogue::OnTextSent(absl::string_view uri, int version) {
  std::lock_guard<std::mutex> lock(mutex_);
  diagnostics_.OnSent(uri, version, absl::Now());
}

void ServerDialogue::OnTextClosed(absl::string_view uri) {
  std::lock_guard<std::mutex> lock(mutex_);
  diagnostics_.OnClosed(uri);
}

void ServerDialogue::OnCanary(bool is_right) {
  std::lock_guard<std::mutex> lock(mutex_);
  readiness_.OnCanary(is_right);
  changed_.notify_all();
}

std::string ServerDialogue::Work() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return work_.Text();
}

ReadinessState ServerDialogue::readiness() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return readiness_.At(absl::Now());
}

bool ServerDialogue::WaitsForDocument() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return readiness_.WaitsForDocument();
}

absl::StatusOr<ReadinessState> ServerDialogue::WaitUntilReady(
    const rpc::CallContext& call) const {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    const absl::Time now = absl::Now();
    const ReadinessState state = readiness_.At(now);
    if (!end_.ok()) return end_;
    if (state != ReadinessState::kIndexing) return state;
    if (readiness_.WaitsForDocument() || now >= call.deadline) return state;
    if (call.is_cancelled()) {
      return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED,
                        "the call was given up");
    }
    WaitLocked(lock, std::min(call.deadline, readiness_.NextChange(now)));
  }
}

absl::StatusOr<std::optional<std::vector<LspDiagnostic>>>
ServerDialogue::WaitForDiagnostics(absl::string_view uri,
                                   absl::Duration longest,
                                   const rpc::CallContext& call) const {
  const absl::Time silent_until = absl::Now() + longest;
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    const absl::Time now = absl::Now();
    const absl::Time settled = diagnostics_.SettledAt(uri);
    if (!end_.ok()) return end_;
    if (now >= settled) return diagnostics_.Of(uri);
    if (call.is_cancelled()) {
      return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED,
                        "the call was given up");
    }
    const bool is_silent =
        settled == absl::InfiniteFuture() && now >= silent_until;
    if (is_silent && readiness_.At(now) == ReadinessState::kReady) {
      return std::nullopt;
    }
    if (now >= call.deadline || is_silent) {
      return rpc::Error(
          rpc::v1::ERROR_REASON_DEADLINE,
          absl::StrCat(entry_.id(),
                       " has not said what it thinks of this file; try again"));
    }
    WaitLocked(lock, std::min({call.deadline, settled, silent_until}));
  }
}

void ServerDialogue::WaitLocked(std::unique_lock<std::mutex>& lock,
                                absl::Time until) const {
  changed_.wait_until(lock,
                      absl::ToChronoTime(std::min(until, absl::Now() + kPoll)));
}

void ServerDialogue::End(const absl::Status& reason) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (end_.ok()) end_ = reason;
  changed_.notify_all();
}

}  // namespace banyan::lspd
