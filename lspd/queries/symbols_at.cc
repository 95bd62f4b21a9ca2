// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/symbols_at.h"

#include <optional>
#include <string>

#include "lspd/queries/symbol_details.h"
#include "lspd/queries/symbol_search.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

lsp::v1::Symbol NamelessAt(const PlaceInRoot& place, bool include_body) {
  const LineIndex& lines = place.file->lines();
  lsp::v1::Symbol symbol;
  symbol.set_name(Utf8Text(lines.Slice(place.range)));
  symbol.set_relative_path(place.relative_path);
  *symbol.mutable_range() = ToProto(place.range);
  *symbol.mutable_selection_range() = ToProto(place.range);
  if (include_body) {
    symbol.set_body(Utf8Text(lines.Line(place.range.start.line)));
    symbol.set_hash(place.file->hash());
  }
  return symbol;
}

}  // namespace

absl::StatusOr<lsp::v1::Symbol> SymbolAtPlace(Question& question,
                                              const PlaceInRoot& place,
                                              bool include_body) {
  if (!question.LanguageOf(place.relative_path).ok()) {
    return NamelessAt(place, include_body);
  }
  SymbolMatch match;
  ASSIGN_OR_RETURN(match.file, question.SymbolsOf(place.relative_path));
  const std::optional<SymbolPlace> named =
      SymbolNamedAt(*match.file.symbols, place.range.start);
  if (!named) return NamelessAt(place, include_body);
  match.place = *named;
  lsp::v1::Symbol symbol = ToProto(match.place, place.relative_path, 0);
  if (include_body) RETURN_IF_ERROR(AddBody(question, match, &symbol));
  return symbol;
}

}  // namespace banyan::lspd
