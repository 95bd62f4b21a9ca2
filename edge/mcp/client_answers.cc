// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/client_answers.h"

#include <string>

#include "edge/mcp/json_rpc.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

const char* CapabilityName(QuestionKind kind) {
  switch (kind) {
    case QuestionKind::kElicitation:
      return "elicitation";
    case QuestionKind::kSampling:
      return "sampling";
    case QuestionKind::kRoots:
      return "roots";
  }
  return "";
}

}  // namespace

bool Declares(const json& capabilities, QuestionKind kind) {
  const json& declared = Member(capabilities, CapabilityName(kind));
  if (!declared.is_object()) return false;
  // An empty elicitation means forms, which is all that is asked.
  return kind != QuestionKind::kElicitation || declared.empty() ||
         declared.contains("form") || !declared.contains("url");
}

json CapabilityFor(QuestionKind kind) {
  return {{CapabilityName(kind), json::object()}};
}

bool IsAnswer(const json& answer, QuestionKind kind) {
  switch (kind) {
    case QuestionKind::kElicitation: {
      const std::string action = TextMember(answer, "action");
      return (action == "accept" && Member(answer, "content").is_object()) ||
             action == "decline" || action == "cancel";
    }
    case QuestionKind::kSampling:
      return answer.is_object() && answer.contains("content");
    case QuestionKind::kRoots:
      return Member(answer, "roots").is_array();
  }
  return false;
}

}  // namespace banyan::edge
