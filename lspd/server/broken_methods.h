// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_BROKEN_METHODS_H_
#define LSPD_SERVER_BROKEN_METHODS_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// Tells a process that was born broken from one that trips over one file: it
// has answered a method only with internal errors, several times, and never
// well. (pyright, started after its predecessor was killed, may refuse every
// question about references for the rest of its life.) Pure, not thread-safe.
class BrokenMethods {
 public:
  // `is_internal_error`: the server's own failure, and no other refusal. True:
  // the process is broken.
  bool OnAnswer(absl::string_view method, bool is_internal_error) {
    int& errors = errors_[std::string(method)];
    if (errors == kHasWorked) return false;
    if (!is_internal_error) {
      errors = kHasWorked;
      return false;
    }
    return ++errors >= kMostErrors;
  }

 private:
  static constexpr int kHasWorked = -1;
  static constexpr int kMostErrors = 4;  // Two questions, each asked twice.

  std::map<std::string, int> errors_;
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_BROKEN_METHODS_H_
