// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/known_uses.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "lspd/queries/find_referencing_symbols.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMostFilesListed = 20;

}  // namespace

absl::StatusOr<lsp::v1::FindReferencingSymbolsResponse> UsesOf(
    EditStep& step, const std::string& path, const std::string& name_path) {
  lsp::v1::FindReferencingSymbolsRequest request;
  request.set_name_path(name_path);
  request.set_relative_path(path);
  request.set_include_imports(true);
  return FindReferencingSymbols(step.tools, step.asker, step.call, request);
}

absl::StatusOr<std::vector<std::string>> DoubtsAboutUses(
    EditStep& step, const std::string& path, const std::string& name_path,
    const std::set<std::string>& known) {
  ASSIGN_OR_RETURN(const auto uses, UsesOf(step, path, name_path));
  std::vector<std::string> doubts = DoubtsOf(uses.incomplete());
  std::vector<std::string> text_only;
  for (const std::string& file : uses.text_only()) {
    if (known.count(file) == 0) text_only.push_back(file);
  }
  if (text_only.empty()) return doubts;
  const size_t count = text_only.size();
  text_only.resize(std::min(count, kMostFilesListed));
  doubts.push_back(absl::StrCat("the word also stands in ",
                                absl::StrJoin(text_only, ", "),
                                count > kMostFilesListed ? " and more" : "",
                                ", where the language server names no use"));
  return doubts;
}

std::vector<std::string> DoubtsOf(
    const google::protobuf::RepeatedPtrField<lsp::v1::Incompleteness>&
        incomplete) {
  std::vector<std::string> doubts;
  for (const lsp::v1::Incompleteness& each : incomplete) {
    const std::string reason = absl::AsciiStrToLower(absl::StripPrefix(
        lsp::v1::IncompleteReason_Name(each.reason()), "INCOMPLETE_REASON_"));
    std::string doubt = absl::StrCat(
        each.language(), each.language().empty() ? "" : ": ", reason);
    if (each.count() > 0) absl::StrAppend(&doubt, " (", each.count(), ")");
    if (std::find(doubts.begin(), doubts.end(), doubt) == doubts.end()) {
      doubts.push_back(std::move(doubt));
    }
  }
  return doubts;
}

}  // namespace banyan::lspd
