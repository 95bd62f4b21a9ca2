// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/redis_root_claims.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/store/record_id.h"

namespace banyan::sessiond {
namespace {

// claim:<root> is a hash of address, epoch and keeper; `epoch` counts for all
// roots.
const RedisScript& TakeScript() {
  static const RedisScript* const kScript = new RedisScript(R"lua(
local prefix, claim = KEYS[1], KEYS[1] .. 'claim:' .. ARGV[1]
local address, floor, life_ms = ARGV[2], tonumber(ARGV[3]), ARGV[4]
local keeper = ARGV[5]
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
redis.call('HSET', claim, 'k', keeper)
redis.call('PEXPIRE', claim, life_ms)
return {1, address, epoch}
)lua");
  return *kScript;
}

const RedisScript& RenewScript() {
  static const RedisScript* const kScript = new RedisScript(R"lua(
local prefix, claim = KEYS[1], KEYS[1] .. 'claim:' .. ARGV[1]
local address, epoch, life_ms, keeper = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local held = redis.call('HMGET', claim, 'a', 'e', 'k')
if held[1] and (held[1] ~= address or held[3] ~= keeper) then
  return {0, held[1], tonumber(held[2])}
end
if not held[1] then
  local newest = tonumber(redis.call('GET', prefix .. 'epoch') or '0')
  if newest < tonumber(epoch) then redis.call('SET', prefix .. 'epoch', epoch) end
  redis.call('HSET', claim, 'a', address, 'e', epoch, 'k', keeper)
end
redis.call('PEXPIRE', claim, life_ms)
return {1, address, tonumber(held[2] or epoch)}
)lua");
  return *kScript;
}

const RedisScript& DropScript() {
  static const RedisScript* const kScript = new RedisScript(R"lua(
local claim = KEYS[1] .. 'claim:' .. ARGV[1]
local held = redis.call('HMGET', claim, 'a', 'k')
if held[1] == ARGV[2] and held[2] == ARGV[3] then redis.call('DEL', claim) end
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
  return Ask(TakeScript(), root, address, highest_epoch);
}

absl::StatusOr<RootClaims::Claim> RedisRootClaims::Renew(
    const std::string& root, const std::string& address, int64_t epoch) {
  return Ask(RenewScript(), root, address, epoch);
}

absl::StatusOr<RootClaims::Claim> RedisRootClaims::Ask(
    const RedisScript& script, const std::string& root,
    const std::string& address, int64_t epoch) {
  ASSIGN_OR_RETURN(
      const RedisReply reply,
      connections_.Use([&](RedisConnection& connection) {
        return connection.Run(
            script, {prefix_},
            {NameOf(root), address, absl::StrCat(epoch),
             absl::StrCat(absl::ToInt64Milliseconds(kLife)), keeper_});
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
    return connection.Run(DropScript(), {prefix_},
                          {NameOf(root), address, keeper_});
  });
}

}  // namespace banyan::sessiond
