// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_SILENCE_WATCH_H_
#define LSPD_SERVER_SILENCE_WATCH_H_

#include <vector>

#include "absl/time/time.h"

namespace banyan::lspd {

// Tells a stuck server from a slow one: stuck is who let three questions time
// out within a minute and said nothing at all meanwhile, for `longest` at
// least. Pure, not thread-safe.
class SilenceWatch {
 public:
  explicit SilenceWatch(absl::Duration longest) : longest_(longest) {}

  // A question timed out now; the server was heard last at `heard`. True: it is
  // stuck.
  bool OnTimeout(absl::Time heard, absl::Time now);

 private:
  const absl::Duration longest_;
  std::vector<absl::Time> timeouts_;  // Since it was heard.
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_SILENCE_WATCH_H_
