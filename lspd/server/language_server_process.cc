// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/language_server_process.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lspd/server/client_capabilities.h"
#include "lspd/server/compile_database.h"
#include "lspd/server/launch.h"
#include "lspd/server/quirks.h"
#include "lspd/server/server_dialogue.h"
#include "lspd/server/vital_children.h"
#include "lspd/transport/json_rpc_error.h"
#include "lspd/transport/json_rpc_peer.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

constexpr int kMostStrikes = 3;
constexpr absl::Duration kStrikeWindow = absl::Minutes(1);
constexpr absl::Duration kConfigurationLimit = absl::Seconds(5);
constexpr absl::Duration kDiagnosticsSilence = absl::Seconds(5);

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

class LanguageServerProcess : public LanguageServer {
 public:
  LanguageServerProcess(UnknownMethods& unknown_methods, LaunchRequest request);
  ~LanguageServerProcess() override;

  absl::Status Start(Guardian& guardian);

  absl::StatusOr<json> Request(absl::string_view method, const json& params,
                               const rpc::CallContext& call) override;
  absl::Status Notify(absl::string_view method, const json& params) override {
    return peer_->Notify(method, params);
  }
  bool Supports(absl::string_view method) const override;
  PositionEncoding encoding() const override { return dialogue_.encoding(); }
  OpenDocuments& documents() override { return documents_; }
  ReadinessState readiness() const override { return dialogue_.readiness(); }
  absl::StatusOr<ReadinessState> WaitUntilReady(
      const rpc::CallContext& call) override;
  void ReportCanary(bool is_right) override { dialogue_.OnCanary(is_right); }
  std::optional<std::string> SeedFile() const override;
  std::vector<lsp::v1::Incompleteness> Caveats() const override;
  absl::StatusOr<std::vector<LspDiagnostic>> Diagnostics(
      const DocumentPin& pin, const rpc::CallContext& call) override;

  const ServerEntry& entry() const override { return entry_; }
  std::string name() const override {
    return absl::StrCat(entry_.id(), " ", request_.installed.version);
  }
  const std::string& fingerprint() const override { return fingerprint_; }
  pid_t pid() const override { return pid_; }
  bool is_alive() const override { return peer_ != nullptr && peer_->IsOpen(); }

  absl::Status AddRoot(const std::string& root) override;
  absl::Status RemoveRoot(const std::string& root) override;
  int64_t in_flight() const override { return in_flight_; }
  void Stop(absl::Duration limit) override;
  void OnDeath(std::function<void(const std::string& why)> callback) override;

 private:
  OpenDocuments::Options DocumentOptions();
  json SettingsOf(const std::string& root) const;
  JsonRpcPeer::Handlers Handlers();
  absl::Status Initialize();
  absl::Status Unsupported(absl::string_view method) const;
  absl::StatusOr<json> Ask(absl::string_view method, const json& params,
                           const rpc::CallContext& call);
  void Strike();
  void Fail(const std::string& why);
  void RefreshCompileDatabase() const;

  UnknownMethods& unknown_methods_;
  const LaunchRequest request_;
  const ServerEntry& entry_;
  const std::string fingerprint_;
  OpenDocuments documents_;
  ServerDialogue dialogue_;
  pid_t pid_ = -1;
  std::atomic<int64_t> in_flight_ = 0;

  mutable std::mutex mutex_;
  // All guarded by mutex_.
  mutable CompileDatabase compile_database_;
  VitalChildren vital_children_;
  std::vector<absl::Time> strikes_;
  bool is_stopping_ = false;
  std::optional<std::string> death_;
  std::function<void(const std::string&)> on_death_;

  // The last member: its threads use all the others.
  std::unique_ptr<JsonRpcPeer> peer_;
};

LanguageServerProcess::LanguageServerProcess(UnknownMethods& unknown_methods,
                                             LaunchRequest request)
    : unknown_methods_(unknown_methods),
      request_(std::move(request)),
      entry_(*request_.installed.entry),
      fingerprint_(request_.installed.Fingerprint()),
      documents_(DocumentOptions()),
      dialogue_(
          entry_, request_.roots,
          [this](const std::string& root) { return SettingsOf(root); },
          documents_) {}

LanguageServerProcess::~LanguageServerProcess() {
  std::lock_guard<std::mutex> lock(mutex_);
  is_stopping_ = true;
  on_death_ = nullptr;
}

