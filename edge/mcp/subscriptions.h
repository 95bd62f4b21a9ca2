// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_SUBSCRIPTIONS_H_
#define EDGE_MCP_SUBSCRIPTIONS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "edge/mcp/http_answer.h"
#include "edge/mcp/json_rpc.h"
#include "edge/mcp/mcp_handler.h"
#include "edge/mcp/server_identity.h"
#include "edge/mcp/standing_streams.h"

namespace banyan::edge {

// Lists whose change clients can be told of.
enum class ListKind { kTools, kPrompts, kResources };

// Who is told of what: modern clients by their subscriptions/listen streams,
// legacy sessions by their GET streams. Thread-safe.
class Subscriptions {
 public:
  // `standing` outlives this.
  Subscriptions(StandingStreams& standing, ServerIdentity identity);
  ~Subscriptions();

  // What of an asked filter this server can honour.
  struct Honoured {
    bool lists_change = false;
    bool resources = true;
  };

  // subscriptions/listen: acknowledges and keeps the stream open. nullopt: the
  // answer is `events`; else why not.
  std::optional<RpcError> Listen(const RpcMessage& request,
                                 const Honoured& honoured,
                                 const std::shared_ptr<EventSink>& events);

  void ListChanged(ListKind list);
  void ResourceUpdated(const std::string& uri);

  // Every resource that somebody here subscribed to.
  std::set<std::string> SubscribedUris() const;

  // Ends every stream as its era asks: listen streams by their response.
  void EndAll();

 private:
  struct State;

  const ServerIdentity identity_;
  StandingStreams& standing_;
  const std::shared_ptr<State> state_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_SUBSCRIPTIONS_H_
