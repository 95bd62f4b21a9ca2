// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_RUNNING_SERVER_H_
#define LSPD_SERVER_RUNNING_SERVER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lspd/server/broken_methods.h"
#include "lspd/server/compile_database.h"
#include "lspd/server/language_server_process.h"
#include "lspd/server/server_dialogue.h"
#include "lspd/server/silence_watch.h"
#include "lspd/server/vital_children.h"
#include "lspd/transport/json_rpc_peer.h"
#include "nlohmann/json_fwd.hpp"

namespace banyan::lspd {

// The language server behind StartLanguageServer(): a process, the peer that
// talks to it, its documents, and what it says by itself.
class RunningServer : public LanguageServer {
 public:
  explicit RunningServer(LaunchRequest request);
  ~RunningServer() override;

  absl::Status Start(Guardian& guardian);

  absl::StatusOr<nlohmann::json> Request(absl::string_view method,
                                         const nlohmann::json& params,
                                         const rpc::CallContext& call) override;
  absl::Status Notify(absl::string_view method,
                      const nlohmann::json& params) override {
    return peer_->Notify(method, params);
  }
  bool Supports(absl::string_view method) const override;
  PositionEncoding encoding() const override { return dialogue_.encoding(); }
  OpenDocuments& documents() override { return documents_; }
  ReadinessState readiness() const override { return dialogue_.readiness(); }
  std::string Work() const override { return dialogue_.Work(); }
  absl::StatusOr<ReadinessState> WaitUntilReady(
      const rpc::CallContext& call) override;
  void ReportCanary(bool is_right) override { dialogue_.OnCanary(is_right); }
  std::optional<std::string> SeedFile() const override;
  std::vector<lsp::v1::Incompleteness> Caveats() const override;
  bool IsOutdated() const override;
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
  nlohmann::json SettingsOf(const std::string& root) const;
  JsonRpcPeer::Handlers Handlers();
  absl::Status Initialize();
  absl::Status Unsupported(absl::string_view method) const;
  absl::StatusOr<nlohmann::json> Ask(absl::string_view method,
                                     const nlohmann::json& params,
                                     const rpc::CallContext& call);
  absl::StatusOr<std::vector<LspDiagnostic>> Pushed(
      const DocumentPin& pin, const rpc::CallContext& call);
  // True: the process is broken.
  bool NoteAnswer(absl::string_view method, const absl::Status& answer);
  void Strike();
  void Fail(const std::string& why);

  const LaunchRequest request_;
  const ServerEntry& entry_;
  std::string fingerprint_;  // Written before the start is done.
  OpenDocuments documents_;
  ServerDialogue dialogue_;
  pid_t pid_ = -1;
  std::atomic<int64_t> in_flight_ = 0;

  mutable std::mutex mutex_;
  // All guarded by mutex_.
  // Announced, and yet answered with "method not found": announcements hold for
  // families of methods, not for each.
  std::set<std::string> unknown_methods_;
  VitalChildren vital_children_;
  BrokenMethods broken_methods_;
  SilenceWatch silence_;
  bool is_stopping_ = false;
  std::optional<std::string> death_;
  std::function<void(const std::string&)> on_death_;

  // Reading a database may take seconds, in which nothing else need wait.
  mutable std::mutex database_mutex_;
  // Guarded by database_mutex_. What the server was started with.
  mutable CompileDatabase compile_database_;

  // The last member: its threads use all the others.
  std::unique_ptr<JsonRpcPeer> peer_;
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_RUNNING_SERVER_H_
