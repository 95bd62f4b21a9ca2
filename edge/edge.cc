// SPDX-License-Identifier: Apache-2.0
#include "edge/edge.h"

#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "edge/auth/peer_uid.h"
#include "edge/clients/edge_keys.h"
#include "edge/clients/grpc_lsp_client.h"
#include "edge/clients/grpc_session_client.h"
#include "edge/clients/overview.h"
#include "edge/http/admin_server.h"
#include "edge/http/http_metrics.h"
#include "edge/http/mcp_endpoint.h"
#include "edge/mcp/dispatcher.h"
#include "edge/mcp/operation_metrics.h"
#include "edge/mcp/server_identity.h"
#include "edge/tools/all_tools.h"
#include "edge/tools/tool_registry.h"
#include "proto/rpc/call_metrics.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

std::vector<LspEndpoint> EndpointsOf(Edge::Daemons& daemons) {
  std::vector<LspEndpoint> endpoints;
  for (auto& [address, channel] : daemons.lspds) {
    endpoints.push_back({std::move(address), std::move(channel)});
  }
  return endpoints;
}

std::vector<std::string> NamesOf(const ToolRegistry& tools) {
  std::vector<std::string> names;
  for (const ToolRegistry::Entry& entry : tools.entries()) {
    names.push_back(entry.tool->name());
  }
  return names;
}

// The admin pages, from the daemons.
class OverviewSource final : public AdminSource {
 public:
  explicit OverviewSource(const Overview& overview) : overview_(overview) {}

  absl::StatusOr<std::string> SessionOverviewJson(
      const session::v1::Principal& caller,
      const rpc::CallContext& context) override {
    return overview_.SessionsJson(caller, context);
  }
  absl::StatusOr<std::string> LspPoolStatsJson(
      const session::v1::Principal& caller,
      const rpc::CallContext& context) override {
    return overview_.PoolJson(caller, context);
  }

 private:
  const Overview& overview_;
};

// What the listeners need, from the channels up.
struct Clients {
  Clients(Edge::Daemons daemons, prometheus::Registry& metrics)
      : calls(metrics),
        sessions(NewGrpcSessionClient(
            daemons.sessiond,
            {.is_in_process = daemons.are_in_process, .metrics = &calls})),
        lsp(NewGrpcLspClient(
            EndpointsOf(daemons),
            {.is_in_process = daemons.are_in_process, .metrics = &calls})),
        keys(*sessions),
        overview(*sessions, *lsp) {}

  rpc::CallMetrics calls;
  const std::unique_ptr<SessionClient> sessions;
  const std::unique_ptr<LspClient> lsp;
  EdgeKeys keys;
  const Overview overview;
};

class AssembledEdge : public Edge {
 public:
  AssembledEdge(std::unique_ptr<Clients> clients, ToolRegistry tools,
                prometheus::Registry& metrics)
      : clients_(std::move(clients)),
        tools_(std::move(tools)),
        operations_(metrics, NamesOf(tools_)),
        http_metrics_(metrics),
        authenticator_(NewPeerUidAuthenticator(getuid())),
        dispatcher_(*clients_->sessions, tools_, clients_->keys, &operations_,
                    {}),
        admin_source_(clients_->overview),
        first_contact_([this] { AwaitFirstContact(); }) {}

  ~AssembledEdge() override {
    Stop(absl::ZeroDuration());
    first_contact_.join();
  }

  absl::Status Listen(const Options& options) {
    McpEndpoint::Options mcp;
    mcp.server.listen = options.listen;
    mcp.guard = GuardOf(options);
    ASSIGN_OR_RETURN(mcp_, McpEndpoint::Start(std::move(mcp), *authenticator_,
                                              dispatcher_, http_metrics_));
    AdminServer::Options admin;
    admin.server.listen = options.admin_listen;
    admin.guard = GuardOf(options);
    ASSIGN_OR_RETURN(admin_,
                     AdminServer::Start(std::move(admin), *authenticator_,
                                        admin_source_, http_metrics_));
    return absl::OkStatus();
  }

  bool is_ready() const override { return is_synced_ && !is_stopping_; }

  void Stop(absl::Duration limit) override {
    is_stopping_ = true;
    if (mcp_ != nullptr) mcp_->Stop(limit);
    if (admin_ != nullptr) admin_->Stop(absl::ZeroDuration());
  }

 private:
  static RequestGuard::Options GuardOf(const Options& options) {
    RequestGuard::Options guard;
    guard.allowed_hosts = options.allowed_hosts;
    guard.allowed_origins = options.allowed_origins;
    guard.trusted_proxies = options.trusted_proxies;
    return guard;
  }

  // The client itself waits for a daemon that is not there, so this loop turns
  // slowly.
  void AwaitFirstContact() {
    rpc::CallContext call;
    call.is_cancelled = [this] { return is_stopping_.load(); };
    while (!is_stopping_) {
      call.deadline = absl::Now() + absl::Seconds(10);
      if (clients_->keys.Newest(call).ok()) {
        is_synced_ = true;
        return;
      }
    }
  }

  const std::unique_ptr<Clients> clients_;
  const ToolRegistry tools_;
  OperationMetrics operations_;
  HttpMetrics http_metrics_;
  const std::unique_ptr<Authenticator> authenticator_;
  Dispatcher dispatcher_;
  OverviewSource admin_source_;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> is_synced_ = false;
  std::unique_ptr<McpEndpoint> mcp_;
  std::unique_ptr<AdminServer> admin_;
  std::thread first_contact_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Edge>> Edge::Start(
    Options options, Daemons daemons, prometheus::Registry& metrics) {
  RETURN_IF_ERROR(CheckAllowedOrigins(options.allowed_origins));
  auto clients = std::make_unique<Clients>(std::move(daemons), metrics);
  ASSIGN_OR_RETURN(ToolRegistry tools, ToolRegistry::Create(AllTools(
                                           {*clients->sessions, *clients->lsp},
                                           ServerIdentity().version)));
  auto edge = std::make_unique<AssembledEdge>(std::move(clients),
                                              std::move(tools), metrics);
  RETURN_IF_ERROR(edge->Listen(options));
  return edge;
}

}  // namespace banyan::edge
