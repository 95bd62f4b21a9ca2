// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "proto/rpc/status_convert.h"
#include "proto/rpc/status_macros.h"
#include "proto/rpc/unix_socket.h"

namespace banyan::rpc {
namespace {

constexpr char kHealthCheck[] = "/grpc.health.v1.Health/Check";
// HealthCheckResponse{status: SERVING} on the wire.
constexpr char kServing[] = "\x08\x01";

// Calls go in turn to every address of a name or a list that says it is
// SERVING.
constexpr char kBalanced[] =
    R"({"loadBalancingConfig": [{"round_robin": {}}],
        "healthCheckConfig": {"serviceName": ""}})";

// Both are process-wide switches of gRPC that must be set before the first
// server is built.
void EnablePlugins() {
  static const bool kIsEnabled = [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    return true;
  }();
  static_cast<void>(kIsEnabled);
}

}  // namespace

GrpcServer::GrpcServer(Options options) : options_(std::move(options)) {}

GrpcServer::~GrpcServer() {
  if (server_ != nullptr) Drain(absl::ZeroDuration());
}

absl::Status GrpcServer::Start(const std::vector<grpc::Service*>& services) {
  RETURN_IF_ERROR(CheckPeerTls(options_.tls));
  if (!options_.listen.empty() && !options_.allow_insecure &&
      !options_.tls.is_on() && !IsLoopbackAddress(options_.listen)) {
    return absl::FailedPreconditionError(
        absl::StrCat("refusing to serve plaintext gRPC on ", options_.listen,
                     ", which is not loopback; pass --peer_cert_file, "
                     "--peer_key_file and --peer_ca_file, or --allow_insecure "
                     "to do it all the same"));
  }
  EnablePlugins();
  grpc::ServerBuilder builder;
  grpc::ResourceQuota quota("banyan");
  quota.SetMaxThreads(options_.max_threads);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(options_.max_message_bytes);
  builder.SetMaxSendMessageSize(options_.max_message_bytes);
  // Two servers on one port would each get half of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  if (!options_.listen.empty()) {
    builder.AddListeningPort(options_.listen,
                             PeerServerCredentials(options_.tls), &port_);
  }
  for (grpc::Service* service : services) builder.RegisterService(service);
  const absl::Status is_free = PrepareSocket(options_.listen);
  if (!is_free.ok()) return is_free;
  {
    const OwnerOnlyFiles owner_only;
    server_ = builder.BuildAndStart();
  }
  if (server_ == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", options_.listen,
                     "; is another program using the port?"));
  }
  SetServing(true);
  return absl::OkStatus();
}

std::shared_ptr<grpc::Channel> GrpcServer::InProcessChannel() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options_.max_message_bytes);
  arguments.SetMaxSendMessageSize(options_.max_message_bytes);
  return server_->InProcessChannel(arguments);
}

void GrpcServer::SetServing(bool is_serving) {
  if (auto* health = server_->GetHealthCheckService()) {
    health->SetServingStatus(is_serving);
  }
}

void GrpcServer::Drain(absl::Duration limit) {
  if (server_ == nullptr) return;
  SetServing(false);
  server_->Shutdown(absl::ToChronoTime(absl::Now() + limit));
  server_->Wait();
  server_.reset();
}

std::shared_ptr<grpc::Channel> NewChannel(const std::string& address,
                                          const PeerTls& tls) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(64 << 20);
  arguments.SetMaxSendMessageSize(64 << 20);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
  if (absl::StartsWith(address, "dns:") || absl::StartsWith(address, "ipv4:") ||
      absl::StartsWith(address, "ipv6:")) {
    arguments.SetServiceConfigJSON(kBalanced);
  }
  return grpc::CreateCustomChannel(address, PeerChannelCredentials(tls),
                                   arguments);
}

absl::Status CheckHealth(const std::string& address, absl::Duration limit,
                         const PeerTls& tls) {
  grpc::GenericStub stub(NewChannel(address, tls));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + limit));
  grpc::CompletionQueue queue;
  const grpc::ByteBuffer request(nullptr, 0);
  const auto call =
      stub.PrepareUnaryCall(&context, kHealthCheck, request, &queue);
  call->StartCall();
  grpc::ByteBuffer response;
  grpc::Status status;
  call->Finish(&response, &status, &queue);
  void* tag = nullptr;
  bool is_ok = false;
  queue.Next(&tag, &is_ok);
  if (!status.ok()) return FromGrpc(status);
  std::vector<grpc::Slice> slices;
  response.Dump(&slices);
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  if (bytes != kServing) return absl::UnavailableError("not serving");
  return absl::OkStatus();
}

bool IsLoopbackAddress(const std::string& address) {
  return absl::StartsWith(address, "127.") ||
         absl::StartsWith(address, "localhost:") ||
         absl::StartsWith(address, "[::1]:") ||
         absl::StartsWith(address, "unix:");
}

}  // namespace banyan::rpc
