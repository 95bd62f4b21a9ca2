// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_SESSIONS_LAST_USE_H_
#define SESSIOND_SESSIONS_LAST_USE_H_

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "sessiond/sessions/expiry.h"

namespace banyan::sessiond {

// When records were last used: in memory, since a call must not cost a write.
// Whoever owns this writes what is due now and then. Keys come from records that
// exist and are forgotten with them, so made-up ids take no space. Thread-safe.
class LastUse {
 public:
  struct Due {
    std::string key;
    absl::Time last_used;
  };

  LastUse(const LifeLimits& limits, absl::Time process_start)
      : limits_(limits), process_start_(process_start) {}

  // Moves forward only. `stored` is what the record says.
  void Touch(absl::string_view key, absl::Time stored, absl::Time now);

  absl::Time Of(absl::string_view key, absl::Time stored) const;

  // Uses that the stored record lags behind by LastUseLag; with `all`, every
  // one that was not written yet. They count as written from here on.
  std::vector<Due> TakeDue(bool all);

  // The record is gone.
  void Forget(absl::string_view key);

 private:
  struct Use {
    absl::Time last;
    absl::Time written;
  };

  const LifeLimits limits_;
  const absl::Time process_start_;
  mutable std::mutex mutex_;
  std::map<std::string, Use, std::less<>> uses_;  // Guarded by mutex_.
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_SESSIONS_LAST_USE_H_
