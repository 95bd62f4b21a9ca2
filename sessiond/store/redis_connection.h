// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_REDIS_CONNECTION_H_
#define SESSIOND_STORE_REDIS_CONNECTION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "sessiond/store/redis_address.h"

struct redisContext;
struct redisReply;

namespace banyan::sessiond {

struct RedisOptions {
  RedisAddress address;
  std::string user;      // Empty for Redis' default user.
  std::string password;  // Empty for none.
  absl::Duration connect_timeout = absl::Seconds(1);
  absl::Duration call_timeout = absl::Seconds(3);
};

// What Redis answered, as our own.
struct RedisReply {
  enum class Type { kNothing, kText, kInteger, kList };
  Type type = Type::kNothing;
  int64_t integer = 0;
  std::string text;
  std::vector<RedisReply> elements;
};

// A Lua script, by the name under which Redis knows it once it has seen it.
struct RedisScript {
  explicit RedisScript(std::string lua);
  std::string lua;
  std::string sha1;
};

// One connection to the master, for one thread at a time. Codes of every call:
//   kUnavailable         no answer, or not from a master; the connection is
//                        broken, and whether the call was carried out is unknown
//   kResourceExhausted   Redis is out of memory; nothing was changed
//   kInternal            it refused the call; the message says why
class RedisConnection {
 public:
  using Words = std::vector<std::string>;

  // Asks the Sentinels first where there are some.
  //   kFailedPrecondition  wrong user or password
  static absl::StatusOr<std::unique_ptr<RedisConnection>> Open(
      const RedisOptions& options);

  absl::StatusOr<RedisReply> Call(const Words& words);

  // All at once, in order.
  absl::StatusOr<std::vector<RedisReply>> CallAll(
      const std::vector<Words>& calls);

  absl::StatusOr<RedisReply> Run(const RedisScript& script, const Words& keys,
                                 const Words& arguments);

  // Names one unbroken history of writes: another one after a failover and
  // after a restart, for both can lose acknowledged writes.
  const std::string& lineage() const { return lineage_; }

 private:
  struct Closer {
    void operator()(redisContext* context) const;
  };

  explicit RedisConnection(redisContext* context) : context_(context) {}

  static absl::StatusOr<std::unique_ptr<RedisConnection>> Connect(
      const RedisServer& server, const RedisOptions& options);
  static absl::StatusOr<RedisServer> AskSentinels(const RedisOptions& options);
  absl::Status Prepare(const RedisOptions& options);
  absl::StatusOr<RedisReply> Await();
  absl::Status Broken() const;

  std::unique_ptr<redisContext, Closer> context_;
  std::string lineage_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_REDIS_CONNECTION_H_
