// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/redis_scripts.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace banyan::sessiond::redis_scripts {
namespace {

// Lua's numbers are exact up to 2^53; they are printed without an exponent.
constexpr char kPrelude[] = R"lua(
local prefix = KEYS[1]
local function text(number) return string.format('%.0f', number) end
local now = tonumber(ARGV[2])
local revision = tonumber(redis.call('GET', prefix .. 'revision') or '-1')
if redis.call('GET', prefix .. 'lineage') ~= ARGV[1] then
  revision = math.max(revision + 1000000, now)
  redis.call('SET', prefix .. 'lineage', ARGV[1])
  redis.call('SET', prefix .. 'revision', text(revision))
  redis.call('SET', prefix .. 'begin', text(revision))
end
)lua";

constexpr char kWrite[] = R"lua(
local verb, kind, key, principal = ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local is_over, body, seal, nonce = ARGV[7], ARGV[8], ARGV[9], ARGV[10]
local expected = ARGV[11]
local per_principal, total = tonumber(ARGV[12]), tonumber(ARGV[13])
local keep_ms, keep_count = tonumber(ARGV[14]), ARGV[15]
local record = prefix .. 'record:' .. kind .. ':' .. key
local all, living = prefix .. 'all:' .. kind, prefix .. 'living:' .. kind
local old = redis.call('HMGET', record, 'v', 'p', 'n')
local old_version, old_principal, old_nonce = old[1], old[2], old[3]

if old_version and old_nonce == nonce and verb ~= 'delete' then
  return {'done', revision}
end
if verb == 'create' then
  if old_version then return {'exists', revision} end
  if total > 0 and redis.call('SCARD', living) >= total then
    return {'store_full', revision}
  end
  if per_principal > 0 and
      redis.call('SCARD', living .. ':' .. principal) >= per_principal then
    return {'principal_full', revision}
  end
elseif not old_version then
  return {'absent', revision}
elseif (verb == 'update' or expected ~= '0') and old_version ~= expected then
  return {'conflict', revision}
end

if old_version then
  for _, set in ipairs({all, living}) do
    redis.call('SREM', set, key)
    redis.call('SREM', set .. ':' .. old_principal, key)
  end
end
local version = text(tonumber(old_version or '0') + 1)
if verb == 'delete' then
  is_over = '1'
  redis.call('DEL', record)
else
  redis.call('HSET', record, 'v', version, 'p', principal, 'o', is_over,
             'b', body, 's', seal, 'n', nonce)
  redis.call('SADD', all, key)
  redis.call('SADD', all .. ':' .. principal, key)
  if is_over == '0' then
    redis.call('SADD', living, key)
    redis.call('SADD', living .. ':' .. principal, key)
  end
end

revision = revision + 1
redis.call('SET', prefix .. 'revision', text(revision))
local changes = prefix .. 'changes'
redis.call('XADD', changes, text(revision) .. '-0', 'k', kind, 'r', key,
           'v', version, 'o', is_over, 't', text(now))
-- A few of the oldest at a time: more than one write adds.
for _, entry in ipairs(redis.call('XRANGE', changes, '-', '+', 'COUNT', 4)) do
  if tonumber(entry[2][10]) + keep_ms < now then
    redis.call('XDEL', changes, entry[1])
  end
end
redis.call('XTRIM', changes, 'MAXLEN', keep_count)
return {'done', revision}
)lua";

constexpr char kHistory[] = R"lua(
local changes = {}
if ARGV[3] ~= '' then
  changes = redis.call('XRANGE', prefix .. 'changes', ARGV[3], '+')
end
local begin = redis.call('GET', prefix .. 'begin')
return {revision, tonumber(begin), changes}
)lua";

constexpr char kAppend[] = R"lua(
local key, stream, ends_stream = ARGV[3], ARGV[4], ARGV[5]
local max_events, max_bytes = tonumber(ARGV[7]), tonumber(ARGV[8])
local life_ms = ARGV[9]
local ring, marks = prefix .. 'ring:' .. key, prefix .. 'marks:' .. key
local overhead = 128 + #stream
local newest = redis.call('XREVRANGE', ring, '+', '-', 'COUNT', 1)[1]
local id = tonumber(ARGV[6])
if newest then id = math.max(id, tonumber(string.match(newest[1], '^%d+'))) end
local bytes = tonumber(redis.call('HGET', marks, 'bytes') or '0')

local ids = {}
local previous = redis.call('HGET', marks, 'newest:' .. stream) or '0'
for i = 10, #ARGV do
  id = id + 1
  redis.call('XADD', ring, text(id) .. '-0', 's', stream, 'p', previous,
             'd', ARGV[i])
  previous = text(id)
  bytes = bytes + #ARGV[i] + overhead
  ids[#ids + 1] = id
end
if #ids > 0 then redis.call('HSET', marks, 'newest:' .. stream, previous) end
if ends_stream == '1' and previous ~= '0' then
  redis.call('HSET', marks, 'ended:' .. stream, '1')
end

local count = redis.call('XLEN', ring)
while count > 0 and (count > max_events or bytes > max_bytes) do
  local oldest = redis.call('XRANGE', ring, '-', '+', 'COUNT', 1)[1]
  local its_id, its_stream = string.match(oldest[1], '^%d+'), oldest[2][2]
  redis.call('XDEL', ring, oldest[1])
  bytes = bytes - #oldest[2][6] - 128 - #its_stream
  count = count - 1
  if redis.call('HGET', marks, 'newest:' .. its_stream) == its_id then
    redis.call('HDEL', marks, 'newest:' .. its_stream, 'ended:' .. its_stream)
  end
end
redis.call('HSET', marks, 'bytes', text(bytes))
redis.call('PEXPIRE', ring, life_ms)
redis.call('PEXPIRE', marks, life_ms)
if #ids > 0 then
  redis.call('XADD', prefix .. 'growth', 'MAXLEN', '~', '10000', '*',
             'r', key, 's', stream, 'i', previous)
end
return ids
)lua";

RedisScript Make(const char* body) {
  return RedisScript(absl::StrCat(kPrelude, body));
}

}  // namespace

const RedisScript& Write() {
  static const RedisScript* const kScript = new RedisScript(Make(kWrite));
  return *kScript;
}

const RedisScript& History() {
  static const RedisScript* const kScript = new RedisScript(Make(kHistory));
  return *kScript;
}

const RedisScript& Append() {
  static const RedisScript* const kScript = new RedisScript(Make(kAppend));
  return *kScript;
}

}  // namespace banyan::sessiond::redis_scripts
