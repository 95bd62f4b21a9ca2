// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_SYMBOL_DETAILS_H_
#define LSPD_QUERIES_SYMBOL_DETAILS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "banyan/lsp/v1/symbol.pb.h"
#include "lspd/protocol/text_position.h"
#include "lspd/queries/question.h"
#include "lspd/queries/symbol_search.h"
#include "nlohmann/json_fwd.hpp"

namespace banyan::lspd {

// Asks `method` about a position of a file that is open meanwhile. `extra` is
// merged into the params.
//   UNSUPPORTED  the server does not offer it; the message names both
absl::StatusOr<nlohmann::json> AskAt(Question& question, LanguageServer& server,
                                     const SourceFile& file,
                                     const TextPosition& position,
                                     const std::string& method,
                                     const nlohmann::json& extra);

// What hovering shows; "" when the server knows nothing.
absl::StatusOr<std::string> HoverText(Question& question,
                                      const SourceFile& file,
                                      const std::string& language,
                                      const TextPosition& position);

// The source text of the symbol, and the hash of the file it was taken from.
absl::Status AddBody(Question& question, const SymbolMatch& match,
                     lsp::v1::Symbol* out);

// Hover text; a server without hover leaves it empty.
absl::Status AddInfo(Question& question, const SymbolMatch& match,
                     lsp::v1::Symbol* out);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_SYMBOL_DETAILS_H_
