// SPDX-License-Identifier: Apache-2.0
#include "sessiond/session_metrics.h"

#include <string>

namespace banyan::sessiond {
namespace {

prometheus::Family<prometheus::Gauge>& ActiveFamily(
    prometheus::Registry& registry) {
  return prometheus::BuildGauge()
      .Name("banyan_sessiond_sessions_active")
      .Help("Live sessions of the legacy era; handles without one.")
      .Register(registry);
}

std::string LabelOf(SessionEvent event) {
  switch (event) {
    case SessionEvent::kCreated:
      return "created";
    case SessionEvent::kTerminated:
      return "terminated";
    case SessionEvent::kExpiredIdle:
      return "expired_idle";
    case SessionEvent::kExpiredAbsolute:
      return "expired_absolute";
    case SessionEvent::kEvicted:
      return "evicted";
    case SessionEvent::kHijackRefused:
      return "hijack_refused";
  }
  return "other";
}

std::string LabelOf(rpc::ErrorReason reason) {
  switch (reason) {
    case rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT:
      return "outside_root";
    case rpc::v1::ERROR_REASON_PATH_FORBIDDEN:
      return "forbidden";
    case rpc::v1::ERROR_REASON_PATH_MALFORMED:
      return "malformed";
    default:
      return "other";
  }
}

}  // namespace

SessionMetrics::SessionMetrics(prometheus::Registry& registry)
    : legacy_active_(ActiveFamily(registry).Add({{"era", "legacy"}})),
      modern_active_(ActiveFamily(registry).Add({{"era", "modern"}})),
      events_(prometheus::BuildCounter()
                  .Name("banyan_sessiond_session_events_total")
                  .Help("What happened to sessions and handles.")
                  .Register(registry)),
      path_checks_(prometheus::BuildCounter()
                       .Name("banyan_sessiond_path_checks_total")
                       .Help("Paths that were judged by text.")
                       .Register(registry)),
      allowed_paths_(
          path_checks_.Add({{"result", "allowed"}, {"reason", "none"}})),
      commits_(prometheus::BuildHistogram()
                   .Name("banyan_sessiond_wal_fsync_seconds")
                   .Help("Commits of the session store, sync included.")
                   .Register(registry)
                   .Add({}, prometheus::Histogram::BucketBoundaries{
                                0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5})) {}

void SessionMetrics::OnSessionEvent(Era era, SessionEvent event) {
  events_.Add({{"event", LabelOf(event)}}).Increment();
  if (event == SessionEvent::kCreated) {
    Active(era).Increment();
  } else if (event != SessionEvent::kHijackRefused) {
    Active(era).Decrement();
  }
}

void SessionMetrics::OnPathCheck(rpc::ErrorReason reason) {
  if (reason == rpc::v1::ERROR_REASON_UNSPECIFIED) {
    allowed_paths_.Increment();
    return;
  }
  path_checks_.Add({{"result", "refused"}, {"reason", LabelOf(reason)}})
      .Increment();
}

void SessionMetrics::OnCommit(absl::Duration duration) {
  commits_.Observe(absl::ToDoubleSeconds(duration));
}

void SessionMetrics::SetActive(Era era, size_t count) {
  Active(era).Set(static_cast<double>(count));
}

prometheus::Gauge& SessionMetrics::Active(Era era) {
  return era == Era::kLegacy ? legacy_active_ : modern_active_;
}

}  // namespace banyan::sessiond
