// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/running_server.h"

#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/time/clock.h"
#include "lspd/server/client_capabilities.h"
#include "lspd/server/launch.h"
#include "lspd/server/quirks.h"
#include "lspd/transport/json_rpc_error.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

// Asked again after "content modified", with these pauses.
constexpr absl::Duration kModifiedPauses[] = {
    absl::Milliseconds(50), absl::Milliseconds(200), absl::Milliseconds(800)};

// What an agent can do instead of a method that a server does not have.
absl::string_view InsteadOf(absl::string_view method) {
  if (method == "workspace/symbol" || method == "textDocument/documentSymbol") {
    return "search the text with search_for_pattern";
  }
  if (method == "textDocument/implementation" ||
      method == "typeHierarchy/subtypes") {
    return "look at the references with find_referencing_symbols";
  }
  if (method == "textDocument/declaration") {
    return "ask for the definition";
  }
  return "read the files concerned";
}

}  // namespace

RunningServer::RunningServer(LaunchRequest request)
    : request_(std::move(request)),
      entry_(*request_.installed.entry),
      fingerprint_(request_.installed.Fingerprint()),
      documents_(DocumentOptions()),
      dialogue_(
          entry_, request_.roots,
          [this](const std::string& root) { return SettingsOf(root); },
          documents_),
      silence_(request_.stuck_after) {}

RunningServer::~RunningServer() {
  std::lock_guard<std::mutex> lock(mutex_);
  is_stopping_ = true;
  on_death_ = nullptr;
}

OpenDocuments::Options RunningServer::DocumentOptions() {
  OpenDocuments::Options options;
  options.notify = [this](absl::string_view method, const json& params) {
    if (method == "textDocument/didOpen" ||
        method == "textDocument/didChange") {
      const json& document = params["textDocument"];
      dialogue_.OnTextSent(document["uri"].get<std::string>(),
                           document["version"].get<int>());
    } else if (method == "textDocument/didClose") {
      dialogue_.OnTextClosed(params["textDocument"]["uri"].get<std::string>());
    }
    return peer_->Notify(method, params);
  };
  options.document_id = [this](absl::string_view path) {
    return DocumentIdOf(entry_, path);
  };
  options.on_open = [this] { dialogue_.OnDocumentOpened(); };
  if (entry_.limits().max_open_documents() > 0) {
    options.max_open =
        static_cast<size_t>(entry_.limits().max_open_documents());
  }
  options.reopens_changed_files = HasQuirk(entry_, kQuirkReopensChangedFiles);
  options.watches_unregistered = HasQuirk(entry_, kQuirkWatchesUnregistered);
  return options;
}

json RunningServer::SettingsOf(const std::string& root) const {
  return ToJson(entry_.settings(), VariablesOf(request_, root));
}

bool RunningServer::Supports(absl::string_view method) const {
  if (!dialogue_.Supports(method)) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  return unknown_methods_.count(std::string(method)) == 0;
}

absl::Status RunningServer::Unsupported(absl::string_view method) const {
  return rpc::Error(rpc::v1::ERROR_REASON_UNSUPPORTED,
                    absl::StrCat(name(), " does not offer ", method,
                                 "; instead, ", InsteadOf(method)));
}

absl::StatusOr<json> RunningServer::Request(absl::string_view method,
                                            const json& params,
                                            const rpc::CallContext& call) {
  if (!Supports(method)) return Unsupported(method);
  absl::StatusOr<json> answer = Ask(method, params, call);
  for (const absl::Duration pause : kModifiedPauses) {
    if (answer.ok() || !IsContentModified(answer.status())) break;
    const absl::Time until = std::min(absl::Now() + pause, call.deadline);
    while (absl::Now() < until && !call.IsOver()) {
      absl::SleepFor(std::min(absl::Milliseconds(20), until - absl::Now()));
    }
    if (call.IsOver()) break;
    answer = Ask(method, params, call);
  }
  bool is_broken = NoteAnswer(method, answer.status());
  if (IsInternalError(answer.status()) && !is_broken && !call.IsOver()) {
    // Often of one moment only.
    answer = Ask(method, params, call);
    is_broken = NoteAnswer(method, answer.status());
  }
  if (is_broken) {
    const std::string why = absl::StrCat(name(), " answers every ", method,
                                         " with an internal error");
    peer_->Close(why);
    peer_->child().Kill(SIGKILL).IgnoreError();
    return rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN,
                      absl::StrCat(why, "; ask again, a new one starts"));
  }
  if (answer.ok()) return answer;
  const std::optional<JsonRpcError> error = JsonRpcErrorOf(answer.status());
  if (error.has_value() && error->code == kMethodNotFound) {
    std::lock_guard<std::mutex> lock(mutex_);
    unknown_methods_.emplace(method);
    return Unsupported(method);
  }
  return answer;
}

bool RunningServer::NoteAnswer(absl::string_view method,
                               const absl::Status& answer) {
  if (!answer.ok() && !IsInternalError(answer)) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  return broken_methods_.OnAnswer(method, !answer.ok()) &&
         !request_.follows_a_broken_one;
}

