// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_SYMBOL_JSON_H_
#define EDGE_TOOLS_SYMBOL_JSON_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/completeness.pb.h"
#include "banyan/lsp/v1/file_service.pb.h"
#include "banyan/lsp/v1/symbol.pb.h"
#include "banyan/lsp/v1/symbol_service.pb.h"
#include "banyan/session/v1/session_service.pb.h"

// From the daemons' messages to what agents read, and back.
namespace banyan::edge {

nlohmann::json ToJson(const lsp::v1::Symbol& symbol);
nlohmann::json ToJson(
    const google::protobuf::RepeatedPtrField<lsp::v1::Symbol>& symbols);
nlohmann::json ToJson(const lsp::v1::LanguageState& state);
// Without its file.
nlohmann::json ToJson(const lsp::v1::Diagnostic& diagnostic);

// start_line, column, end_line, end_column; nothing of an empty range.
void AddRange(nlohmann::json& json, const lsp::v1::Range& range);

// `complete` and `incomplete`. Reasons that this build does not know are passed
// on by number.
void AddCompleteness(
    nlohmann::json& json,
    const google::protobuf::RepeatedPtrField<lsp::v1::Incompleteness>&
        incomplete);

// When the handle ends.
nlohmann::json LimitsToJson(const session::v1::Workspace& workspace);

std::string AccessName(session::v1::Access access);  // "read-only"

// The time as RFC 3339 in UTC, to the second.
std::string TimeToText(int64_t unix_ms);

// Kinds by name or by LSP number.
//   kInvalidArgument  ARGUMENT_INVALID
absl::StatusOr<std::vector<std::string>> KindsFromJson(
    const nlohmann::json& arguments, const std::string& name);

// The place that regex, or line and column, or name_path names; exactly one of
// them must be given.
//   kInvalidArgument  ARGUMENT_INVALID
absl::StatusOr<lsp::v1::Position> PositionFromJson(
    const nlohmann::json& arguments, const std::string& clean_path);

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_SYMBOL_JSON_H_
