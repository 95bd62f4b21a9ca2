// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_CLIENT_ANSWERS_H_
#define EDGE_MCP_CLIENT_ANSWERS_H_

#include <nlohmann/json.hpp>

#include "absl/strings/string_view.h"
#include "edge/tools/client_link.h"

namespace banyan::edge {

// Whether these ClientCapabilities promise an answer to such questions.
bool Declares(const nlohmann::json& capabilities, QuestionKind kind);

// The capability to ask for: {"elicitation":{}}.
nlohmann::json CapabilityFor(QuestionKind kind);

// Whether `answer` has the shape of an answer to such a question.
bool IsAnswer(const nlohmann::json& answer, QuestionKind kind);

}  // namespace banyan::edge

#endif  // EDGE_MCP_CLIENT_ANSWERS_H_
