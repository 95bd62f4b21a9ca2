// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_IMPORT_LINES_H_
#define LSPD_QUERIES_IMPORT_LINES_H_

#include "absl/strings/string_view.h"
#include "lspd/protocol/text_position.h"

namespace banyan::lspd {

// The line (1-based) belongs to a statement that only brings names in: Python's
// and TypeScript's `import`, Rust's `use`, C++'s `using`, also where the
// statement goes over several lines. Judged by the text alone; languages
// without such a statement have none.
bool IsImportLine(const LineIndex& text, int line, absl::string_view language);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_IMPORT_LINES_H_
