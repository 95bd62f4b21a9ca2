// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_UNKNOWN_METHODS_H_
#define LSPD_SERVER_UNKNOWN_METHODS_H_

#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// Which methods a server, in this version, answered with "method not found"
// although it announces them: announcements hold for families of methods, not
// for each. Outlives server processes. Thread-safe.
class UnknownMethods {
 public:
  void Remember(absl::string_view fingerprint, absl::string_view method) {
    std::lock_guard<std::mutex> lock(mutex_);
    methods_.emplace(fingerprint, method);
  }
  bool Contains(absl::string_view fingerprint, absl::string_view method) const {
    std::lock_guard<std::mutex> lock(mutex_);
    return methods_.count({std::string(fingerprint), std::string(method)}) > 0;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::pair<std::string, std::string>> methods_;  // Guarded by mutex_.
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_UNKNOWN_METHODS_H_
