// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/failures.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

lsp::v1::IncompleteReason ReasonFor(rpc::ErrorReason reason) {
  switch (reason) {
    case rpc::v1::ERROR_REASON_SERVER_MISSING:
    case rpc::v1::ERROR_REASON_POOL_FULL:
      return lsp::v1::INCOMPLETE_REASON_SERVER_MISSING;
    case rpc::v1::ERROR_REASON_SERVER_DOWN:
      return lsp::v1::INCOMPLETE_REASON_SERVER_RESTARTED;
    case rpc::v1::ERROR_REASON_DEADLINE:
      return lsp::v1::INCOMPLETE_REASON_DEADLINE;
    default:
      return lsp::v1::INCOMPLETE_REASON_FILES_NOT_SEARCHED;
  }
}

}  // namespace

void Failures::Add(Question& question, const std::string& path,
                   const absl::Status& status) {
  const absl::StatusOr<std::string> language = question.LanguageOf(path);
  Add(question, language.value_or(""), path, status);
}

void Failures::Add(Question& question, const std::string& language,
                   const std::string& path, const absl::Status& status) {
  const rpc::ErrorReason reason = rpc::ReasonOf(status);
  if (reason == rpc::v1::ERROR_REASON_FILE_NOT_FOUND && !path.empty()) {
    question.NoteChanged();
    return;
  }
  if (first_.ok()) first_ = status;
  if (fatal_.ok() &&
      (reason == rpc::v1::ERROR_REASON_CANCELLED ||
       (reason == rpc::v1::ERROR_REASON_SERVER_DOWN && question.is_first()))) {
    fatal_ = status;
  }
  counts_[{language, ReasonFor(reason)}] += path.empty() ? 0 : 1;
}

absl::Status Failures::Verdict(Question& question,
                               bool is_something_known) const {
  if (!fatal_.ok()) return fatal_;
  if (!first_.ok() && !is_something_known) return first_;
  for (const auto& [key, count] : counts_) {
    question.AddIncomplete(std::get<0>(key), std::get<1>(key), count);
  }
  return absl::OkStatus();
}

std::string DoubtOf(const Question& question) {
  google::protobuf::RepeatedPtrField<lsp::v1::Incompleteness> entries;
  question.completeness().ToProto(&entries);
  if (entries.empty()) return ".";
  std::vector<std::string> reasons;
  for (const lsp::v1::Incompleteness& entry : entries) {
    absl::string_view name = lsp::v1::IncompleteReason_Name(entry.reason());
    absl::ConsumePrefix(&name, "INCOMPLETE_REASON_");
    reasons.push_back(absl::AsciiStrToLower(name));
  }
  return absl::StrCat(" (not all is known: ", absl::StrJoin(reasons, ", "),
                      ").");
}

}  // namespace banyan::lspd
