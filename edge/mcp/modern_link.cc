// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/modern_link.h"

#include <utility>

#include "absl/time/clock.h"
#include "edge/mcp/client_answers.h"
#include "edge/mcp/json_rpc.h"
#include "proto/rpc/error_reason.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

absl::Status Asked() {
  return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, "The client is asked.");
}

}  // namespace

ModernLink::ModernLink(Call call, std::shared_ptr<EventSink> events)
    : call_(std::move(call)),
      notices_(call_.progress_token, call_.log_level),
      events_(std::move(events)),
      used_answers_(json::object()) {}

void ModernLink::ReportProgress(double progress, std::optional<double> total,
                                absl::string_view message) {
  const auto notice = notices_.Progress(progress, total, message, absl::Now());
  if (notice.has_value()) events_->Send("", *notice);
}

void ModernLink::Log(absl::string_view level, absl::string_view logger,
                     const json& data) {
  const auto notice = notices_.Log(level, logger, data);
  if (notice.has_value()) events_->Send("", *notice);
}

bool ModernLink::CanAnswer(QuestionKind kind) const {
  return Declares(call_.capabilities, kind);
}

absl::StatusOr<json> ModernLink::Ask(const std::vector<Question>& questions) {
  json answers = json::object();
  json open = json::object();
  json lacking = json::object();
  for (const Question& question : questions) {
    const json* answer = &Member(call_.new_answers, question.key);
    if (!IsAnswer(*answer, question.kind)) {
      answer = &Member(call_.kept_answers, question.key);
    }
    if (IsAnswer(*answer, question.kind)) {
      answers[question.key] = *answer;
      continue;
    }
    if (!CanAnswer(question.kind)) {
      lacking.update(CapabilityFor(question.kind));
      continue;
    }
    open[question.key] = {
        {"method", std::string(MethodOf(question.kind))},
        {"params",
         question.params.is_null() ? json::object() : question.params}};
  }
  const std::lock_guard lock(mutex_);
  used_answers_.update(answers);
  if (!lacking.empty()) {
    interruption_ = {
        .questions = nullptr,
        .answers = nullptr,
        .error = {.code = kMissingClientCapability,
                  .message = "This call has to ask the client something that "
                             "it did not declare.",
                  .data = {{"requiredCapabilities", std::move(lacking)}}}};
    return Asked();
  }
  if (!open.empty()) {
    interruption_ = {
        .questions = std::move(open), .answers = used_answers_, .error = {}};
    return Asked();
  }
  return answers;
}

std::optional<ModernLink::Interruption> ModernLink::TakeInterruption() {
  const std::lock_guard lock(mutex_);
  return std::exchange(interruption_, std::nullopt);
}

}  // namespace banyan::edge
