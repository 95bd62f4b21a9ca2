// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/redis_address.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/rpc/status_macros.h"

namespace banyan::sessiond {
namespace {

constexpr absl::string_view kPlain = "redis://";
constexpr absl::string_view kSentinel = "redis+sentinel://";
constexpr int kSentinelPort = 26379;

absl::Status Refuse(absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("--store: ", why,
                   "; it reads redis://HOST:PORT/DATABASE or "
                   "redis+sentinel://HOST:PORT,HOST:PORT/MASTER/DATABASE"));
}

absl::StatusOr<RedisServer> ParseServer(absl::string_view text,
                                        int default_port) {
  RedisServer server{.host = std::string(text), .port = default_port};
  const size_t colon = text.rfind(':');
  // An IPv6 address in brackets has colons of its own.
  if (colon != absl::string_view::npos &&
      text.find(']', colon) == absl::string_view::npos) {
    server.host = std::string(text.substr(0, colon));
    if (!absl::SimpleAtoi(text.substr(colon + 1), &server.port) ||
        server.port < 1 || server.port > 65'535) {
      return Refuse("a port is a number up to 65535");
    }
  }
  absl::string_view host = server.host;
  if (absl::ConsumePrefix(&host, "[") && absl::ConsumeSuffix(&host, "]")) {
    server.host = std::string(host);
  }
  if (server.host.empty()) return Refuse("a host is missing");
  return server;
}

}  // namespace

bool IsRedisUrl(absl::string_view url) {
  return absl::StartsWith(url, kPlain) || absl::StartsWith(url, kSentinel);
}

absl::StatusOr<RedisAddress> ParseRedisAddress(absl::string_view url) {
  const bool is_plain = absl::ConsumePrefix(&url, kPlain);
  if (!is_plain && !absl::ConsumePrefix(&url, kSentinel)) {
    return Refuse("this is no address of a Redis");
  }
  if (url.find('@') != absl::string_view::npos) {
    return Refuse(
        "a user or password stands in --redis_user and --redis_password_file");
  }
  std::vector<std::string> parts = absl::StrSplit(url, '/');
  RedisAddress address;
  for (const absl::string_view server : absl::StrSplit(parts.front(), ',')) {
    ASSIGN_OR_RETURN(RedisServer parsed,
                     ParseServer(server, is_plain ? 6379 : kSentinelPort));
    address.servers.push_back(std::move(parsed));
  }
  size_t next = 1;
  if (!is_plain) {
    if (parts.size() < 2 || parts[1].empty()) {
      return Refuse("the Sentinels' name of the master is missing");
    }
    address.master = parts[next++];
  } else if (address.servers.size() > 1) {
    return Refuse("several servers are for Sentinels");
  }
  if (parts.size() > next && !parts[next].empty() &&
      (!absl::SimpleAtoi(parts[next], &address.database) ||
       address.database < 0)) {
    return Refuse("a database is a number");
  }
  if (parts.size() > next + 1) return Refuse("there is too much behind it");
  return address;
}

}  // namespace banyan::sessiond
