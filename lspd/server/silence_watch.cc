// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/silence_watch.h"

#include <algorithm>

namespace banyan::lspd {
namespace {

constexpr size_t kMostTimeouts = 3;
constexpr absl::Duration kWindow = absl::Minutes(1);

}  // namespace

bool SilenceWatch::OnTimeout(absl::Time heard, absl::Time now) {
  timeouts_.erase(std::remove_if(timeouts_.begin(), timeouts_.end(),
                                 [&](absl::Time timeout) {
                                   return timeout < heard ||
                                          timeout < now - kWindow;
                                 }),
                  timeouts_.end());
  timeouts_.push_back(now);
  return timeouts_.size() >= kMostTimeouts && now - heard >= longest_;
}

}  // namespace banyan::lspd
