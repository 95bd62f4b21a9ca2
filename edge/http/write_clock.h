// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_WRITE_CLOCK_H_
#define EDGE_HTTP_WRITE_CLOCK_H_

#include <cstdint>

#include "absl/time/time.h"

namespace banyan::edge {

// How long we go on waiting for a client to take an answer: it must take its
// share in every window, as a body must bring it (read_clock.h). Pure.
class WriteClock {
 public:
  WriteClock(uint64_t share, absl::Duration window)
      : share_(share), window_(window) {}

  // An answer of which `unsent` bytes were not taken at once.
  void Begin(uint64_t unsent, absl::Time now) {
    since_ = now;
    unsent_at_start_ = unsent;
  }

  // When Judge() has to be asked. It may then still say that it goes on.
  absl::Time deadline() const { return since_ + window_; }

  // False: the client is too slow. Else the next window has begun, unless this
  // one runs on.
  bool Judge(uint64_t unsent, absl::Time now) {
    if (now < deadline()) return true;
    if (unsent_at_start_ - unsent < share_) return false;
    Begin(unsent, now);
    return true;
  }

 private:
  const uint64_t share_;
  const absl::Duration window_;
  absl::Time since_;
  uint64_t unsent_at_start_ = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_WRITE_CLOCK_H_
