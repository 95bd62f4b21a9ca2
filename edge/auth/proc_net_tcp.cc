// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "edge/auth/peer_uid.h"

namespace banyan::edge {
namespace {

enum Column {
  kLocal = 1,
  kRemote = 2,
  kState = 3,
  kUid = 7,
  kInode = 9,
  kColumns = 10
};

// "0100007F:20E4": words of 32 bits, each as this machine reads it.
std::optional<SocketAddress> ParseEndpoint(absl::string_view text) {
  const size_t colon = text.find(':');
  if (colon != 8 && colon != 32) return std::nullopt;
  sockaddr_in6 in6 = {};
  sockaddr_in in = {};
  uint32_t port = 0;
  if (!absl::SimpleHexAtoi(text.substr(colon + 1), &port)) return std::nullopt;
  uint32_t words[4] = {};
  for (size_t i = 0; i < colon / 8; ++i) {
    if (!absl::SimpleHexAtoi(text.substr(i * 8, 8), &words[i])) {
      return std::nullopt;
    }
  }
  if (colon == 8) {
    in.sin_family = AF_INET;
    in.sin_port = htons(static_cast<uint16_t>(port));
    std::memcpy(&in.sin_addr, words, sizeof(in.sin_addr));
    return SocketAddress::FromSockaddr(reinterpret_cast<sockaddr*>(&in));
  }
  in6.sin6_family = AF_INET6;
  in6.sin6_port = htons(static_cast<uint16_t>(port));
  std::memcpy(&in6.sin6_addr, words, sizeof(in6.sin6_addr));
  return SocketAddress::FromSockaddr(reinterpret_cast<sockaddr*>(&in6));
}

}  // namespace

absl::StatusOr<uid_t> ParseProcNetTcp(absl::string_view text,
                                      const SocketAddress& peer,
                                      const SocketAddress& own) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> columns =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    uid_t uid = 0;
    uint32_t state = 0;
    uint64_t inode = 0;
    if (columns.size() >= kColumns && ParseEndpoint(columns[kLocal]) == peer &&
        ParseEndpoint(columns[kRemote]) == own &&
        absl::SimpleHexAtoi(columns[kState], &state) &&
        absl::SimpleAtoi(columns[kInode], &inode) &&
        HasOwner(static_cast<int>(state), inode) &&
        absl::SimpleAtoi(columns[kUid], &uid)) {
      return uid;
    }
  }
  return absl::NotFoundError("no such socket");
}

}  // namespace banyan::edge
