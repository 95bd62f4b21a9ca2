// SPDX-License-Identifier: Apache-2.0
#include "edge/http/request_guard.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "edge/auth/socket_address.h"

namespace banyan::edge {
namespace {

struct HostAndPort {
  std::string name;         // Lower case, without brackets.
  std::optional<int> port;  // nullopt: none was written.
};

// nullopt: not host[:port].
std::optional<HostAndPort> SplitHost(absl::string_view text) {
  HostAndPort host;
  absl::string_view port;
  if (absl::ConsumePrefix(&text, "[")) {
    const size_t end = text.find(']');
    if (end == absl::string_view::npos) return std::nullopt;
    host.name = absl::AsciiStrToLower(text.substr(0, end));
    port = text.substr(end + 1);
  } else {
    const size_t colon = std::min(text.find(':'), text.size());
    host.name = absl::AsciiStrToLower(text.substr(0, colon));
    port = text.substr(colon);
  }
  if (host.name.empty()) return std::nullopt;
  if (port.empty()) return host;
  int number = 0;
  const bool is_port =
      absl::ConsumePrefix(&port, ":") && !port.empty() && port.size() <= 5 &&
      std::all_of(port.begin(), port.end(), absl::ascii_isdigit) &&
      absl::SimpleAtoi(port, &number) && number > 0 && number <= 65535;
  if (!is_port) return std::nullopt;
  host.port = number;
  return host;
}

bool IsLoopbackName(absl::string_view name) {
  if (name == "localhost") return true;
  const bool is_v6 = absl::StrContains(name, ':');
  const auto address = SocketAddress::Parse(
      is_v6 ? absl::StrCat("[", name, "]:0") : absl::StrCat(name, ":0"));
  return address.ok() && address->IsLoopback();
}

// Without a port in the Host header the scheme's own is meant, and a proxy in
// front may have spoken either.
bool IsPortOf(std::optional<int> written, int port) {
  return written.has_value() ? *written == port : port == 80 || port == 443;
}

absl::string_view Cut(absl::string_view text) { return text.substr(0, 200); }

}  // namespace

std::optional<Refusal> RequestGuard::Check(const HttpRequest& head,
                                           absl::string_view peer_host) const {
  absl::string_view host = head.Header("host").value_or("");
  const auto forwarded = head.Header("x-forwarded-host");
  const auto& proxies = options_.trusted_proxies;
  if (forwarded.has_value() &&
      std::find(proxies.begin(), proxies.end(), peer_host) != proxies.end()) {
    // The last element is the one that the trusted proxy wrote.
    host = absl::StripAsciiWhitespace(
        forwarded->substr(forwarded->rfind(',') + 1));
  }
  if (host.empty()) {
    return Refusal{RefusalReason::kHostMissing, 400, "no Host header"};
  }
  if (!IsHostAllowed(host)) {
    return Refusal{RefusalReason::kHostNotAllowed, 403,
                   absl::StrCat("the host ", Cut(host),
                                " is not served here; if it should be, start "
                                "with --allowed_hosts=",
                                Cut(host))};
  }
  const auto origin = head.Header("origin");
  if (origin.has_value() && !IsOriginAllowed(*origin, host)) {
    return Refusal{RefusalReason::kOriginNotAllowed, 403,
                   absl::StrCat("pages of ", Cut(*origin),
                                " may not call this server; if they should, "
                                "start with --allowed_origins=",
                                Cut(*origin))};
  }
  return std::nullopt;
}

bool RequestGuard::IsHostAllowed(absl::string_view host) const {
  const auto parts = SplitHost(host);
  return parts.has_value() &&
         IsAllowed(parts->name, parts->port, options_.is_any_loopback_port);
}

bool RequestGuard::IsOriginAllowed(absl::string_view origin,
                                   absl::string_view host) const {
  for (const std::string& allowed : options_.allowed_origins) {
    if (absl::EqualsIgnoreCase(origin, allowed)) return true;
  }
  const bool is_https = absl::StartsWithIgnoreCase(origin, "https://");
  if (!is_https && !absl::StartsWithIgnoreCase(origin, "http://")) return false;
  const auto parts = SplitHost(origin.substr(is_https ? 8 : 7));
  if (!parts.has_value()) return false;
  const int scheme_port = is_https ? 443 : 80;
  const int port = parts->port.value_or(scheme_port);
  const auto asked = SplitHost(host);
  // A page of our own, whatever the port at this end of a tunnel.
  if (asked.has_value() && asked->name == parts->name &&
      asked->port.value_or(scheme_port) == port && IsHostAllowed(host)) {
    return true;
  }
  return IsAllowed(parts->name, port, /*is_any_loopback_port=*/false);
}

bool RequestGuard::IsAllowed(absl::string_view name, std::optional<int> port,
                             bool is_any_loopback_port) const {
  if (IsLoopbackName(name) &&
      (is_any_loopback_port || IsPortOf(port, options_.port))) {
    return true;
  }
  for (const std::string& allowed : options_.allowed_hosts) {
    const auto entry = SplitHost(allowed);
    if (entry.has_value() && entry->name == name &&
        (!entry->port.has_value() || IsPortOf(port, *entry->port))) {
      return true;
    }
  }
  return false;
}

HttpHeaders RequestGuard::CorsHeaders(const HttpRequest& head) const {
  HttpHeaders headers = {{"Vary", "Origin"}};
  const auto origin = head.Header("origin");
  if (!origin.has_value() ||
      !IsOriginAllowed(*origin, head.Header("host").value_or(""))) {
    return headers;
  }
  headers.emplace_back("Access-Control-Allow-Origin", std::string(*origin));
  headers.emplace_back("Access-Control-Expose-Headers",
                       "Mcp-Session-Id, WWW-Authenticate");
  return headers;
}

absl::Status CheckAllowedOrigins(const std::vector<std::string>& origins) {
  for (const std::string& origin : origins) {
    absl::string_view rest = origin;
    const bool has_scheme = absl::ConsumePrefix(&rest, "https://") ||
                            absl::ConsumePrefix(&rest, "http://");
    if (!has_scheme || !SplitHost(rest).has_value() ||
        rest.find_first_of("*/?#@ ") != absl::string_view::npos) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--allowed_origins=", origin,
          " is no origin; name each one whole: https://inspector.example.com"));
    }
  }
  return absl::OkStatus();
}

bool IsPreflight(const HttpRequest& head) {
  return head.method == "OPTIONS" && head.Header("origin").has_value() &&
         head.Header("access-control-request-method").has_value();
}

HttpHeaders PreflightHeaders() {
  return {{"Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS"},
          {"Access-Control-Allow-Headers",
           "Authorization, Content-Type, Accept, Mcp-Session-Id, "
           "MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID, "
           "Mcp-Param-Workspace"},
          {"Access-Control-Max-Age", "600"}};
}

}  // namespace banyan::edge
