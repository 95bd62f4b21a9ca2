// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/find_implementations.h"

#include <string>
#include <vector>

#include "lspd/protocol/lsp_types.h"
#include "lspd/queries/attempts.h"
#include "lspd/queries/locations.h"
#include "lspd/queries/project_fit.h"
#include "lspd/queries/symbol_details.h"
#include "lspd/queries/symbol_search.h"
#include "lspd/queries/symbols_at.h"
#include "lspd/workspace/relative_path.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using Response = lsp::v1::FindImplementationsResponse;

absl::StatusOr<Response> Answer(
    Question& question, const lsp::v1::FindImplementationsRequest& request) {
  ASSIGN_OR_RETURN(const std::string path,
                   CleanRelativePath(request.relative_path()));
  ASSIGN_OR_RETURN(const SymbolMatch target,
                   FindOneSymbol(question, request.name_path(), path));
  const std::string& language = target.file.language;
  ASSIGN_OR_RETURN(LanguageServer* const server,
                   question.ReadyServerOf(language));
  ASSIGN_OR_RETURN(const auto file, question.File(target.file.relative_path));
  if (file->hash() != target.file.hash) question.NoteChanged();
  AddProjectFit(question, language, target.file.relative_path);
  ASSIGN_OR_RETURN(
      const nlohmann::json answer,
      AskAt(question, *server, *file, target.place.node->selection.start,
            "textDocument/implementation", nlohmann::json::object()));
  ASSIGN_OR_RETURN(const std::vector<Location> locations,
                   LocationsFromJson(answer));

  const Places places = ResolveLocations(question, *server, locations);
  if (!places.outside.empty()) {
    question.AddIncomplete(language, lsp::v1::INCOMPLETE_REASON_OUTSIDE_ROOT,
                           static_cast<int64_t>(places.outside.size()));
  }
  Response response;
  for (const PlaceInRoot& place : places.inside) {
    ASSIGN_OR_RETURN(*response.add_symbols(),
                     SymbolAtPlace(question, place, /*include_body=*/false));
  }
  return response;
}

}  // namespace

absl::StatusOr<Response> FindImplementations(
    const QueryTools& tools, const Asker& asker, const rpc::CallContext& call,
    const lsp::v1::FindImplementationsRequest& request) {
  return Ask<Response>(tools, asker, call, [&](Question& question) {
    return Answer(question, request);
  });
}

}  // namespace banyan::lspd
