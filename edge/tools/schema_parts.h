// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_SCHEMA_PARTS_H_
#define EDGE_TOOLS_SCHEMA_PARTS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

// The words in which tools describe their arguments and answers. Each function
// gives one JSON Schema.
namespace banyan::edge {

nlohmann::json TextSchema(absl::string_view description);
nlohmann::json TextSchema(absl::string_view description,
                          absl::string_view default_value);
// May be empty although it must be there: what comes instead of a text, say.
nlohmann::json AnyTextSchema(absl::string_view description);
nlohmann::json FlagSchema(absl::string_view description,
                          std::optional<bool> default_value = std::nullopt);
// Within int32.
nlohmann::json NumberSchema(
    absl::string_view description, int32_t minimum = 0,
    std::optional<int32_t> default_value = std::nullopt);
// How many levels of symbols are given. Bounded: each is a message within
// another, of which parsers take 100, and three levels of JSON.
nlohmann::json DepthSchema(absl::string_view description);
nlohmann::json ChoiceSchema(absl::string_view description,
                            const std::vector<std::string>& choices);
// The schema, with a default.
nlohmann::json WithDefault(nlohmann::json schema,
                           const nlohmann::json& default_value);
nlohmann::json ListSchema(absl::string_view description,
                          const nlohmann::json& items);
nlohmann::json ObjectSchema(absl::string_view description,
                            const nlohmann::json& properties,
                            const std::vector<std::string>& required = {});

// The input of a tool.
nlohmann::json InputSchema(const nlohmann::json& properties,
                           const std::vector<std::string>& required = {});

// The input of a tool that works in a workspace: with `workspace`, which a
// balancer can read from the header Mcp-Param-Workspace.
nlohmann::json WorkspaceInputSchema(
    nlohmann::json properties, const std::vector<std::string>& required = {});

// The same for tools whose answers can be long: with `cursor` and
// `max_answer_chars`.
nlohmann::json PagedInputSchema(nlohmann::json properties,
                                const std::vector<std::string>& required = {});

// The answer of a tool: the properties with these required, or `error` alone
// (clients hold failed results against the schema as well).
nlohmann::json OutputSchema(nlohmann::json properties,
                            const std::vector<std::string>& required);

// The answer of a tool that works in a workspace, with `workspace`,
// `complete`, `incomplete`, and what the budget may add.
nlohmann::json WorkspaceOutputSchema(nlohmann::json properties,
                                     std::vector<std::string> required);

// One symbol with its range.
nlohmann::json SymbolSchema();

// What it takes to name a place by regular expression or line and column.
void AddPositionArguments(nlohmann::json& properties);

// Arrays of kinds by name or LSP number.
nlohmann::json KindsSchema(absl::string_view description);

// One language with the state of its server.
nlohmann::json LanguageSchema();

nlohmann::json LimitsSchema();

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_SCHEMA_PARTS_H_
