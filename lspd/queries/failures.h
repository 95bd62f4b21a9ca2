// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_FAILURES_H_
#define LSPD_QUERIES_FAILURES_H_

#include <map>
#include <string>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// What went wrong for single files and languages while the rest went on, and
// whether that makes the whole an error or an incomplete answer.
class Failures {
 public:
  // A file that vanished is a change of the tree, no failure.
  void Add(Question& question, const std::string& path,
           const absl::Status& status);
  void Add(Question& question, const std::string& language,
           const std::string& path, const absl::Status& status);

  // OK: the failures are in question.completeness(). Else the first of them:
  // the caller left, a server died and may be asked again, or nothing at all
  // was answered.
  absl::Status Verdict(Question& question, bool is_something_known) const;

 private:
  std::map<std::tuple<std::string, lsp::v1::IncompleteReason>, int64_t> counts_;
  absl::Status first_;
  absl::Status fatal_;
};

// " (not all is known yet: indexing)" where an empty answer may mean that;
// else ".".
std::string DoubtOf(const Question& question);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_FAILURES_H_
