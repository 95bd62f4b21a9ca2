// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_REDIS_ROOT_CLAIMS_H_
#define SESSIOND_STORE_REDIS_ROOT_CLAIMS_H_

#include <string>
#include <utility>

#include "sessiond/store/redis_connections.h"
#include "sessiond/store/root_claims.h"

namespace banyan::sessiond {

// See redis_store.h. `connections` outlives it.
class RedisRootClaims : public RootClaims {
 public:
  RedisRootClaims(RedisConnections& connections, std::string prefix)
      : connections_(connections), prefix_(std::move(prefix)) {}

  absl::StatusOr<Claim> Take(const std::string& root,
                             const std::string& address,
                             int64_t highest_epoch) override;
  void Drop(const std::string& root, const std::string& address) override;

 private:
  RedisConnections& connections_;
  const std::string prefix_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_REDIS_ROOT_CLAIMS_H_
