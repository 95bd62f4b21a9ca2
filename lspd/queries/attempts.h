// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_ATTEMPTS_H_
#define LSPD_QUERIES_ATTEMPTS_H_

#include <algorithm>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lspd/queries/question.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// After a server's death its successor has this long to answer, or the death
// itself is the answer: whoever asked must not wait for another start.
constexpr absl::Duration kSecondTry = absl::Milliseconds(1'500);

// Whether to ask again, and what the last answer must admit. The decision
// behind Ask().
class Attempts {
 public:
  enum class Next { kAnswer, kAskAgain, kAnswerWithDeath };

  // After an attempt that ended with `status`; `is_changed` says that the tree
  // moved under it, `is_cut_short` that it lacked time.
  Next After(const absl::Status& status, bool is_changed, bool is_cut_short,
             bool is_over);

  bool has_retried_crash() const { return !death_.ok(); }

  // SERVER_DOWN, once a server died.
  const absl::Status& death() const { return death_; }

  // The answer must say `changed_while_reading`.
  bool is_torn() const { return is_torn_; }

 private:
  bool has_retried_change_ = false;
  absl::Status death_;
  bool is_torn_ = false;
};

// Answers with `ask`, at most a few times: once more when the tree changed
// meanwhile (then with `changed_while_reading`), and once more, though only
// for kSecondTry, when a server died over it. `Answer` is a response with
// `incomplete`.
template <typename Answer>
absl::StatusOr<Answer> Ask(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const std::function<absl::StatusOr<Answer>(Question&)>& ask) {
  Attempts attempts;
  rpc::CallContext attempt = call;
  for (;;) {
    Question question(tools, asker, attempt, !attempts.has_retried_crash());
    absl::StatusOr<Answer> answer = ask(question);
    const bool is_second_try = attempts.has_retried_crash();
    const bool is_changed = question.has_changed() ||
                            question.state().ReadCounter(
                                asker.workspace->changes()) != question.count();
    const Attempts::Next next = attempts.After(
        answer.status(), is_changed, question.completeness().is_cut_short(),
        attempt.IsOver());
    if (next == Attempts::Next::kAnswerWithDeath) return attempts.death();
    if (next == Attempts::Next::kAskAgain) {
      if (attempts.has_retried_crash() && !is_second_try) {
        attempt.deadline = std::min(call.deadline, absl::Now() + kSecondTry);
      }
      continue;
    }
    if (!answer.ok()) return answer.status();
    if (attempts.is_torn()) {
      question.AddIncomplete("",
                             lsp::v1::INCOMPLETE_REASON_CHANGED_WHILE_READING);
    }
    question.completeness().ToProto(answer->mutable_incomplete());
    return answer;
  }
}

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_ATTEMPTS_H_
