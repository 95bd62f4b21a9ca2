// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_SERVER_DIALOGUE_H_
#define LSPD_SERVER_SERVER_DIALOGUE_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/server/diagnostics_store.h"
#include "lspd/server/open_documents.h"
#include "lspd/server/readiness.h"
#include "lspd/server/server_capabilities.h"
#include "lspd/server/server_catalog.h"
#include "lspd/server/server_work.h"
#include "nlohmann/json_fwd.hpp"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// The part of the conversation that the server leads: answers what it asks
// ("client" and "workspace" requests of LSP), and remembers what it says about
// itself, its work and its findings.
//
// Answer() and Hear() never block. Thread-safe.
class ServerDialogue {
 public:
  // `settings` gives the row's settings for a root. `documents` gets the file
  // watchers that the server registers; it outlives this.
  ServerDialogue(
      const ServerEntry& entry, std::vector<std::string> roots,
      std::function<nlohmann::json(const std::string& root)> settings,
      OpenDocuments& documents);
  ~ServerDialogue();

  // A request of the server: kUnimplemented for methods we do not know.
  absl::StatusOr<nlohmann::json> Answer(const std::string& method,
                                        const nlohmann::json& params);

  // A notification of the server.
  void Hear(const std::string& method, const nlohmann::json& params);

  // The result of `initialize`; readiness is awaited from now on.
  void OnInitialized(const nlohmann::json& result);

  // Until the server has been told its configuration, for at most `longest`;
  // many servers never ask.
  void WaitForConfiguration(absl::Duration longest) const;

  // False: nothing changed.
  bool AddRoot(const std::string& root);
  bool RemoveRoot(const std::string& root);
  std::vector<std::string> roots() const;
  bool TakesFolderChanges() const;

  bool Supports(absl::string_view method) const;
  PositionEncoding encoding() const;

  void OnDocumentOpened();
  void OnTextSent(absl::string_view uri, int version);
  void OnTextClosed(absl::string_view uri);
  void OnCanary(bool is_right);

  ReadinessState readiness() const;
  bool WaitsForDocument() const;
  std::string Work() const;

  // At kReady, kUnknown, or the deadline; at once while the server waits for a
  // document. The status of End() once that was called; CANCELLED.
  absl::StatusOr<ReadinessState> WaitUntilReady(
      const rpc::CallContext& call) const;

  // What was pushed for the text sent last. Nothing, when the server kept silent
  // for `longest` although it is ready: perhaps it has nothing to say (some push
  // nothing for a file in which nothing is wrong), perhaps it hangs.
  //   DEADLINE  it is not ready either, or the call has no more time
  //   CANCELLED, or the status of End()
  absl::StatusOr<std::optional<std::vector<LspDiagnostic>>> WaitForDiagnostics(
      absl::string_view uri, absl::Duration longest,
      const rpc::CallContext& call) const;

  // The server is gone: whoever waits here gets `reason`.
  void End(const absl::Status& reason);

 private:
  nlohmann::json AnswerConfiguration(const nlohmann::json& params);
  void Register(const nlohmann::json& params);
  void Unregister(const nlohmann::json& params);
  void HearProgress(const nlohmann::json& params);
  std::string RootOfLocked(absl::string_view scope_uri) const;
  void WaitLocked(std::unique_lock<std::mutex>& lock, absl::Time until) const;

  const ServerEntry& entry_;
  const std::function<nlohmann::json(const std::string& root)> settings_;
  OpenDocuments& documents_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  // All guarded by mutex_.
  std::vector<std::string> roots_;
  ServerCapabilities capabilities_;
  Readiness readiness_;
  ServerWork work_;
  DiagnosticsStore diagnostics_;
  bool has_configuration_ = false;
  absl::Status end_;
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_SERVER_DIALOGUE_H_
