// SPDX-License-Identifier: Apache-2.0
#include "edge/http/read_clock.h"

namespace banyan::edge {

using Phase = RequestReader::Phase;

void ReadClock::Observe(Phase phase, uint64_t body_bytes, absl::Time now) {
  if (phase != phase_) {
    phase_ = phase;
    since_ = now;
    window_start_bytes_ = body_bytes;
  }
  body_bytes_ = body_bytes;
}

void ReadClock::Restart(absl::Time now) {
  phase_ = Phase::kIdle;
  since_ = now;
}

absl::Time ReadClock::deadline() const {
  switch (phase_) {
    case Phase::kHead:
      return since_ + limits_.head_timeout;
    case Phase::kBody:
      return since_ + limits_.body_window;
    case Phase::kIdle:
      break;
  }
  return since_ + idle_timeout_;
}

ReadClock::Verdict ReadClock::Judge(absl::Time now) {
  if (now < deadline()) return Verdict::kWait;
  switch (phase_) {
    case Phase::kIdle:
      return Verdict::kIdle;
    case Phase::kHead:
      return Verdict::kHeadTooSlow;
    case Phase::kBody:
      break;
  }
  if (!HasBroughtItsShare()) return Verdict::kBodyTooSlow;
  since_ = now;
  window_start_bytes_ = body_bytes_;
  return Verdict::kWait;
}

}  // namespace banyan::edge
