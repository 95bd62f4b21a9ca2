// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_CALLER_CHECK_H_
#define EDGE_HTTP_CALLER_CHECK_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "edge/auth/authenticator.h"
#include "edge/http/http_handler.h"
#include "edge/http/http_metrics.h"
#include "edge/http/request_guard.h"

namespace banyan::edge {

// What every listener asks before it looks at a path's meaning: names, origin,
// preflight, method, caller. Counts what it refuses. Thread-safe.
class CallerCheck {
 public:
  // `authenticator` and `metrics` must outlive this. `methods` is the Allow
  // header: "GET, POST, DELETE, OPTIONS".
  CallerCheck(RequestGuard::Options guard, Authenticator& authenticator,
              HttpMetrics& metrics, absl::string_view methods)
      : guard_(std::move(guard)),
        authenticator_(authenticator),
        metrics_(metrics),
        methods_(methods) {}

  Admission Admit(const HttpRequest& head, PeerConnection& connection);

  // The refusal of a caller; `error` is of RFC 6750, or empty.
  HttpResponse Unauthenticated(absl::string_view message,
                               absl::string_view error);

  // An Admission that refuses. Counted; what looks like an attack is logged, at
  // most once a second.
  Admission Refuse(const Refusal& refusal);

  const RequestGuard& guard() const { return guard_; }

 private:
  void Log(const Refusal& refusal);
  bool IsMethodAllowed(absl::string_view method) const;

  const RequestGuard guard_;
  Authenticator& authenticator_;
  HttpMetrics& metrics_;
  const std::string methods_;
  std::atomic<int64_t> last_logged_second_ = 0;
};

// kFailedPrecondition when `listen` is not loopback and the authenticator can
// only tell local callers apart. `flag` is the one that set it: "--listen".
absl::Status CheckListenAddress(absl::string_view flag,
                                absl::string_view listen,
                                const Authenticator& authenticator);

}  // namespace banyan::edge

#endif  // EDGE_HTTP_CALLER_CHECK_H_
