// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/redis_root_claims.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/store/record_id.h"

namespace banyan::sessiond {
namespace {

// claim:<root> is a hash of address and epoch; `epoch` counts for all roots.
const RedisScript& TakeScript() {
  static const RedisScript* const kScript = new RedisScript(R"lua(
local prefix, claim = KEYS[1], KEYS[1] .. 'claim:' .. ARGV[1]
local address, floor, life_ms = ARGV[2], tonumber(ARGV[3]), ARGV[4]
local held = redis.call('HMGET', claim, 'a', 'e')
if held[1] and held[1] ~= address then
  return {0, held[1], tonumber(held[2])}
end
local epoch = tonumber(held[2] or '0')
if not held[1] then
  epoch = math.max(tonumber(redis.call('GET', prefix .. 'epoch') or '0'), floor) + 1
  redis.call('SET', prefix .. 'epoch', string.format('%.0f', epoch))
  redis.call('HSET', claim, 'a', address, 'e', string.format('%.0f', epoch))
end
redis.call('PEXPIRE', claim, life_ms)
return {1, address, epoch}
)lua");
  return *kScript;
}

const RedisScript& DropScript() {
  static const RedisScript* const kScript = new RedisScript(R"lua(
local claim = KEYS[1] .. 'claim:' .. ARGV[1]
if redis.call('HGET', claim, 'a') == ARGV[2] then redis.call('DEL', claim) end
return 1
)lua");
  return *kScript;
}

std::string NameOf(const std::string& root) {
  return absl::BytesToHexString(RecordKey(root));
}

}  // namespace

absl::StatusOr<RootClaims::Claim> RedisRootClaims::Take(
    const std::string& root, const std::string& address,
    int64_t highest_epoch) {
  ASSIGN_OR_RETURN(const RedisReply reply,
                   connections_.Use([&](RedisConnection& connection) {
                     return connection.Run(
                         TakeScript(), {prefix_},
                         {NameOf(root), address, absl::StrCat(highest_epoch),
                          absl::StrCat(absl::ToInt64Milliseconds(kLife))});
                   }));
  if (reply.elements.size() != 3) {
    return connections_.Refuse(absl::InternalError("odd answer to a claim"));
  }
  return Claim{.is_ours = reply.elements[0].integer == 1,
               .address = reply.elements[1].text,
               .epoch = reply.elements[2].integer};
}

void RedisRootClaims::Drop(const std::string& root,
                           const std::string& address) {
  (void)connections_.Use([&](RedisConnection& connection) {
    return connection.Run(DropScript(), {prefix_}, {NameOf(root), address});
  });
}

}  // namespace banyan::sessiond
