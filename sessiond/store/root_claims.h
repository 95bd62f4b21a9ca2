// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_ROOT_CLAIMS_H_
#define SESSIOND_STORE_ROOT_CLAIMS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace banyan::sessiond {

// Which lspd has which root, where several session daemons give leases: each
// asks here before it does. A claim that is not renewed lapses: its session
// daemon and its lspd have died together. It is in the keeping of the daemon
// that took it last, where its lspd is: another that still believes to have
// that lspd neither renews nor drops it.
//
// One for each session daemon. Thread-safe. Calls can fail with
// STORE_UNREACHABLE.
class RootClaims {
 public:
  static constexpr absl::Duration kLife = absl::Seconds(90);

  struct Claim {
    bool is_ours = false;
    std::string address;  // Of whoever has it.
    int64_t epoch = 0;    // Rises with every change of hands, over all roots.
  };

  virtual ~RootClaims() = default;

  // Takes it unless another lspd has it, and into our keeping. A new epoch is
  // above `highest_epoch`.
  virtual absl::StatusOr<Claim> Take(const std::string& root,
                                     const std::string& address,
                                     int64_t highest_epoch) = 0;

  // Keeps what we took; with its epoch again where it was lost and nobody has
  // taken it since. Not ours when it is in another daemon's keeping.
  virtual absl::StatusOr<Claim> Renew(const std::string& root,
                                      const std::string& address,
                                      int64_t epoch) = 0;

  // Nothing happens unless `address` has it, in our keeping. Best effort: it
  // lapses.
  virtual void Drop(const std::string& root, const std::string& address) = 0;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_ROOT_CLAIMS_H_
