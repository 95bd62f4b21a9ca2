// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_GRPC_SERVER_H_
#define PROTO_RPC_GRPC_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "proto/rpc/peer_tls.h"

namespace banyan::rpc {

// A gRPC server with health (grpc.health.v1), reflection and our limits.
//
// The services must outlive it. Start, Drain and SetServing from one thread.
class GrpcServer {
 public:
  struct Options {
    std::string listen;  // host:port (port 0 = any), unix:PATH (its owner's
                         // alone); empty = in-process only.
    bool allow_insecure =
        false;    // Else plaintext only on loopback and Unix sockets.
    PeerTls tls;  // Off: plaintext.
    int max_message_bytes = 64 << 20;  // Both ways.
    int max_threads =
        512;  // Of the synchronous API; past it calls are refused as exhausted.
  };

  explicit GrpcServer(Options options);
  ~GrpcServer();

  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // Codes:
  //   kFailedPrecondition  the address is not loopback and nothing allows that;
  //                        the message names the flags
  //   kUnavailable         the address is in use
  //   those of CheckPeerTls
  absl::Status Start(const std::vector<grpc::Service*>& services);

  // The same services without a port, for programs that link both ends.
  std::shared_ptr<grpc::Channel> InProcessChannel();

  // Of the listener, once started; 0 without one.
  int port() const { return port_; }

  // What the health service answers; SERVING after Start.
  void SetServing(bool is_serving);

  // NOT_SERVING, then no new calls, then the running ones have `limit`.
  void Drain(absl::Duration limit);

 private:
  Options options_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

// A channel with our keep-alive, message limits and reconnect back-off
// (50 to 500 ms, so that a restarted daemon is found within a second). A
// "dns:///NAME:PORT" or "ipv4:HOST:PORT,HOST:PORT" is every healthy daemon
// behind the name or in the list, in turn.
std::shared_ptr<grpc::Channel> NewChannel(const std::string& address,
                                          const PeerTls& tls = {});

// Asks the health service; OK only when it says SERVING.
absl::Status CheckHealth(const std::string& address, absl::Duration limit,
                         const PeerTls& tls = {});

// "127.0.0.1:1", "[::1]:1", "localhost:1" and Unix sockets.
bool IsLoopbackAddress(const std::string& address);

}  // namespace banyan::rpc

#endif  // PROTO_RPC_GRPC_SERVER_H_
