// SPDX-License-Identifier: Apache-2.0
//
// A pool of language servers that answer what a test says, over a real root.
#ifndef TESTS_LSPD_QUERIES_FAKE_SERVERS_H_
#define TESTS_LSPD_QUERIES_FAKE_SERVERS_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lspd/pool/server_pool.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/protocol/lsp_types.h"
#include "lspd/queries/question.h"
#include "lspd/server/language_server.h"
#include "lspd/workspace/workspace.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {

using nlohmann::json;

class FakeLanguageServer : public LanguageServer {
 public:
  using Answer = std::function<absl::StatusOr<json>(const json& params)>;

  explicit FakeLanguageServer(ServerEntry row)
      : entry_(std::move(row)),
        documents_({.notify =
                        [this](absl::string_view method, const json& params) {
                          NoteNotification(method, params);
                          return absl::OkStatus();
                        },
                    .document_id =
                        [](absl::string_view) { return std::string("x"); }}) {}

  // What it answers; a method without an answer is unsupported.
  void On(const std::string& method, Answer answer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    answers_[method] = std::move(answer);
  }

  absl::StatusOr<json> Request(absl::string_view method, const json& params,
                               const rpc::CallContext& call) override {
    if (call.IsOver()) {
      return rpc::Error(rpc::v1::ERROR_REASON_DEADLINE, "too late");
    }
    Answer answer;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      asked_.push_back(absl::StrCat(method, " ", NameOf(params)));
      const auto found = answers_.find(std::string(method));
      if (found != answers_.end()) answer = found->second;
    }
    if (!is_alive_) {
      return rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN, "it is dead");
    }
    if (answer == nullptr) {
      return rpc::Error(rpc::v1::ERROR_REASON_UNSUPPORTED,
                        absl::StrCat("fake does not offer ", method));
    }
    return answer(params);
  }

  absl::Status Notify(absl::string_view, const json&) override {
    return absl::OkStatus();
  }
  bool Supports(absl::string_view method) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return answers_.count(std::string(method)) > 0;
  }
  PositionEncoding encoding() const override { return encoding_value; }
  OpenDocuments& documents() override { return documents_; }
  ReadinessState readiness() const override { return readiness_value; }
  absl::StatusOr<ReadinessState> WaitUntilReady(
      const rpc::CallContext&) override {
    ++waits;
    if (!is_alive_) {
      return rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN, "it is dead");
    }
    return readiness_value.load();
  }
  void ReportCanary(bool is_right) override {
    if (is_right) readiness_value = ReadinessState::kReady;
  }
  std::optional<std::string> SeedFile() const override { return seed; }
  std::vector<lsp::v1::Incompleteness> Caveats() const override {
    return caveats;
  }
  bool IsOutdated() const override { return is_outdated; }
  absl::StatusOr<std::vector<LspDiagnostic>> Diagnostics(
      const DocumentPin& pin, const rpc::CallContext&) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string& uri = pin.uri();
    asked_.push_back(
        absl::StrCat("diagnostics ", uri.substr(uri.rfind('/') + 1)));
    if (!diagnostics_failure.ok()) return diagnostics_failure;
    if (diagnose != nullptr) return diagnose(texts_[uri]);
    return diagnostics;
  }
  const ServerEntry& entry() const override { return entry_; }
  std::string name() const override { return "fake 1.0"; }
  const std::string& fingerprint() const override { return fingerprint_; }
  pid_t pid() const override { return 1; }
  bool is_alive() const override { return is_alive_; }
  absl::Status AddRoot(const std::string&) override { return absl::OkStatus(); }
  absl::Status RemoveRoot(const std::string&) override {
    return absl::OkStatus();
  }
  int64_t in_flight() const override { return 0; }
  void Stop(absl::Duration) override { is_alive_ = false; }
  void OnDeath(std::function<void(const std::string&)>) override {}

  void Die() { is_alive_ = false; }

  // "textDocument/documentSymbol a.py", in order.
  std::vector<std::string> asked() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return asked_;
  }
  int TimesAsked(absl::string_view method) const {
    int times = 0;
    for (const std::string& entry : asked()) {
      times += absl::StartsWith(entry, absl::StrCat(method, " "));
    }
    return times;
  }
  // "textDocument/didOpen a.py"
  std::vector<std::string> told() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return told_;
  }

  // Of what it has open, by URI.
  std::map<std::string, std::string> texts() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return texts_;
  }

  PositionEncoding encoding_value = PositionEncoding::kUtf16;
  std::atomic<ReadinessState> readiness_value = ReadinessState::kReady;
  std::atomic<int> waits = 0;
  std::atomic<bool> is_outdated = false;
  std::optional<std::string> seed;
  std::vector<lsp::v1::Incompleteness> caveats;
  std::vector<LspDiagnostic> diagnostics;
  absl::Status diagnostics_failure;  // Answered instead, unless OK.
  // Answers from the text that the server was given.
  std::function<std::vector<LspDiagnostic>(const std::string& text)> diagnose;

 private:
  static std::string NameOf(const json& params) {
    if (!params.is_object() || !params.contains("textDocument")) return "";
    const std::string uri = params["textDocument"].value("uri", "");
    return uri.substr(uri.rfind('/') + 1);
  }
  void NoteNotification(absl::string_view method, const json& params) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (method == "textDocument/didOpen") {
      texts_[params["textDocument"]["uri"]] = params["textDocument"]["text"];
    } else if (method == "textDocument/didChange") {
      texts_[params["textDocument"]["uri"]] =
          params["contentChanges"].back()["text"];
    } else if (method == "textDocument/didClose") {
      texts_.erase(params["textDocument"]["uri"]);
    }
    if (method == "workspace/didChangeWatchedFiles") {
      for (const json& change : params["changes"]) {
        const std::string uri = change.value("uri", "");
        told_.push_back(
            absl::StrCat(method, " ", uri.substr(uri.rfind('/') + 1)));
      }
      return;
    }
    told_.push_back(absl::StrCat(method, " ", NameOf(params)));
  }

  const ServerEntry entry_;
  const std::string fingerprint_ = "fake 1.0 of a test";
  std::atomic<bool> is_alive_ = true;
  mutable std::mutex mutex_;
  std::map<std::string, Answer> answers_;
  std::vector<std::string> asked_;
  std::vector<std::string> told_;
  std::map<std::string, std::string> texts_;  // By URI.
  OpenDocuments documents_;
};

