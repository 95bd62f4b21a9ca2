// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_CLIENTS_OVERVIEW_H_
#define EDGE_CLIENTS_OVERVIEW_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "banyan/session/v1/session_service.pb.h"
#include "edge/clients/lsp_client.h"
#include "edge/clients/session_client.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// What runs and who is connected, in the JSON of the admin pages. Ids are
// public ones, times RFC 3339. Thread-safe.
class Overview {
 public:
  // Both outlive this.
  Overview(SessionClient& sessions, LspClient& lsp)
      : sessions_(sessions), lsp_(lsp) {}

  // {"active_sessions": […], "total_sessions": n, "handles_of_ended_sessions":
  // […]}: one entry per legacy session and per modern handle; apart from them
  // what ended sessions left behind. An operator sees all, others their own.
  // Errors of ListSessions.
  absl::StatusOr<std::string> SessionsJson(const session::v1::Principal& caller,
                                           const rpc::CallContext& call) const;

  // {"active_lsps": […], "total_memory_usage_mb": n, "unreachable_lspds": […]}.
  // Errors of AuthorizeOperator; DAEMON_UNREACHABLE when no lspd answers.
  absl::StatusOr<std::string> PoolJson(const session::v1::Principal& caller,
                                       const rpc::CallContext& call) const;

 private:
  absl::StatusOr<PoolStats> AskPools(const session::v1::Principal& caller,
                                     const rpc::CallContext& call) const;

  SessionClient& sessions_;
  LspClient& lsp_;
};

}  // namespace banyan::edge

#endif  // EDGE_CLIENTS_OVERVIEW_H_
