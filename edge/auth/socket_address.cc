// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/socket_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace banyan::edge {
namespace {

constexpr std::array<uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0,    0,
                                                   0, 0, 0, 0, 0xff, 0xff};

SocketAddress Numeric(int family, const uint8_t* bytes, uint16_t port) {
  SocketAddress address = {.family = family, .port = port};
  const size_t size = family == AF_INET ? 4 : 16;
  const bool is_mapped =
      family == AF_INET6 &&
      std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes);
  if (is_mapped) return Numeric(AF_INET, bytes + kMappedPrefix.size(), port);
  std::copy(bytes, bytes + size, address.bytes.begin());
  return address;
}

}  // namespace

bool SocketAddress::IsLoopback() const {
  if (family == AF_INET) return bytes[0] == 127;
  return family == AF_INET6 && bytes.back() == 1 &&
         std::all_of(bytes.begin(), bytes.end() - 1,
                     [](uint8_t byte) { return byte == 0; });
}

std::string SocketAddress::Host() const {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  if (family == AF_UNSPEC) return "";
  ::inet_ntop(family, bytes.data(), text.data(), text.size());
  return text.data();
}

std::string SocketAddress::ToString() const {
  return family == AF_INET6 ? absl::StrCat("[", Host(), "]:", port)
                            : absl::StrCat(Host(), ":", port);
}

socklen_t SocketAddress::ToSockaddr(sockaddr_storage* out) const {
  *out = {};
  if (family == AF_INET) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    std::memcpy(&address.sin_addr, bytes.data(), sizeof(address.sin_addr));
    std::memcpy(out, &address, sizeof(address));
    return sizeof(address);
  }
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  std::memcpy(&address.sin6_addr, bytes.data(), sizeof(address.sin6_addr));
  std::memcpy(out, &address, sizeof(address));
  return sizeof(address);
}

SocketAddress SocketAddress::FromSockaddr(const sockaddr* address) {
  std::array<uint8_t, 16> bytes = {};
  if (address->sa_family == AF_INET) {
    sockaddr_in in = {};
    std::memcpy(&in, address, sizeof(in));
    std::memcpy(bytes.data(), &in.sin_addr, sizeof(in.sin_addr));
    return Numeric(AF_INET, bytes.data(), ntohs(in.sin_port));
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 in = {};
    std::memcpy(&in, address, sizeof(in));
    std::memcpy(bytes.data(), &in.sin6_addr, sizeof(in.sin6_addr));
    return Numeric(AF_INET6, bytes.data(), ntohs(in.sin6_port));
  }
  return {};
}

absl::StatusOr<SocketAddress> SocketAddress::Parse(absl::string_view text) {
  const auto malformed = [&] {
    return absl::InvalidArgumentError(absl::StrCat(
        text, " is not an address: write 127.0.0.1:8420 or [::1]:8420"));
  };
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return malformed();
  const absl::string_view digits = text.substr(colon + 1);
  unsigned port = 0;
  if (digits.empty() ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(digits, &port) || port > 65535) {
    return malformed();
  }
  absl::string_view host = text.substr(0, colon);
  const bool is_v6 = host.empty() || (absl::ConsumePrefix(&host, "[") &&
                                      absl::ConsumeSuffix(&host, "]"));
  if (host == "localhost") host = "127.0.0.1";
  if (host.empty()) host = "::";
  std::array<uint8_t, 16> bytes = {};
  const int family = is_v6 ? AF_INET6 : AF_INET;
  if (::inet_pton(family, std::string(host).c_str(), bytes.data()) != 1) {
    return malformed();
  }
  return Numeric(family, bytes.data(), static_cast<uint16_t>(port));
}

}  // namespace banyan::edge
