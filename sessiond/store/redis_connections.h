// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_REDIS_CONNECTIONS_H_
#define SESSIOND_STORE_REDIS_CONNECTIONS_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sessiond/store/redis_connection.h"

namespace banyan::sessiond {

// Connections to one Redis, for calls from many threads. A call that finds its
// connection broken is made once more on a new one: it must be the same
// whether carried out once or twice. Thread-safe.
class RedisConnections {
 public:
  using Calls =
      std::function<absl::StatusOr<RedisReply>(RedisConnection& connection)>;

  explicit RedisConnections(RedisOptions options)
      : options_(std::move(options)) {}

  // Errors are those that callers of a store see: STORE_UNREACHABLE, logged
  // with what Redis said when it is new.
  absl::StatusOr<RedisReply> Use(const Calls& calls);

  // As an error of the store; the message says what to do.
  absl::Status Refuse(const absl::Status& status);

  const RedisOptions& options() const { return options_; }

 private:
  static constexpr size_t kIdleLimit = 16;

  absl::StatusOr<std::unique_ptr<RedisConnection>> Take(bool must_be_new);
  void GiveBack(std::unique_ptr<RedisConnection> connection);

  const RedisOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RedisConnection>> idle_;  // Guarded by mutex_.
  std::string last_failure_;  // Not logged again. Guarded by mutex_.
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_REDIS_CONNECTIONS_H_
