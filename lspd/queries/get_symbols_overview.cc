// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/get_symbols_overview.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "lspd/queries/attempts.h"
#include "lspd/queries/symbol_tree.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using Response = lsp::v1::GetSymbolsOverviewResponse;

absl::StatusOr<Response> Answer(
    Question& question, const lsp::v1::GetSymbolsOverviewRequest& request) {
  RETURN_IF_ERROR(CheckDepth(request.depth()));
  ASSIGN_OR_RETURN(const std::string path,
                   CleanRelativePath(request.relative_path()));
  ASSIGN_OR_RETURN(const FileState state,
                   question.workspace().root().Stat(path));
  if (state.kind != FileKind::kFile) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_NOT_A_FILE,
        absl::StrCat("\"", path,
                     "\" is no file. An overview is of one file; list_dir "
                     "shows the files of a folder."));
  }
  ASSIGN_OR_RETURN(const SymbolsOfFile file, question.SymbolsOf(path));
  Response response;
  response.set_hash(file.hash);
  ForEachSymbol(*file.symbols, [&](const SymbolPlace& place) {
    *response.add_symbols() = ToProto(place, path, request.depth());
    return false;
  });
  return response;
}

}  // namespace

absl::StatusOr<Response> GetSymbolsOverview(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const lsp::v1::GetSymbolsOverviewRequest& request) {
  return Ask<Response>(tools, asker, call, [&](Question& question) {
    return Answer(question, request);
  });
}

}  // namespace banyan::lspd
