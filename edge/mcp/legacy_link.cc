// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/legacy_link.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "edge/mcp/client_answers.h"
#include "edge/mcp/json_rpc.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

// For clients that never said what they want.
constexpr char kUsualLevel[] = "info";

// How long a person has for an answer.
constexpr absl::Duration kAnswerWait = absl::Minutes(10);

}  // namespace

LegacyLink::LegacyLink(Call call, AnswerStream& stream,
                       ClientRequests& requests)
    : call_(std::move(call)),
      notices_(call_.progress_token,
               call_.log_level.empty() ? kUsualLevel : call_.log_level),
      stream_(stream),
      requests_(requests) {}

void LegacyLink::ReportProgress(double progress, std::optional<double> total,
                                absl::string_view message) {
  const auto notice = notices_.Progress(progress, total, message, absl::Now());
  if (notice.has_value()) stream_.Send(*notice);
}

void LegacyLink::Log(absl::string_view level, absl::string_view logger,
                     const json& data) {
  const auto notice = notices_.Log(level, logger, data);
  if (notice.has_value()) stream_.Send(*notice);
}

bool LegacyLink::CanAnswer(QuestionKind kind) const {
  return Declares(call_.capabilities, kind);
}

absl::StatusOr<json> LegacyLink::Ask(const std::vector<Question>& questions) {
  json answers = json::object();
  for (const Question& question : questions) {
    const absl::string_view method = MethodOf(question.kind);
    if (!CanAnswer(question.kind)) {
      return rpc::Error(
          rpc::v1::ERROR_REASON_UNSUPPORTED,
          absl::StrCat("This call has to ask ", method,
                       ", which this client did not declare. Use another "
                       "client, or do without this tool."));
    }
    const std::string id = requests_.Begin(call_.session_id);
    stream_.Send(RequestText(id, method, question.params));
    rpc::CallContext waiting = call_.context;
    waiting.deadline = std::min(waiting.deadline, absl::Now() + kAnswerWait);
    ASSIGN_OR_RETURN(json answer,
                     requests_.Await(call_.session_id, id, waiting));
    if (!IsAnswer(answer, question.kind)) {
      return rpc::Error(rpc::v1::ERROR_REASON_CONFLICT,
                        absl::StrCat("The client's answer to ", method,
                                     " has no such shape."));
    }
    answers[question.key] = std::move(answer);
  }
  return answers;
}

void LegacyLink::LetClientPoll() { stream_.LetClientPoll(); }

}  // namespace banyan::edge
