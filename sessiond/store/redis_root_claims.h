// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_REDIS_ROOT_CLAIMS_H_
#define SESSIOND_STORE_REDIS_ROOT_CLAIMS_H_

#include <string>
#include <utility>

#include "sessiond/store/record_id.h"
#include "sessiond/store/redis_connections.h"
#include "sessiond/store/root_claims.h"

namespace banyan::sessiond {

// See redis_store.h. `connections` outlives it.
class RedisRootClaims : public RootClaims {
 public:
  RedisRootClaims(RedisConnections& connections, std::string prefix)
      : connections_(connections),
        prefix_(std::move(prefix)),
        keeper_(NewSessionId()) {}

  absl::StatusOr<Claim> Take(const std::string& root,
                             const std::string& address,
                             int64_t highest_epoch) override;
  absl::StatusOr<Claim> Renew(const std::string& root,
                              const std::string& address,
                              int64_t epoch) override;
  void Drop(const std::string& root, const std::string& address) override;

 private:
  absl::StatusOr<Claim> Ask(const RedisScript& script, const std::string& root,
                            const std::string& address, int64_t epoch);

  RedisConnections& connections_;
  const std::string prefix_;
  const std::string keeper_;  // Us, among the session daemons of this Redis.
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_REDIS_ROOT_CLAIMS_H_
