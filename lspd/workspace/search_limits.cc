// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/search_limits.h"

#include <algorithm>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

// Of a caller that set no deadline.
constexpr absl::Duration kLongestSearch = absl::Minutes(1);

}  // namespace

rpc::CallContext WithTimeToAnswer(const rpc::CallContext& call) {
  const absl::Time now = absl::Now();
  const absl::Duration left = std::min(call.deadline - now, kLongestSearch);
  rpc::CallContext earlier = call;
  earlier.deadline = now + left - std::min(absl::Milliseconds(200), left / 10);
  return earlier;
}

absl::Status ErrorOf(ProgramEnd end, bool has_output) {
  if (end == ProgramEnd::kCancelled) {
    return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, "cancelled");
  }
  if (end == ProgramEnd::kDeadline && !has_output) {
    return rpc::Error(rpc::v1::ERROR_REASON_DEADLINE,
                      "the search took too long; name a folder in "
                      "relative_path or narrow the pattern");
  }
  if (end == ProgramEnd::kDied && !has_output) {
    return rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN,
                      "the search program was killed before it found "
                      "anything; try again");
  }
  return absl::OkStatus();
}

void AddIncompleteness(ProgramEnd end, int64_t unreadable, bool is_git_unknown,
                       std::vector<lsp::v1::Incompleteness>* incomplete) {
  if (end == ProgramEnd::kDeadline) {
    AddIncomplete(lsp::v1::INCOMPLETE_REASON_DEADLINE, 0, incomplete);
  }
  if (end == ProgramEnd::kOutputLimit) {
    AddIncomplete(lsp::v1::INCOMPLETE_REASON_RESULT_CAP, 0, incomplete);
  }
  if (unreadable > 0 || is_git_unknown || end == ProgramEnd::kDied) {
    AddIncomplete(lsp::v1::INCOMPLETE_REASON_FILES_NOT_SEARCHED, unreadable,
                  incomplete);
  }
}

void AddIncomplete(lsp::v1::IncompleteReason reason, int64_t count,
                   std::vector<lsp::v1::Incompleteness>* incomplete) {
  for (lsp::v1::Incompleteness& entry : *incomplete) {
    if (entry.reason() == reason) {
      entry.set_count(entry.count() + count);
      return;
    }
  }
  lsp::v1::Incompleteness& entry = incomplete->emplace_back();
  entry.set_reason(reason);
  entry.set_count(count);
}

void AddFilesNotSearched(int64_t count,
                         std::vector<lsp::v1::Incompleteness>* incomplete) {
  if (count > 0) {
    AddIncomplete(lsp::v1::INCOMPLETE_REASON_FILES_NOT_SEARCHED, count,
                  incomplete);
  }
}

}  // namespace banyan::lspd
