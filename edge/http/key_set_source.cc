// SPDX-License-Identifier: Apache-2.0
#include "edge/http/key_set_source.h"

#include <httplib.h>

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "edge/auth/socket_address.h"

namespace banyan::edge {
namespace {

constexpr size_t kMaxBytes = 1 << 20;
constexpr int kMaxSeconds = 5;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::ifstream file(path);
  if (!file) return absl::UnavailableError(absl::StrCat("cannot read ", path));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

absl::StatusOr<std::string> Fetch(const std::string& origin,
                                  const std::string& path) {
  httplib::Client client(origin);
  client.set_connection_timeout(kMaxSeconds);
  client.set_read_timeout(kMaxSeconds);
  client.set_follow_location(false);
  std::string body;
  const auto answer =
      client.Get(path, [&body](const char* bytes, size_t count) {
        if (body.size() + count > kMaxBytes) return false;
        body.append(bytes, count);
        return true;
      });
  if (!answer || answer->status != 200) {
    return absl::UnavailableError(
        absl::StrCat("no key set from ", origin, path));
  }
  return body;
}

bool IsAllowed(absl::string_view origin) {
  if (absl::StartsWith(origin, "https://")) return true;
  const absl::string_view host = origin.substr(sizeof("http://") - 1);
  const auto address = SocketAddress::Parse(absl::StrContains(host, ':')
                                                ? std::string(host)
                                                : absl::StrCat(host, ":80"));
  return address.ok() && address->IsLoopback();
}

}  // namespace

absl::StatusOr<std::function<absl::StatusOr<std::string>()>> NewKeySetSource(
    const std::string& file_or_url) {
  const size_t scheme = file_or_url.find("://");
  if (scheme == std::string::npos) {
    return [path = file_or_url] { return ReadFile(path); };
  }
  const size_t slash = file_or_url.find('/', scheme + 3);
  const std::string origin = file_or_url.substr(0, slash);
  const std::string path =
      slash == std::string::npos ? "/" : file_or_url.substr(slash);
  const bool is_http = absl::StartsWith(origin, "http://") ||
                       absl::StartsWith(origin, "https://");
  if (!is_http || !IsAllowed(origin)) {
    return absl::InvalidArgumentError(
        "--jwt_keys is a file or an https URL: keys that came in the clear "
        "prove nothing");
  }
  return [origin, path] { return Fetch(origin, path); };
}

}  // namespace banyan::edge
