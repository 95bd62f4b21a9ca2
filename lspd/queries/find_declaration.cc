// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/find_declaration.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "lspd/protocol/lsp_types.h"
#include "lspd/queries/attempts.h"
#include "lspd/queries/locations.h"
#include "lspd/queries/positions.h"
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

// The identifier that is asked about.
std::string NameAt(const SourceFile& file, const TextPosition& position) {
  const absl::string_view line = file.lines().Line(position.line);
  const size_t line_start =
      file.lines().OffsetOf(TextPosition{.line = position.line, .column = 1});
  const size_t start =
      std::min(line.size(), file.lines().OffsetOf(position) - line_start);
  size_t end = start;
  while (end < line.size() &&
         (absl::ascii_isalnum(line[end]) || line[end] == '_' ||
          line[end] == '$' || static_cast<unsigned char>(line[end]) >= 0x80)) {
    ++end;
  }
  return Utf8Text(line.substr(start, end - start));
}

// Columns would need a text that is not ours to read.
lsp::v1::Symbol ExternalSymbol(const PlaceOutside& place,
                               const std::string& name) {
  lsp::v1::Symbol symbol;
  symbol.set_name(name);
  symbol.set_name_path(name);
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
  ASSIGN_OR_RETURN(const std::vector<Location> locations,
                   LocationsFromJson(answer));

  const Places places = ResolveLocations(question, *server, locations);
  Response response;
  for (const PlaceInRoot& place : places.inside) {
    ASSIGN_OR_RETURN(*response.add_symbols(),
                     SymbolAtPlace(question, place, request.include_body()));
  }
  for (const PlaceOutside& place : places.outside) {
    *response.add_symbols() =
        ExternalSymbol(place, NameAt(*asked.file, asked.position));
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
