// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_LSPD_H_
#define LSPD_LSPD_H_

#include <grpcpp/grpcpp.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace banyan::lspd {

// All of lspd but its listener: language servers, files, the stream to
// sessiond. A program gives it a channel and serves its services.
class Lspd {
 public:
  struct Options {
    std::string name;     // Stable across restarts, unique among lspds.
    std::string address;  // Where edges reach it; what MOVED names.
    std::vector<std::string> workspaces_roots;  // Only roots beneath these.
    std::string catalog;                        // Path of server_catalog.json.
    std::string tools_dir;  // Servers of our own; empty: only PATH is searched.
    std::string data_dir;   // Ours alone: private copies, caches.
    std::string guardian_program;  // Empty: beside the running program.
    int64_t memory_budget_bytes = 8LL << 30;
    int max_servers = 64;
    absl::Duration idle_life = absl::Minutes(30);  // Of a language server.
    // A root that nobody asked about for so long is given back.
    absl::Duration root_idle_life = absl::Hours(1);
  };

  // Starts the guardian, clears up what an lspd before us left running, and
  // begins to register. `sessiond` need not be there yet.
  //   kInvalidArgument     the catalogue does not read; the message says where
  //   kFailedPrecondition  no guardian; the message says what is missing
  static absl::StatusOr<std::unique_ptr<Lspd>> Start(
      Options options, std::shared_ptr<grpc::Channel> sessiond,
      prometheus::Registry& metrics);

  virtual ~Lspd() = default;

  // Live as long as this.
  virtual std::vector<grpc::Service*> services() = 0;

  // Registered once and not stopping.
  virtual bool is_ready() const = 0;

  // Ends the stream to sessiond and all servers. The services answer
  // SERVER_DOWN from then on.
  virtual void Stop() = 0;
};

}  // namespace banyan::lspd

#endif  // LSPD_LSPD_H_
