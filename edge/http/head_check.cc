// SPDX-License-Identifier: Apache-2.0
#include "edge/http/head_check.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace banyan::edge {
namespace {

Refusal Malformed(absl::string_view message) {
  return {RefusalReason::kHeadMalformed, 400, std::string(message)};
}

int64_t Count(const HttpRequest& request, absl::string_view name) {
  return std::count_if(
      request.headers.begin(), request.headers.end(),
      [&](const auto& header) { return header.first == name; });
}

bool IsHostCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' ||
         c == '-' || c == '_' || c == ':' || c == '[' || c == ']';
}

// Two of these could be read by a proxy as the one, by us as the other.
std::optional<Refusal> CheckRepeated(const HttpRequest& request) {
  for (const absl::string_view name :
       {"host", "origin", "authorization", "content-type", "content-length",
        "transfer-encoding"}) {
    if (Count(request, name) > 1) {
      return Malformed(absl::StrCat("more than one ", name, " header"));
    }
  }
  return std::nullopt;
}

std::optional<Refusal> CheckHost(absl::string_view authority,
                                 HttpRequest& request) {
  if (!authority.empty()) {
    std::erase_if(request.headers,
                  [](const auto& header) { return header.first == "host"; });
    request.headers.emplace_back("host", std::string(authority));
  }
  const absl::string_view host = request.Header("host").value_or("");
  if (host.empty() && request.minor_version >= 1) {
    return Refusal{RefusalReason::kHostMissing, 400, "no Host header"};
  }
  if (!std::all_of(host.begin(), host.end(), IsHostCharacter)) {
    return Malformed("the Host header is not host:port");
  }
  return std::nullopt;
}

void ReadConnection(HttpRequest& request) {
  request.keep_alive = request.minor_version >= 1;
  for (const auto& [name, value] : request.headers) {
    if (name != "connection") continue;
    for (absl::string_view option : absl::StrSplit(value, ',')) {
      option = absl::StripAsciiWhitespace(option);
      if (absl::EqualsIgnoreCase(option, "close")) request.keep_alive = false;
    }
  }
}

std::optional<Refusal> ReadContentLength(absl::string_view text,
                                         const ReadLimits& limits,
                                         HttpRequest& request) {
  const bool is_number = !text.empty() && std::all_of(text.begin(), text.end(),
                                                      absl::ascii_isdigit);
  if (!is_number) return Malformed("Content-Length is not a number");
  if (!absl::SimpleAtoi(text, &request.content_length)) {
    request.content_length = std::numeric_limits<uint64_t>::max();
  }
  if (request.content_length > limits.max_body_bytes) {
    return Refusal{
        RefusalReason::kBodyTooLarge, 413,
        absl::StrCat("a body has at most ", limits.max_body_bytes, " bytes")};
  }
  return std::nullopt;
}

std::optional<Refusal> ReadFraming(const ReadLimits& limits,
                                   HttpRequest& request) {
  const auto length = request.Header("content-length");
  const auto coding = request.Header("transfer-encoding");
  if (coding.has_value()) {
    if (length.has_value() || request.minor_version == 0) {
      return Malformed("Transfer-Encoding beside Content-Length or HTTP/1.0");
    }
    if (!absl::EqualsIgnoreCase(*coding, "chunked")) {
      return Refusal{RefusalReason::kUnsupported, 501,
                     "the only transfer coding spoken here is chunked"};
    }
    request.is_chunked = true;
  } else if (length.has_value()) {
    return ReadContentLength(*length, limits, request);
  }
  return std::nullopt;
}

std::optional<Refusal> CheckCodings(HttpRequest& request) {
  const auto content = request.Header("content-encoding");
  if (content.has_value() && !absl::EqualsIgnoreCase(*content, "identity")) {
    return Refusal{RefusalReason::kUnsupported, 415,
                   "send the body without a content coding"};
  }
  const auto expectation = request.Header("expect");
  if (expectation.has_value()) {
    if (!absl::EqualsIgnoreCase(*expectation, "100-continue")) {
      return Refusal{RefusalReason::kUnsupported, 417, "unknown expectation"};
    }
    request.expects_continue = request.minor_version >= 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> CheckHead(absl::string_view authority,
                                 const ReadLimits& limits,
                                 HttpRequest& request) {
  ReadConnection(request);
  if (auto refusal = CheckRepeated(request)) return refusal;
  if (auto refusal = CheckHost(authority, request)) return refusal;
  if (auto refusal = ReadFraming(limits, request)) return refusal;
  return CheckCodings(request);
}

}  // namespace banyan::edge
