// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/unified_diff.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

absl::Status Gone(const std::string& path) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_CONFLICT,
      absl::StrCat(path,
                   " is gone: somebody deleted or moved it since you saw "
                   "it. Nothing was changed."));
}

// What the caller saw against what is there.
absl::Status Differs(EditStep& step, const std::string& path,
                     const std::string& seen_hash, absl::string_view now,
                     const std::string& now_hash) {
  std::string message = absl::StrCat(
      path,
      " is not what you saw: somebody changed it since. Nothing was "
      "changed by this call. Its hash is now ",
      now_hash, ".");
  const auto seen = step.shown.TextOf(seen_hash);
  if (seen != nullptr) {
    absl::StrAppend(&message, " The difference:\n",
                    ShortDiff(*seen, now, path));
  } else {
    absl::StrAppend(&message,
                    " The text that you saw is not known here any more; "
                    "read_file shows the file.");
  }
  return rpc::Error(rpc::v1::ERROR_REASON_CONFLICT, message);
}

}  // namespace

absl::Status CheckSeen(EditStep& step, const std::string& path,
                       const std::string& expected_hash, bool uses_shown) {
  ASSIGN_OR_RETURN(const std::string real, step.draft.RealPath(path));
  std::string seen = expected_hash;
  if (seen.empty() && uses_shown && !step.handle_hash.empty()) {
    seen = step.shown.LastHash(step.handle_hash, real).value_or("");
  }
  if (seen.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto now_hash, step.draft.DiskHash(path));
  if (!now_hash) {
    step.shown.Forget(step.handle_hash, real);
    return Gone(path);
  }
  ASSIGN_OR_RETURN(const absl::string_view now, step.draft.Read(path));
  if (*now_hash == seen) {
    // Who names the right hash has seen the file, wherever that was.
    step.shown.Note(step.handle_hash, real, *now_hash, now);
    return absl::OkStatus();
  }
  absl::Status refusal = Differs(step, path, seen, now, *now_hash);
  step.shown.Note(step.handle_hash, real, *now_hash, now);
  return refusal;
}

}  // namespace banyan::lspd
