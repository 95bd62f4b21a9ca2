// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/find_declaration.h"

#include <string>
#include <vector>

#include "lspd/protocol/lsp_types.h"
#include "lspd/queries/locations.h"
#include "lspd/queries/project_fit.h"
#include "lspd/queries/symbol_details.h"
#include "lspd/queries/symbol_search.h"
#include "lspd/queries/symbols_at.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using Response = lsp::v1::FindDeclarationResponse;

// Columns would need a text that is not ours to read.
lsp::v1::Symbol ExternalSymbol(const PlaceOutside& place) {
  lsp::v1::Symbol symbol;
  symbol.set_is_external(true);
  symbol.set_relative_path(place.path);
  symbol.mutable_range()->set_start_line(place.range.start.line + 1);
  symbol.mutable_range()->set_end_line(place.range.end.line + 1);
  return symbol;
}

absl::StatusOr<Response> Answer(
    Question& question, const lsp::v1::FindDeclarationRequest& request) {
  ASSIGN_OR_RETURN(const FilePosition asked,
                   FindPosition(question, request.position()));
  ASSIGN_OR_RETURN(LanguageServer* const server,
                   question.ReadyServerOf(asked.language));
  AddProjectFit(question, asked.language, asked.file->relative_path());
  ASSIGN_OR_RETURN(const nlohmann::json answer,
                   AskAt(question, *server, *asked.file, asked.position,
                         "textDocument/definition", nlohmann::json::object()));
  const absl::StatusOr<std::vector<Location>> locations =
      LocationsFromJson(answer);
  if (!locations.ok()) {
    return rpc::Error(rpc::v1::ERROR_REASON_INTERNAL,
                      locations.status().message());
  }

  const Places places = ResolveLocations(question, *server, *locations);
  Response response;
  for (const PlaceInRoot& place : places.inside) {
    ASSIGN_OR_RETURN(*response.add_symbols(),
                     SymbolAtPlace(question, place, request.include_body()));
  }
  for (const PlaceOutside& place : places.outside) {
    *response.add_symbols() = ExternalSymbol(place);
  }
  if (request.include_info() && response.symbols_size() > 0) {
    ASSIGN_OR_RETURN(
        const std::string info,
        HoverText(question, *asked.file, asked.language, asked.position));
    response.mutable_symbols(0)->set_info(info);
  }
  return response;
}

}  // namespace

absl::StatusOr<Response> FindDeclaration(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const lsp::v1::FindDeclarationRequest& request) {
  return Ask<Response>(tools, asker, call, [&](Question& question) {
    return Answer(question, request);
  });
}

}  // namespace banyan::lspd
