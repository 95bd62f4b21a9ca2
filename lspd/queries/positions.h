// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_POSITIONS_H_
#define LSPD_QUERIES_POSITIONS_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/symbol_service.pb.h"
#include "lspd/queries/question.h"
#include "lspd/queries/symbol_search.h"

namespace banyan::lspd {

// A place in a file, however it was named.
struct FilePosition {
  std::shared_ptr<const SourceFile> file;
  std::string language;
  TextPosition position;
  std::optional<SymbolMatch> symbol;  // Where a name path named it.
};

//   ARGUMENT_INVALID  nothing names a place, or the line does not exist
//   PATTERN_INVALID   not an expression, not one group, or not one match
//   and those of FindOneSymbol
absl::StatusOr<FilePosition> FindPosition(Question& question,
                                          const lsp::v1::Position& position);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_POSITIONS_H_