OpenDocuments::Options LanguageServerProcess::DocumentOptions() {
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

json LanguageServerProcess::SettingsOf(const std::string& root) const {
  return ToJson(entry_.settings(), VariablesOf(request_, root));
}

absl::Status LanguageServerProcess::Start(Guardian& guardian) {
  std::error_code error;
  std::filesystem::create_directories(
      absl::StrCat(request_.private_dir, "/cache"), error);
  if (HasQuirk(entry_, kQuirkCompileDatabase)) {
    ASSIGN_OR_RETURN(
        compile_database_,
        CopyCompileDatabase(request_.roots.front(), request_.private_dir));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<ChildProcess> child,
                   guardian.Spawn(SpawnRequestOf(request_, OurEnvironment())));
  pid_ = child->pid();
  JsonRpcPeer::Options options;
  options.server_name = name();
  peer_ = JsonRpcPeer::Start(std::move(child), options, Handlers());
  const absl::Status initialized = Initialize();
  if (initialized.ok()) return initialized;
  std::string message =
      absl::StrCat(name(), " did not start: ", initialized.message());
  const std::string errors = peer_->child().RecentErrors();
  if (!errors.empty()) {
    // The end says why; the beginning is often a banner.
    constexpr size_t kMost = 600;
    absl::StrAppend(
        &message, "; its last words: ",
        errors.substr(errors.size() - std::min(errors.size(), kMost)));
  }
  return rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN, message);
}

JsonRpcPeer::Handlers LanguageServerProcess::Handlers() {
  JsonRpcPeer::Handlers handlers;
  handlers.on_request = [this](const std::string& method, const json& params) {
    return dialogue_.Answer(method, params);
  };
  handlers.on_notification = [this](const std::string& method,
                                    const json& params) {
    dialogue_.Hear(method, params);
  };
  handlers.on_closed = [this](const absl::Status& reason) {
    Fail(std::string(reason.message()));
  };
  return handlers;
}

absl::Status LanguageServerProcess::Initialize() {
  rpc::CallContext call;
  call.deadline = absl::Now() + request_.start_limit;
  const json options = ToJson(entry_.initialization_options(),
                              VariablesOf(request_, request_.roots.front()));
  ASSIGN_OR_RETURN(
      const json result,
      peer_->Request("initialize",
                     InitializeParams(request_.roots, options, getpid()),
                     call));
  dialogue_.OnInitialized(result);
  RETURN_IF_ERROR(peer_->Notify("initialized", json::object()));
  const json settings = SettingsOf(request_.roots.front());
  if (!settings.empty()) {
    RETURN_IF_ERROR(peer_->Notify("workspace/didChangeConfiguration",
                                  {{"settings", settings}}));
  }
  if (HasQuirk(entry_, kQuirkAsksConfigurationFirst)) {
    dialogue_.WaitForConfiguration(kConfigurationLimit);
  }
  return absl::OkStatus();
}

bool LanguageServerProcess::Supports(absl::string_view method) const {
  return dialogue_.Supports(method) &&
         !unknown_methods_.Contains(fingerprint_, method);
}

absl::Status LanguageServerProcess::Unsupported(
    absl::string_view method) const {
  return rpc::Error(rpc::v1::ERROR_REASON_UNSUPPORTED,
                    absl::StrCat(name(), " does not offer ", method,
                                 "; instead, ", InsteadOf(method)));
}

absl::StatusOr<json> LanguageServerProcess::Request(
    absl::string_view method, const json& params,
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
  if (answer.ok()) return answer;
  const std::optional<JsonRpcError> error = JsonRpcErrorOf(answer.status());
  if (error.has_value() && error->code == kMethodNotFound) {
    unknown_methods_.Remember(fingerprint_, method);
    return Unsupported(method);
  }
  return answer;
}

absl::StatusOr<json> LanguageServerProcess::Ask(absl::string_view method,
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

void LanguageServerProcess::Strike() {
  const absl::Time now = absl::Now();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const absl::Time heard = peer_->last_heard();
    strikes_.erase(std::remove_if(strikes_.begin(), strikes_.end(),
                                  [&](absl::Time strike) {
                                    return strike < heard ||
                                           strike < now - kStrikeWindow;
                                  }),
                   strikes_.end());
    strikes_.push_back(now);
    if (strikes_.size() < kMostStrikes || now - heard < request_.stuck_after) {
      return;
    }
  }
  peer_->Close(absl::StrCat(name(), " answers nothing any more"));
  peer_->child().Kill(SIGKILL).IgnoreError();
}

void LanguageServerProcess::Fail(const std::string& why) {
  std::function<void(const std::string&)> tell;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (death_.has_value()) return;
    death_ = why;
    if (!is_stopping_) tell = std::exchange(on_death_, nullptr);
  }
  dialogue_.End(
      rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN,
                 absl::StrCat(why, "; ask again, a new one will be started")));
  if (tell) tell(why);
}

void LanguageServerProcess::OnDeath(
    std::function<void(const std::string& why)> callback) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!death_.has_value()) {
    on_death_ = std::move(callback);
    return;
  }
  const std::string why = *death_;
  const bool is_stopping = is_stopping_;
  lock.unlock();
  if (!is_stopping) callback(why);
}