// Hands out the server of each language; each replacement is a generation.
class FakeServerPool : public ServerPool {
 public:
  // Where Set() puts the server that is started apart from the shared one.
  static std::string OwnOf(const std::string& language) {
    return absl::StrCat(language, " apart");
  }

  void Set(const std::string& language,
           std::shared_ptr<FakeLanguageServer> server) {
    const std::lock_guard<std::mutex> lock(mutex_);
    servers_[language].push_back(std::move(server));
  }

  absl::StatusOr<ServerLease> Acquire(const AcquireRequest& request,
                                      const rpc::CallContext&) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++acquired[request.language];
    auto found = servers_.find(request.project_settings.empty()
                                   ? request.language
                                   : OwnOf(request.language));
    if (found == servers_.end()) {
      return rpc::Error(
          rpc::v1::ERROR_REASON_SERVER_MISSING,
          absl::StrCat("No server for ", request.language, " works here."));
    }
    // The first that lives, else the last.
    auto& generations = found->second;
    size_t i = 0;
    while (i + 1 < generations.size() && !generations[i]->is_alive()) ++i;
    ++held;
    return ServerLease(generations[i], request.root, static_cast<int64_t>(i),
                       [this] { --held; });
  }
  void Detach(absl::string_view) override {}
  int Restart(absl::string_view, absl::string_view) override { return 0; }
  void Retire(const ServerLease& lease) override {
    ++retired;
    static_cast<FakeLanguageServer&>(*lease).Die();
  }
  int CloseRoot(absl::string_view) override { return 0; }
  lsp::v1::GetPoolStatsResponse Stats() const override { return {}; }
  void Sweep() override {}
  void Shutdown() override {}

  std::map<std::string, int> acquired;
  std::atomic<int> held = 0;
  std::atomic<int> retired = 0;

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<std::shared_ptr<FakeLanguageServer>>>
      servers_;
};

