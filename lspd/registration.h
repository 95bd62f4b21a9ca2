// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_REGISTRATION_H_
#define LSPD_REGISTRATION_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "lspd/workspace/grant_verifier.h"
#include "lspd/workspace/root_leases.h"

namespace banyan::lspd {

// The stream to sessiond: keys, clock and revocations go into the verifier,
// leases are asked for. A lost stream is opened again until Stop(), with the
// roots that were held.
//
// Thread-safe. Has two threads of its own.
class Registration : public RootLeases {
 public:
  struct Options {
    std::string name;     // Stable across restarts, unique among lspds.
    std::string address;  // Where edges reach us.
    absl::Duration ping_interval = absl::Seconds(1);
    absl::Duration shortest_pause = absl::Milliseconds(
        50);  // Between two attempts; doubles up to the longest.
    absl::Duration longest_pause = absl::Milliseconds(500);
  };

  // `verifier` must outlive the result.
  static std::unique_ptr<Registration> Start(
      std::shared_ptr<grpc::Channel> sessiond, GrantVerifier& verifier,
      Options options);

  // Welcomed, and the stream stands.
  virtual bool is_connected() const = 0;

  // Waits for the first welcome; false when `limit` comes first.
  virtual bool WaitUntilConnected(absl::Duration limit) = 0;

  // Ends the stream; nothing is acquired any more. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace banyan::lspd

#endif  // LSPD_REGISTRATION_H_
