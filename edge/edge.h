// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_EDGE_H_
#define EDGE_EDGE_H_

#include <grpcpp/channel.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace banyan::edge {

// HTTP in, MCP understood, gRPC out: everything of an edge but its flags and
// its metrics page. Keeps nothing that another edge could not rebuild.
class Edge {
 public:
  struct Options {
    std::string listen = "127.0.0.1:8420";        // MCP.
    std::string admin_listen = "127.0.0.1:8421";  // Overview and statistics.
    std::vector<std::string> allowed_hosts;       // Beside loopback names.
    std::vector<std::string> allowed_origins;
    std::vector<std::string> trusted_proxies;
    double max_requests_per_second = 0;  // Of one principal; 0: no limit.

    // Who is let in: the process's own user on loopback, unless one of these
    // is set.
    std::string tokens_file;   // Made by `banyan token`.
    std::string jwt_issuer;    // Then the two others are needed too.
    std::string jwt_audience;  // The URL that clients use.
    std::string jwt_keys;      // The issuer's key set: a file or a URL.

    // PEM files; empty: plain HTTP. Of the MCP listener.
    std::string tls_certificate;
    std::string tls_key;

    bool conformance_fixtures = false;  // On loopback only.
  };

  struct Daemons {
    std::shared_ptr<grpc::Channel> sessiond;
    // Address, as a MOVED answer names it, and channel. At least one.
    std::vector<std::pair<std::string, std::shared_ptr<grpc::Channel>>> lspds;
    bool are_in_process = false;
  };

  // Serves at once; the daemons need not be there yet. `metrics` must outlive
  // the result. Codes:
  //   kUnavailable         a port is in use, a file cannot be read
  //   kInvalidArgument     a file or a flag is not what it should be
  //   kFailedPrecondition  not loopback without authentication; the message
  //                        names the flag; or fixtures not on loopback
  static absl::StatusOr<std::unique_ptr<Edge>> Start(
      Options options, Daemons daemons, prometheus::Registry& metrics);

  virtual ~Edge() = default;

  // sessiond answered once, and nobody has called Stop().
  virtual bool is_ready() const = 0;

  // Takes no more requests; those that run have `limit`.
  virtual void Stop(absl::Duration limit) = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_EDGE_H_
