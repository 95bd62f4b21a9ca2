// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_SESSION_METRICS_H_
#define SESSIOND_SESSION_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "absl/time/time.h"
#include "proto/rpc/error_reason.h"
#include "sessiond/sessions/session_event.h"

namespace banyan::sessiond {

// What sessiond counts. Labels come from closed lists. Thread-safe.
//
//   banyan_sessiond_sessions_active{era}
//   banyan_sessiond_session_events_total{event}
//   banyan_sessiond_path_checks_total{result, reason}
//   banyan_sessiond_wal_fsync_seconds
class SessionMetrics {
 public:
  explicit SessionMetrics(prometheus::Registry& registry);

  void OnSessionEvent(Era era, SessionEvent event);
  // UNSPECIFIED is an allowed one.
  void OnPathCheck(rpc::ErrorReason reason);
  void OnCommit(absl::Duration duration);

  // What is there, counted; evens out what events have missed.
  void SetActive(Era era, size_t count);

 private:
  prometheus::Gauge& Active(Era era);

  prometheus::Gauge& legacy_active_;
  prometheus::Gauge& modern_active_;
  prometheus::Family<prometheus::Counter>& events_;
  prometheus::Family<prometheus::Counter>& path_checks_;
  prometheus::Counter& allowed_paths_;
  prometheus::Histogram& commits_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_SESSION_METRICS_H_
