// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_CLIENT_REQUESTS_H_
#define EDGE_MCP_CLIENT_REQUESTS_H_

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "edge/mcp/json_rpc.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// Requests of ours to clients of legacy sessions, waiting for the answers that
// these post. An answer counts only from the session that was asked.
// Thread-safe.
class ClientRequests {
 public:
  // A new id for a request to this session; its answer is kept from here on.
  std::string Begin(const std::string& session_id);

  // Blocks for the answer. Once for each Begin(). Reasons:
  //   CONFLICT   the client answered by an error
  //   DEADLINE   it did not in time
  //   CANCELLED  nobody waits any more
  absl::StatusOr<nlohmann::json> Await(const std::string& session_id,
                                       const std::string& id,
                                       const rpc::CallContext& call);

  // False when nobody asked that here.
  bool Answer(const std::string& session_id, RpcMessage response);

 private:
  using Key = std::pair<std::string, std::string>;  // Session, id.
  struct Pending {
    bool is_answered = false;
    RpcMessage response;
  };

  std::mutex mutex_;
  std::condition_variable answered_;
  // Guarded by mutex_.
  std::map<Key, Pending> pending_;
  uint64_t asked_ = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_CLIENT_REQUESTS_H_
