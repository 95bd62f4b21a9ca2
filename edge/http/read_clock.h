// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_READ_CLOCK_H_
#define EDGE_HTTP_READ_CLOCK_H_

#include <cstdint>

#include "absl/time/time.h"
#include "edge/http/read_limits.h"
#include "edge/http/request_reader.h"

namespace banyan::edge {

// How long we go on waiting for a client. The time for a head runs from its
// first byte and no byte extends it; a body must bring its share in every
// window. Pure.
class ReadClock {
 public:
  enum class Verdict { kWait, kIdle, kHeadTooSlow, kBodyTooSlow };

  // `limits` must outlive the clock.
  ReadClock(const ReadLimits& limits, absl::Duration idle_timeout,
            absl::Time now)
      : limits_(limits), idle_timeout_(idle_timeout), since_(now) {}

  // To be called after every read.
  void Observe(RequestReader::Phase phase, uint64_t body_bytes, absl::Time now);

  // After an answer: the idle time begins now.
  void Restart(absl::Time now);

  // When Judge() has to be asked. It may then still say kWait.
  absl::Time deadline() const;

  Verdict Judge(absl::Time now);

 private:
  bool HasBroughtItsShare() const {
    return body_bytes_ - window_start_bytes_ >= limits_.body_bytes_per_window;
  }

  const ReadLimits& limits_;
  const absl::Duration idle_timeout_;
  RequestReader::Phase phase_ = RequestReader::Phase::kIdle;
  absl::Time since_;  // Begin of the phase, or of the body's window.
  uint64_t body_bytes_ = 0;
  uint64_t window_start_bytes_ = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_READ_CLOCK_H_
