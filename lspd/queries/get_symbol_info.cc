// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/get_symbol_info.h"

#include <string>

#include "lspd/queries/attempts.h"
#include "lspd/queries/positions.h"
#include "lspd/queries/project_fit.h"
#include "lspd/queries/symbol_details.h"
#include "lspd/queries/symbol_search.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using Response = lsp::v1::GetSymbolInfoResponse;

absl::StatusOr<Response> Answer(Question& question,
                                const lsp::v1::GetSymbolInfoRequest& request) {
  ASSIGN_OR_RETURN(const FilePosition asked,
                   FindPosition(question, request.position()));
  AddProjectFit(question, asked.language, asked.file->relative_path());
  Response response;
  ASSIGN_OR_RETURN(
      const std::string info,
      HoverText(question, *asked.file, asked.language, asked.position));
  response.set_info(info);
  if (asked.symbol) {
    *response.mutable_symbol() =
        ToProto(asked.symbol->place, asked.symbol->file.relative_path, 0);
  }
  return response;
}

}  // namespace

absl::StatusOr<Response> GetSymbolInfo(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const lsp::v1::GetSymbolInfoRequest& request) {
  return Ask<Response>(tools, asker, call, [&](Question& question) {
    return Answer(question, request);
  });
}

}  // namespace banyan::lspd
