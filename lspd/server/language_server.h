// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_LANGUAGE_SERVER_H_
#define LSPD_SERVER_LANGUAGE_SERVER_H_

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/lsp/v1/completeness.pb.h"
#include "lspd/protocol/lsp_types.h"
#include "lspd/protocol/text_position.h"
#include "lspd/server/open_documents.h"
#include "lspd/server/readiness.h"
#include "lspd/server/server_catalog.h"
#include "nlohmann/json_fwd.hpp"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// One running language server: the only LSP client of its process. It answers
// everything that the server asks by itself; callers ask questions.
//
// Thread-safe; questions of many callers run side by side. After the process
// died every call answers SERVER_DOWN at once, for good: lease a new one.
class LanguageServer {
 public:
  virtual ~LanguageServer() = default;

  // Asks and waits. The answer is LSP's `result`, which may be JSON null.
  // "Content modified" is asked again up to three times within the deadline.
  //   UNSUPPORTED     this server cannot do that; the message names it
  //   SERVER_DOWN     the process ended or is being restarted; a read may be
  //                   asked once again on a new lease
  //   DEADLINE, CANCELLED  the server was told to stop
  // A refusal of the server is UNSUPPORTED with its own message inside
  // (JsonRpcErrorOf() tells which); CONFLICT if it still says "modified".
  virtual absl::StatusOr<nlohmann::json> Request(
      absl::string_view method, const nlohmann::json& params,
      const rpc::CallContext& call) = 0;

  virtual absl::Status Notify(absl::string_view method,
                              const nlohmann::json& params) = 0;

  // Announced at `initialize` or registered since, and never answered with
  // "method not found". Request() checks it, so ask only to choose a way.
  virtual bool Supports(absl::string_view method) const = 0;

  // Of every position in requests and answers.
  virtual PositionEncoding encoding() const = 0;

  virtual OpenDocuments& documents() = 0;

  virtual ReadinessState readiness() const = 0;

  // What it says it is doing, see ServerWork; empty: nothing.
  virtual std::string Work() const { return ""; }

  // Returns at kReady and kUnknown, or with kIndexing when the deadline comes
  // first.
  //   SERVER_DOWN, CANCELLED
  virtual absl::StatusOr<ReadinessState> WaitUntilReady(
      const rpc::CallContext& call) = 0;

  // For servers that know only what is open: whether a question whose answer
  // is known from the text came back right.
  virtual void ReportCanary(bool is_right) = 0;

  // A file (absolute path) that must be open before this server starts to
  // index, while none is. Sync it, then wait.
  virtual std::optional<std::string> SeedFile() const = 0;

  // What this server can never know about this root, whatever it answers:
  // no_compile_database, for example.
  virtual std::vector<lsp::v1::Incompleteness> Caveats() const = 0;

  // Something that it reads only at its start has changed since (clangd's
  // compile database), so that its answers are of another project than the one
  // on disk: ServerPool::Retire() it. Looks at the disk.
  virtual bool IsOutdated() const = 0;

  // The server's diagnostics of this text of the document (`pin` holds it).
  // Pulled where offered; else the last push, waited for until it is of this
  // version, or nothing came for a while from a ready server that answers
  // questions: then there are none. DEADLINE when it does not.
  virtual absl::StatusOr<std::vector<LspDiagnostic>> Diagnostics(
      const DocumentPin& pin, const rpc::CallContext& call) = 0;

  virtual const ServerEntry& entry() const = 0;
  // "pyright 1.1.414": what messages call it.
  virtual std::string name() const = 0;
  // Changes when answers may: program, version, settings. For cache keys.
  virtual const std::string& fingerprint() const = 0;
  virtual pid_t pid() const = 0;
  virtual bool is_alive() const = 0;

  // For the pool, which knows who needs what:

  // Workspace folders, by absolute path. Adding one that is there, or removing
  // one that is not, does nothing. Documents beneath a removed one are closed.
  virtual absl::Status AddRoot(const std::string& root) = 0;
  virtual absl::Status RemoveRoot(const std::string& root) = 0;

  // Questions that are being answered now.
  virtual int64_t in_flight() const = 0;

  // shutdown, exit, then TERM and KILL to its group, each after a part of
  // `limit`. Everything that waits fails with SERVER_DOWN. Blocks until the
  // process is gone.
  virtual void Stop(absl::Duration limit) = 0;

  // Once, as soon as the process ended without Stop(), from a thread of the
  // server; must not block. At once if it has already.
  virtual void OnDeath(
      std::function<void(const std::string& why)> callback) = 0;
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_LANGUAGE_SERVER_H_