absl::StatusOr<json> RunningServer::Ask(absl::string_view method,
                                        const json& params,
                                        const rpc::CallContext& call) {
  const absl::Time start = absl::Now();
  ++in_flight_;
  absl::StatusOr<json> answer = peer_->Request(method, params, call);
  --in_flight_;
  if (request_.on_answer) request_.on_answer(method, absl::Now() - start);
  if (!answer.ok()) {
    if (rpc::ReasonOf(answer.status()) == rpc::v1::ERROR_REASON_DEADLINE) {
      Strike();
    }
    return answer;
  }
  if (!HasQuirk(entry_, kQuirkTsserverIsVital)) return answer;
  // The parent of a dead tsserver answers "nothing found" for ever.
  std::unique_lock<std::mutex> lock(mutex_);
  if (vital_children_.AreAlive(pid_, "tsserver.js")) return answer;
  lock.unlock();
  const std::string why = absl::StrCat(name(), " lost its tsserver");
  peer_->Close(why);
  peer_->child().Kill(SIGKILL).IgnoreError();
  return rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN, why);
}

absl::StatusOr<ReadinessState> RunningServer::WaitUntilReady(
    const rpc::CallContext& call) {
  {
    std::lock_guard<std::mutex> lock(database_mutex_);
    // Without a database clangd indexes nothing, so nothing will ever end.
    if (HasQuirk(entry_, kQuirkCompileDatabase) &&
        compile_database_.entries == 0) {
      return ReadinessState::kUnknown;
    }
  }
  return dialogue_.WaitUntilReady(call);
}

bool RunningServer::IsOutdated() const {
  if (!HasQuirk(entry_, kQuirkCompileDatabase)) return false;
  std::lock_guard<std::mutex> lock(database_mutex_);
  return IsCompileDatabaseStale(request_.roots.front(), &compile_database_);
}

std::optional<std::string> RunningServer::SeedFile() const {
  if (!dialogue_.WaitsForDocument()) return std::nullopt;
  std::lock_guard<std::mutex> lock(database_mutex_);
  if (compile_database_.seed_file.empty()) return std::nullopt;
  return compile_database_.seed_file;
}

std::vector<lsp::v1::Incompleteness> RunningServer::Caveats() const {
  if (!HasQuirk(entry_, kQuirkCompileDatabase)) return {};
  std::lock_guard<std::mutex> lock(database_mutex_);
  if (compile_database_.entries > 0 && compile_database_.unresolved == 0) {
    return {};
  }
  lsp::v1::Incompleteness caveat;
  caveat.set_language(entry_.language());
  caveat.set_reason(lsp::v1::INCOMPLETE_REASON_NO_COMPILE_DATABASE);
  caveat.set_count(compile_database_.unresolved);
  return {caveat};
}

absl::StatusOr<std::vector<LspDiagnostic>> RunningServer::Diagnostics(
    const DocumentPin& pin, const rpc::CallContext& call) {
  if (!Supports("textDocument/diagnostic")) return Pushed(pin, call);
  ASSIGN_OR_RETURN(const json result,
                   Request("textDocument/diagnostic",
                           {{"textDocument", {{"uri", pin.uri()}}}}, call));
  return DiagnosticReportFromJson(result);
}

absl::StatusOr<std::vector<LspDiagnostic>> RunningServer::Pushed(
    const DocumentPin& pin, const rpc::CallContext& call) {
  ASSIGN_OR_RETURN(std::optional<std::vector<LspDiagnostic>> pushed,
                   dialogue_.WaitForDiagnostics(
                       pin.uri(), request_.diagnostics_silence, call));
  if (pushed.has_value()) return *std::move(pushed);
  // A server that hangs is silent too. One that answers a question has had its
  // turn: what it has to say of the text came before the answer.
  rpc::CallContext soon = call;
  soon.deadline =
      std::min(call.deadline, absl::Now() + request_.diagnostics_silence);
  const absl::Status answered =
      Ask("textDocument/documentSymbol",
          {{"textDocument", {{"uri", pin.uri()}}}}, soon)
          .status();
  if (!answered.ok() && !JsonRpcErrorOf(answered).has_value()) return answered;
  ASSIGN_OR_RETURN(pushed, dialogue_.WaitForDiagnostics(
                               pin.uri(), absl::ZeroDuration(), call));
  return pushed.value_or(std::vector<LspDiagnostic>());
}

absl::Status RunningServer::AddRoot(const std::string& root) {
  if (!dialogue_.AddRoot(root) || !dialogue_.TakesFolderChanges()) {
    return absl::OkStatus();
  }
  return peer_->Notify("workspace/didChangeWorkspaceFolders",
                       {{"event",
                         {{"added", json::array({WorkspaceFolder(root)})},
                          {"removed", json::array()}}}});
}

absl::Status RunningServer::RemoveRoot(const std::string& root) {
  if (!dialogue_.RemoveRoot(root)) return absl::OkStatus();
  documents_.CloseBeneath(root);
  if (!dialogue_.TakesFolderChanges()) return absl::OkStatus();
  return peer_->Notify("workspace/didChangeWorkspaceFolders",
                       {{"event",
                         {{"added", json::array()},
                          {"removed", json::array({WorkspaceFolder(root)})}}}});
}

void RunningServer::Strike() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!silence_.OnTimeout(peer_->last_heard(), absl::Now())) return;
  }
  peer_->Close(absl::StrCat(name(), " answers nothing any more"));
  peer_->child().Kill(SIGKILL).IgnoreError();
}

}  // namespace banyan::lspd
