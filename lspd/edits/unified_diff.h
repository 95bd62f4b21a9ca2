// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_UNIFIED_DIFF_H_
#define LSPD_EDITS_UNIFIED_DIFF_H_

#include <string>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// The difference of two texts in the form of `diff -u`, with three lines of
// context and "a/" and "b/" before `path`. Bad UTF-8 is shown as U+FFFD. Empty
// when they are equal. Lines are compared with their ends; what differs in
// nothing else is shown with "\r" written out.
//
// Very different texts (or very long ones) are shown as one block removed and
// one added, so the cost stays linear.
std::string UnifiedDiff(absl::string_view before, absl::string_view after,
                        absl::string_view path);

// As UnifiedDiff, cut after about `most` bytes, with a line that says so.
std::string ShortDiff(absl::string_view before, absl::string_view after,
                      absl::string_view path, size_t most = 4000);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_UNIFIED_DIFF_H_