inline constexpr char kTestCatalog[] = R"json({"servers": [
  {"id": "fake-python", "language": "python", "isDefault": true,
   "documents": [{"id": "python", "extensions": [".py"]}],
   "command": ["none"], "namesLiteral": true,
   "readiness": {"kind": "READINESS_KIND_IMMEDIATE"}},
  {"id": "fake-go", "language": "go", "isDefault": true,
   "documents": [{"id": "go", "extensions": [".go"]}],
   "command": ["none"], "namesLiteral": true,
   "readiness": {"kind": "READINESS_KIND_IMMEDIATE"}},
  {"id": "fake-shell", "language": "bash", "isDefault": true,
   "documents": [{"id": "shellscript", "extensions": [".sh"]}],
   "command": ["none"], "namesLiteral": true, "opensForSymbols": true,
   "opensForReferences": true,
   "readiness": {"kind": "READINESS_KIND_OPEN_ONLY"}},
  {"id": "fake-macro", "language": "macro", "isDefault": true,
   "documents": [{"id": "macro", "extensions": [".mac"]}],
   "command": ["none"],
   "readiness": {"kind": "READINESS_KIND_IMMEDIATE"}},
  {"id": "fake-quoting", "language": "quoting", "isDefault": true,
   "documents": [{"id": "quoting", "extensions": [".q"]}],
   "command": ["none"], "namesLiteral": true,
   "quirks": ["checks_for_quoted_names"],
   "readiness": {"kind": "READINESS_KIND_IMMEDIATE"}},
  {"id": "fake-cpp", "language": "cpp", "isDefault": true,
   "documents": [{"id": "cpp", "extensions": [".cc", ".h"]}],
   "command": ["none"], "namesLiteral": true,
   "readiness": {"kind": "READINESS_KIND_IMMEDIATE"}},
  {"id": "fake-script", "language": "typescript", "isDefault": true,
   "documents": [{"id": "typescript", "extensions": [".ts"]}],
   "command": ["none"], "namesLiteral": true,
   "quirks": ["imports_are_declarations"],
   "readiness": {"kind": "READINESS_KIND_IMMEDIATE"}},
  {"id": "fake-json", "language": "json", "isDefault": true, "isData": true,
   "documents": [{"id": "json", "extensions": [".json"]}],
   "command": ["none"], "namesLiteral": true,
   "readiness": {"kind": "READINESS_KIND_IMMEDIATE"}}
]})json";

// LSP's DocumentSymbol, on one line, of a name that stands there.
inline json SymbolOf(const std::string& name, int kind, int line, int start,
                     json children = json::array(), int last_line = -1) {
  const int end = start + static_cast<int>(name.size());
  const json selection = {{"start", {{"line", line}, {"character", start}}},
                          {"end", {{"line", line}, {"character", end}}}};
  json range = selection;
  range["start"]["character"] = 0;
  range["end"] = {{"line", last_line < 0 ? line : last_line},
                  {"character", 1000}};
  return {{"name", name},
          {"kind", kind},
          {"range", range},
          {"selectionRange", selection},
          {"children", std::move(children)}};
}

// One symbol for each "def NAME" line of the file that is asked about.
inline FakeLanguageServer::Answer DefinitionsByText(
    const std::string& keyword = "def ", int kind = 12) {
  return [keyword, kind](const json& params) -> absl::StatusOr<json> {
    std::ifstream in(*PathOfFileUri(params["textDocument"].value("uri", "")));
    json symbols = json::array();
    std::string text;
    for (int line = 0; std::getline(in, text); ++line) {
      if (text.rfind(keyword, 0) != 0) continue;
      const size_t start = keyword.size();
      const size_t end = text.find_first_of("(: ", start);
      symbols.push_back(SymbolOf(text.substr(start, end - start), kind, line,
                                 static_cast<int>(start)));
    }
    return symbols;
  };
}

class QueryTest : public ::testing::Test {
 protected:
  QueryTest() : catalog_(*ServerCatalog::Parse(kTestCatalog)) {}

  // Call once the first files are written.
  void OpenRoot(Workspace::Options options = {}) {
    ASSERT_OK_AND_ASSIGN(auto root, RootDirectory::Open(folder_.path(), {}));
    asker_.workspace = std::make_shared<Workspace>(
        std::move(root), folder_.path(), 1, std::move(options));
    asker_.trust_domain = "local";
  }

  std::shared_ptr<FakeLanguageServer> AddServer(const std::string& language) {
    auto server = std::make_shared<FakeLanguageServer>(
        *catalog_.ServersOf(language).front());
    server->On("textDocument/documentSymbol", DefinitionsByText());
    pool_.Set(language, server);
    return server;
  }

  json LocationOf(const std::string& path, int line, int start, int end) {
    return {{"uri", FileUri(folder_.PathOf(path))},
            {"range",
             {{"start", {{"line", line}, {"character", start}}},
              {"end", {{"line", line}, {"character", end}}}}}};
  }

  template <typename Response>
  static std::vector<std::string> Reasons(const Response& response) {
    std::vector<std::string> reasons;
    for (const lsp::v1::Incompleteness& entry : response.incomplete()) {
      std::string name = lsp::v1::IncompleteReason_Name(entry.reason());
      reasons.push_back(absl::StrCat(
          entry.language(), " ",
          absl::AsciiStrToLower(name.substr(sizeof("INCOMPLETE_REASON")))));
    }
    return reasons;
  }

  const TempWorkspace folder_;
  const ServerCatalog catalog_;
  FakeServerPool pool_;
  SymbolCache cache_;
  QueryTools tools_{.pool = pool_, .catalog = catalog_, .cache = cache_};
  Asker asker_;
  rpc::CallContext call_;
};

}  // namespace banyan::lspd

#endif  // TESTS_LSPD_QUERIES_FAKE_SERVERS_H_