absl::StatusOr<ReadinessState> LanguageServerProcess::WaitUntilReady(
    const rpc::CallContext& call) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // Without a database clangd indexes nothing, so nothing will ever end.
    if (HasQuirk(entry_, kQuirkCompileDatabase) &&
        compile_database_.entries == 0) {
      return ReadinessState::kUnknown;
    }
  }
  return dialogue_.WaitUntilReady(call);
}

void LanguageServerProcess::RefreshCompileDatabase() const {
  const std::string& root = request_.roots.front();
  std::lock_guard<std::mutex> lock(mutex_);
  if (!IsCompileDatabaseStale(root, compile_database_)) return;
  absl::StatusOr<CompileDatabase> copy =
      CopyCompileDatabase(root, request_.private_dir);
  if (copy.ok()) compile_database_ = *std::move(copy);
}

std::optional<std::string> LanguageServerProcess::SeedFile() const {
  if (!dialogue_.WaitsForDocument()) return std::nullopt;
  std::lock_guard<std::mutex> lock(mutex_);
  if (compile_database_.seed_file.empty()) return std::nullopt;
  return compile_database_.seed_file;
}

std::vector<lsp::v1::Incompleteness> LanguageServerProcess::Caveats() const {
  if (!HasQuirk(entry_, kQuirkCompileDatabase)) return {};
  RefreshCompileDatabase();
  std::lock_guard<std::mutex> lock(mutex_);
  if (!compile_database_.source.empty() && compile_database_.unresolved == 0) {
    return {};
  }
  lsp::v1::Incompleteness caveat;
  caveat.set_language(entry_.language());
  caveat.set_reason(lsp::v1::INCOMPLETE_REASON_NO_COMPILE_DATABASE);
  caveat.set_count(compile_database_.unresolved);
  return {caveat};
}

absl::StatusOr<std::vector<LspDiagnostic>> LanguageServerProcess::Diagnostics(
    const DocumentPin& pin, const rpc::CallContext& call) {
  if (!Supports("textDocument/diagnostic")) {
    return dialogue_.WaitForDiagnostics(pin.uri(), kDiagnosticsSilence, call);
  }
  ASSIGN_OR_RETURN(const json result,
                   Request("textDocument/diagnostic",
                           {{"textDocument", {{"uri", pin.uri()}}}}, call));
  ASSIGN_OR_RETURN(DiagnosticReport report, DiagnosticReportFromJson(result));
  return std::move(report.diagnostics);
}

absl::Status LanguageServerProcess::AddRoot(const std::string& root) {
  if (!dialogue_.AddRoot(root) || !dialogue_.TakesFolderChanges()) {
    return absl::OkStatus();
  }
  return peer_->Notify("workspace/didChangeWorkspaceFolders",
                       {{"event",
                         {{"added", json::array({WorkspaceFolder(root)})},
                          {"removed", json::array()}}}});
}

absl::Status LanguageServerProcess::RemoveRoot(const std::string& root) {
  if (!dialogue_.RemoveRoot(root)) return absl::OkStatus();
  documents_.CloseBeneath(root);
  if (!dialogue_.TakesFolderChanges()) return absl::OkStatus();
  return peer_->Notify("workspace/didChangeWorkspaceFolders",
                       {{"event",
                         {{"added", json::array()},
                          {"removed", json::array({WorkspaceFolder(root)})}}}});
}

void LanguageServerProcess::Stop(absl::Duration limit) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
  }
  ChildProcess& child = peer_->child();
  if (peer_->IsOpen()) {
    rpc::CallContext call;
    call.deadline = absl::Now() + limit / 2;
    peer_->Request("shutdown", json(nullptr), call).IgnoreError();
    peer_->Notify("exit", json(nullptr)).IgnoreError();
    peer_->CloseInput();
    child.exit().WaitFor(limit / 4);
  }
  if (child.IsRunning()) {
    child.Kill(SIGTERM).IgnoreError();
    child.exit().WaitFor(limit / 4);
  }
  // Also for what a server that has ended left behind.
  child.Kill(SIGKILL).IgnoreError();
  child.exit().WaitFor(absl::Seconds(5));
  peer_->Close(absl::StrCat(name(), " was stopped"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<LanguageServer>> StartLanguageServer(
    Guardian& guardian, UnknownMethods& unknown_methods,
    LaunchRequest request) {
  auto server = std::make_unique<LanguageServerProcess>(unknown_methods,
                                                        std::move(request));
  RETURN_IF_ERROR(server->Start(guardian));
  return std::unique_ptr<LanguageServer>(std::move(server));
}

}  // namespace banyan::lspd
