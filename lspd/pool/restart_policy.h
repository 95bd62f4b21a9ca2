// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_RESTART_POLICY_H_
#define LSPD_POOL_RESTART_POLICY_H_

#include <deque>

#include "absl/time/time.h"

namespace banyan::lspd {

// When a server that keeps dying may be started again. Pure.
//
// The first death in a while costs nothing; after that the pause grows by 1, 2,
// 4 … 60 s. Five starts within 180 s are the most; past them one start is tried
// each 60 s, for ever: nothing is banned. Every death that nobody asked for
// counts, whether during the start or after hours.
class RestartPolicy {
 public:
  void OnStart(absl::Time now);
  void OnDeath(absl::Time now);

  // The earliest time for the next start; InfinitePast for at once.
  absl::Time NextStart(absl::Time now) const;

  // Out of its budget: one start at a time is tried.
  bool IsHalfOpen(absl::Time now) const;

 private:
  static int CountSince(const std::deque<absl::Time>& times, absl::Time since);

  std::deque<absl::Time> starts_;  // The last few.
  std::deque<absl::Time> deaths_;
};

}  // namespace banyan::lspd

#endif  // LSPD_POOL_RESTART_POLICY_H_
