// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_REDIS_ADDRESS_H_
#define SESSIOND_STORE_REDIS_ADDRESS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::sessiond {

struct RedisServer {
  std::string host;
  int port = 6379;
};

// Where a Redis is. With `master` the servers are Sentinels that know it by
// this name, else the first server is the Redis itself.
struct RedisAddress {
  std::vector<RedisServer> servers;
  std::string master;
  int database = 0;
};

//   redis://HOST[:PORT][/DATABASE]
//   redis+sentinel://HOST[:PORT],HOST[:PORT],…/MASTER[/DATABASE]
//
// A password in it is refused: command lines are read by others.
//   kInvalidArgument  the message says what is wrong
absl::StatusOr<RedisAddress> ParseRedisAddress(absl::string_view url);

// Whether a --store means Redis.
bool IsRedisUrl(absl::string_view url);

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_REDIS_ADDRESS_H_
