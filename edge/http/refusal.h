// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_REFUSAL_H_
#define EDGE_HTTP_REFUSAL_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "edge/http/http_message.h"

namespace banyan::edge {

// Why the edge turns a request away before anybody looks at what it asks for.
// A closed list: it is a metric's label.
enum class RefusalReason {
  kHeadMalformed,
  kHeadTooLarge,
  kHeadTooSlow,
  kTargetTooLong,
  kHostMissing,
  kHostNotAllowed,
  kOriginNotAllowed,
  kPathUnknown,
  kMethodNotAllowed,
  kQueryInvalid,
  kUnauthenticated,
  kScopeMissing,
  kUnsupported,  // A version, transfer coding, content coding or expectation.
  kBodyMalformed,
  kBodyTooLarge,
  kBodyTooSlow,
  kTooManyConnections,
  kTooManyRequests,
  kTooManyBytes,
  kRateLimited,
};
inline constexpr size_t kRefusalReasonCount = 20;

// "HEAD_TOO_LARGE": as clients and metrics see it.
absl::string_view RefusalReasonName(RefusalReason reason);

struct Refusal {
  RefusalReason reason;
  int status;
  std::string message;  // For whoever reads the client's log: what to change.
};

// {"error":{"reason":…,"message":…}}, with Retry-After for a 503 or 429.
HttpResponse ToResponse(const Refusal& refusal);

}  // namespace banyan::edge

#endif  // EDGE_HTTP_REFUSAL_H_
