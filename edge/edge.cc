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
#include "edge/auth/authenticator.h"
#include "edge/auth/jwt_authenticator.h"
#include "edge/auth/peer_uid.h"
#include "edge/auth/socket_address.h"
#include "edge/auth/token_authenticator.h"
#include "edge/clients/edge_keys.h"
#include "edge/clients/grpc_lsp_client.h"
#include "edge/clients/grpc_session_client.h"
#include "edge/clients/overview.h"
#include "edge/clients/session_watch.h"
#include "edge/http/admin_server.h"
#include "edge/http/http_metrics.h"
#include "edge/http/key_set_source.h"
#include "edge/http/mcp_endpoint.h"
#include "edge/http/tls_context.h"
#include "edge/mcp/conformance_fixtures.h"
#include "edge/mcp/dispatcher.h"
#include "edge/mcp/operation_metrics.h"
#include "edge/mcp/project_prompts.h"
#include "edge/mcp/prompts.h"
#include "edge/mcp/resources.h"
#include "edge/mcp/server_identity.h"
#include "edge/mcp/session_event_ring.h"
#include "edge/mcp/standing_streams.h"
#include "edge/mcp/subscriptions.h"
#include "edge/mcp/workspace_resources.h"
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

// Who is told what without having asked.
struct Streams {
  Streams(std::shared_ptr<grpc::Channel> sessiond, SessionClient& sessions)
      : watch(NewGrpcSessionWatch(std::move(sessiond))),
        ring(NewSessionEventRing(
            sessions,
            {.on_follow = [this](const auto& id) { watch->Follow(id); },
             .on_unfollow = [this](const auto& id) { watch->Unfollow(id); }})),
        standing(*ring),
        subscriptions(standing, ServerIdentity()) {
    watch->Start(
        {.on_growth =
             [this](const auto& session, const auto& stream, int64_t newest) {
               ring->Grew(session, stream, newest);
             },
         .on_session_end =
             [this](const auto& session) {
               standing.EndSessionByHash(session);
             },
         .on_followed =
             [this](const auto& session) { ring->MayHaveGrown(session); },
         .on_synced = [this] { ring->MayHaveGrown(); }});
  }
  ~Streams() { watch->Stop(); }

  const std::unique_ptr<SessionWatch> watch;
  const std::unique_ptr<SessionEventRing> ring;
  StandingStreams standing;
  Subscriptions subscriptions;
};

// What clients can ask for.
struct Offer {
  ToolRegistry tools;
  Resources resources;
  Prompts prompts;
  bool lists_change = false;
};

template <typename Part>
void Append(std::vector<std::unique_ptr<Part>> more,
            std::vector<std::unique_ptr<Part>>& list) {
  for (auto& one : more) list.push_back(std::move(one));
}

absl::StatusOr<Offer> OfferOf(const Edge::Options& options, Clients& clients,
                              Streams& streams) {
  auto tools =
      AllTools({*clients.sessions, *clients.lsp}, ServerIdentity().version);
  std::vector<std::unique_ptr<ResourceSource>> resources;
  ASSIGN_OR_RETURN(resources.emplace_back(),
                   NewWorkspaceResources({*clients.sessions, *clients.lsp},
                                         ServerIdentity().version));
  auto prompts = ProjectPrompts(*clients.sessions);
  if (options.conformance_fixtures) {
    ASSIGN_OR_RETURN(const SocketAddress address,
                     SocketAddress::Parse(options.listen));
    if (!address.IsLoopback()) {
      return absl::FailedPreconditionError(
          "--conformance_fixtures is for tests, on 127.0.0.1 only");
    }
    Append(ConformanceTools(streams.subscriptions), tools);
    resources.push_back(NewConformanceResources());
    Append(ConformancePrompts(), prompts);
  }
  ASSIGN_OR_RETURN(ToolRegistry registry,
                   ToolRegistry::Create(std::move(tools)));
  return Offer{.tools = std::move(registry),
               .resources = Resources(std::move(resources)),
               .prompts = Prompts(std::move(prompts)),
               .lists_change = options.conformance_fixtures};
}

absl::StatusOr<std::unique_ptr<Authenticator>> AuthenticatorOf(
    const Edge::Options& options) {
  const bool has_issuer = !options.jwt_issuer.empty();
  if (has_issuer && !options.tokens_file.empty()) {
    return absl::InvalidArgumentError(
        "--tokens_file and --jwt_issuer exclude each other");
  }
  if (!options.tokens_file.empty()) {
    return NewTokenAuthenticator({.path = options.tokens_file});
  }
  if (!has_issuer) return NewPeerUidAuthenticator(getuid());
  JwtAuthenticatorOptions jwt;
  jwt.issuer = options.jwt_issuer;
  jwt.audience = options.jwt_audience;
  ASSIGN_OR_RETURN(jwt.read_keys, NewKeySetSource(options.jwt_keys));
  return NewJwtAuthenticator(std::move(jwt));
}

class AssembledEdge : public Edge {
 public:
  AssembledEdge(std::unique_ptr<Clients> clients,
                std::unique_ptr<Streams> streams, Offer offer,
                std::unique_ptr<Authenticator> authenticator,
                prometheus::Registry& metrics)
      : clients_(std::move(clients)),
        streams_(std::move(streams)),
        offer_(std::move(offer)),
        operations_(metrics, NamesOf(offer_.tools)),
        http_metrics_(metrics),
        authenticator_(std::move(authenticator)),
        dispatcher_({.sessions = *clients_->sessions,
                     .tools = offer_.tools,
                     .resources = offer_.resources,
                     .prompts = offer_.prompts,
                     .keys = clients_->keys,
                     .ring = *streams_->ring,
                     .standing = streams_->standing,
                     .subscriptions = streams_->subscriptions,
                     .metrics = &operations_},
                    {.lists_change = offer_.lists_change}),
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
    mcp.max_requests_per_second = options.max_requests_per_second;
    if (!options.tls_certificate.empty()) {
      ASSIGN_OR_RETURN(mcp.server.tls, TlsContext::Load(options.tls_certificate,
                                                        options.tls_key));
    }
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
    dispatcher_.Drain();
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
  const std::unique_ptr<Streams> streams_;
  const Offer offer_;
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
  const std::shared_ptr<grpc::Channel> sessiond = daemons.sessiond;
  auto clients = std::make_unique<Clients>(std::move(daemons), metrics);
  auto streams = std::make_unique<Streams>(sessiond, *clients->sessions);
  ASSIGN_OR_RETURN(Offer offer, OfferOf(options, *clients, *streams));
  ASSIGN_OR_RETURN(auto authenticator, AuthenticatorOf(options));
  auto edge = std::make_unique<AssembledEdge>(
      std::move(clients), std::move(streams), std::move(offer),
      std::move(authenticator), metrics);
  RETURN_IF_ERROR(edge->Listen(options));
  return edge;
}

}  // namespace banyan::edge
