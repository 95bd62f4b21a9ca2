// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_consent.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kKey[] = "rename";
constexpr int kMostFilesNamed = 20;

std::string QuestionText(const lsp::v1::RenameSymbol& rename,
                         const lsp::v1::ApplyEditResponse& shown) {
  std::string text =
      absl::StrCat("Rename ", rename.name_path(), " to ", rename.new_name(),
                   " in ", shown.results_size(), " files?");
  const int named = std::min(shown.results_size(), kMostFilesNamed);
  for (int i = 0; i < named; ++i) {
    absl::StrAppend(&text, "\n", shown.results(i).relative_path());
  }
  if (named < shown.results_size()) absl::StrAppend(&text, "\n…");
  return text;
}

}  // namespace

bool AwaitsConsent(const lsp::v1::ApplyEditRequest& request,
                   const lsp::v1::ApplyEditResponse& shown) {
  return shown.is_preview() && !request.is_dry_run() &&
         request.operations_size() == 1 &&
         request.operations(0).has_rename_symbol() &&
         !request.operations(0).rename_symbol().is_confirmed();
}

absl::StatusOr<bool> AskForConsent(ClientLink& client,
                                   const lsp::v1::ApplyEditRequest& request,
                                   const lsp::v1::ApplyEditResponse& shown) {
  if (!client.CanAnswer(QuestionKind::kElicitation)) return false;
  const json schema = {{"type", "object"},
                       {"properties",
                        {{kKey,
                          {{"type", "boolean"},
                           {"title", "Make the change"},
                           {"default", true}}}}},
                       {"required", json::array({kKey})}};
  const absl::StatusOr<json> answers = client.Ask(
      {{.key = kKey,
        .kind = QuestionKind::kElicitation,
        .params = {{"message",
                    QuestionText(request.operations(0).rename_symbol(), shown)},
                   {"requestedSchema", schema}}}});
  if (!answers.ok()) {
    const bool is_asked =
        rpc::ReasonOf(answers.status()) == rpc::v1::ERROR_REASON_CANCELLED;
    if (is_asked) return answers.status();
    return false;
  }
  const json answer = answers->value(kKey, json::object());
  if (!answer.is_object() || answer.value("action", "") != "accept") {
    return false;
  }
  const json content = answer.value("content", json::object());
  return content.is_object() && content.value(kKey, json()) == json(true);
}

}  // namespace banyan::edge
