// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_KNOWN_USES_H_
#define LSPD_EDITS_KNOWN_USES_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/completeness.pb.h"
#include "banyan/lsp/v1/symbol_service.pb.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "lspd/edits/edit_step.h"

namespace banyan::lspd {

// Who uses a symbol, as find_referencing_symbols answers.
absl::StatusOr<lsp::v1::FindReferencingSymbolsResponse> UsesOf(
    EditStep& step, const std::string& path, const std::string& name_path);

// Why not every use of a symbol may be known, for a reader: files beside `known`
// where the word stands though its server names nothing there, and whatever
// makes the answer incomplete. Empty: all are known.
absl::StatusOr<std::vector<std::string>> DoubtsAboutUses(
    EditStep& step, const std::string& path, const std::string& name_path,
    const std::set<std::string>& known);

std::vector<std::string> DoubtsOf(
    const google::protobuf::RepeatedPtrField<lsp::v1::Incompleteness>&
        incomplete);

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_KNOWN_USES_H_
