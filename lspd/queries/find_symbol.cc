// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/find_symbol.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lspd/queries/attempts.h"
#include "lspd/queries/failures.h"
#include "lspd/queries/parallel.h"
#include "lspd/queries/symbol_details.h"
#include "lspd/queries/symbol_kinds.h"
#include "lspd/queries/symbol_search.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMostSymbols = 10'000;
constexpr size_t kMostBodyBytes = size_t{32} << 20;  // Of all bodies together.
constexpr size_t kMostHovers = 100;
constexpr size_t kHoversAtOnce = 8;

using Response = lsp::v1::FindSymbolResponse;

void Cut(Question& question, size_t most, std::vector<SymbolMatch>* matches) {
  if (matches->size() <= most) return;
  question.AddIncomplete("", lsp::v1::INCOMPLETE_REASON_RESULT_CAP,
                         static_cast<int64_t>(matches->size() - most));
  matches->resize(most);
}

absl::Status AddBodies(Question& question,
                       const std::vector<SymbolMatch>& matches, Response* out) {
  size_t bytes = 0;
  for (size_t i = 0; i < matches.size(); ++i) {
    if (bytes > kMostBodyBytes) {
      question.AddIncomplete("", lsp::v1::INCOMPLETE_REASON_RESULT_CAP,
                             static_cast<int64_t>(matches.size() - i));
      break;
    }
    lsp::v1::Symbol* const symbol = out->mutable_symbols(static_cast<int>(i));
    RETURN_IF_ERROR(AddBody(question, matches[i], symbol));
    bytes += symbol->body().size();
  }
  return absl::OkStatus();
}

absl::Status AddInfos(Question& question,
                      const std::vector<SymbolMatch>& matches, Response* out) {
  const size_t count = std::min(matches.size(), kMostHovers);
  std::vector<absl::Status> statuses(count);
  InParallel(count, kHoversAtOnce, [&](size_t i) {
    statuses[i] = AddInfo(question, matches[i],
                          out->mutable_symbols(static_cast<int>(i)));
  });
  Failures failures;
  for (size_t i = 0; i < count; ++i) {
    if (!statuses[i].ok()) {
      failures.Add(question, matches[i].file.relative_path, statuses[i]);
    }
  }
  if (matches.size() > count) {
    question.AddIncomplete("", lsp::v1::INCOMPLETE_REASON_RESULT_CAP,
                           static_cast<int64_t>(matches.size() - count));
  }
  return failures.Verdict(question, true);
}

absl::StatusOr<Response> Answer(Question& question,
                                const lsp::v1::FindSymbolRequest& request) {
  RETURN_IF_ERROR(CheckDepth(request.depth()));
  ASSIGN_OR_RETURN(const NamePathPattern pattern,
                   NamePathPattern::Parse(request.name_path_pattern(),
                                          request.substring_matching()));
  ASSIGN_OR_RETURN(
      const SymbolKinds kinds,
      SymbolKinds::Parse(request.include_kinds(), request.exclude_kinds()));
  ASSIGN_OR_RETURN(const std::string path,
                   CleanRelativePath(request.relative_path()));
  ASSIGN_OR_RETURN(std::vector<SymbolMatch> matches,
                   SearchSymbols(question, pattern, path));
  matches.erase(std::remove_if(matches.begin(), matches.end(),
                               [&](const SymbolMatch& match) {
                                 return !kinds.Wants(match.place.node->kind);
                               }),
                matches.end());
  if (matches.empty()) {
    RETURN_IF_ERROR(CheckSpelling(request.name_path_pattern()));
  }
  Cut(question,
      request.max_matches() > 0
          ? std::min(static_cast<size_t>(request.max_matches()), kMostSymbols)
          : kMostSymbols,
      &matches);

  Response response;
  for (const SymbolMatch& match : matches) {
    *response.add_symbols() =
        ToProto(match.place, match.file.relative_path, request.depth());
  }
  if (request.include_body()) {
    RETURN_IF_ERROR(AddBodies(question, matches, &response));
  }
  if (request.include_info()) {
    RETURN_IF_ERROR(AddInfos(question, matches, &response));
  }
  response.set_files_asked(question.files_asked());
  return response;
}

}  // namespace

absl::StatusOr<Response> FindSymbol(const QueryTools& tools, const Asker& asker,
                                    const rpc::CallContext& call,
                                    const lsp::v1::FindSymbolRequest& request) {
  return Ask<Response>(tools, asker, call, [&](Question& question) {
    return Answer(question, request);
  });
}

}  // namespace banyan::lspd
