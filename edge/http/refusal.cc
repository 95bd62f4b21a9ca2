// SPDX-License-Identifier: Apache-2.0
#include "edge/http/refusal.h"

#include <array>

namespace banyan::edge {
namespace {

constexpr std::array<const char*, kRefusalReasonCount> kNames = {
    "HEAD_MALFORMED",     "HEAD_TOO_LARGE",       "HEAD_TOO_SLOW",
    "TARGET_TOO_LONG",    "HOST_MISSING",         "HOST_NOT_ALLOWED",
    "ORIGIN_NOT_ALLOWED", "PATH_UNKNOWN",         "METHOD_NOT_ALLOWED",
    "QUERY_INVALID",      "UNAUTHENTICATED",      "SCOPE_MISSING",
    "UNSUPPORTED",        "BODY_MALFORMED",       "BODY_TOO_LARGE",
    "BODY_TOO_SLOW",      "TOO_MANY_CONNECTIONS", "TOO_MANY_REQUESTS",
    "TOO_MANY_BYTES",     "RATE_LIMITED",
};

}  // namespace

absl::string_view RefusalReasonName(RefusalReason reason) {
  return kNames[static_cast<size_t>(reason)];
}

HttpResponse ToResponse(const Refusal& refusal) {
  HttpResponse response = JsonError(
      refusal.status, RefusalReasonName(refusal.reason), refusal.message);
  if (refusal.status == 503 || refusal.status == 429) {
    response.headers.emplace_back("Retry-After", "1");
  }
  return response;
}

}  // namespace banyan::edge
