// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_cat.h"
#include "edge/mcp/conformance_fixtures.h"
#include "edge/mcp/json_rpc.h"
#include "edge/tools/result_format.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

Question AskText(const std::string& key, const std::string& message,
                 const std::string& field) {
  return {
      .key = key,
      .kind = QuestionKind::kElicitation,
      .params = FixtureForm(message, {{field, {{"type", "string"}}}}, {field})};
}

Question AskModel(const std::string& key, const std::string& text) {
  return {
      .key = key,
      .kind = QuestionKind::kSampling,
      .params = {
          {"messages",
           json::array({{{"role", "user"},
                         {"content", {{"type", "text"}, {"text", text}}}}})},
          {"maxTokens", 100}}};
}

Question AskRoots(const std::string& key) {
  return {.key = key, .kind = QuestionKind::kRoots, .params = json::object()};
}

std::string Field(const json& answer, const std::string& field) {
  const std::string value = TextMember(Member(answer, "content"), field);
  return value.empty() ? Compact(answer) : value;
}

absl::StatusOr<ToolResult> Greet(const ToolCall& call) {
  ASSIGN_OR_RETURN(
      const json answers,
      call.client->Ask({AskText("user_name", "What is your name?", "name")}));
  return FixtureText(
      absl::StrCat("Hello, ", Field(answers["user_name"], "name"), "!"));
}

absl::StatusOr<ToolResult> Confirm(const ToolCall& call) {
  ASSIGN_OR_RETURN(const json answers,
                   call.client->Ask({AskText("confirm", "Go on?", "ok")}));
  return FixtureText(absl::StrCat("state-ok: ", Compact(answers["confirm"])));
}

absl::StatusOr<ToolResult> TwoRounds(const ToolCall& call) {
  ASSIGN_OR_RETURN(const json first,
                   call.client->Ask({AskText("step1", "First?", "name")}));
  ASSIGN_OR_RETURN(const json second,
                   call.client->Ask({AskText("step2", "Second?", "color")}));
  return FixtureText(
      absl::StrCat("Both known: ", Compact(first), " ", Compact(second)));
}

absl::StatusOr<ToolResult> AskAll(const ToolCall& call,
                                  const std::vector<Question>& questions) {
  ASSIGN_OR_RETURN(const json answers, call.client->Ask(questions));
  return FixtureText(absl::StrCat("The answers: ", Compact(answers)));
}

// Asks only what this client declared.
absl::StatusOr<ToolResult> AskDeclared(const ToolCall& call) {
  std::vector<Question> questions;
  for (Question& question :
       std::vector<Question>{AskText("user_name", "Your name?", "name"),
                             AskModel("model_says", "Say something."),
                             AskRoots("client_roots")}) {
    if (call.client->CanAnswer(question.kind)) {
      questions.push_back(std::move(question));
    }
  }
  return AskAll(call, questions);
}

}  // namespace

void AddInputFixtures(std::vector<std::unique_ptr<Tool>>& tools) {
  const auto add = [&tools](const std::string& what, const char* description,
                            FixtureRun run) {
    tools.push_back(NewFixture("test_input_required_result_" + what,
                               description, FixtureInput({}), std::move(run)));
  };
  const auto asking = [](std::vector<Question> questions) {
    return [questions = std::move(questions)](const ToolCall& call) {
      return AskAll(call, questions);
    };
  };
  add("elicitation", "Asks for a name, then greets.", Greet);
  add("sampling", "Asks the client's model for a capital.",
      asking({AskModel("capital_question", "What is the capital of France?")}));
  add("list_roots", "Asks for the client's folders.",
      asking({AskRoots("client_roots")}));
  add("request_state", "Asks, and checks the state that comes back.", Confirm);
  add("multiple_inputs", "Asks three things at once.",
      asking({AskText("user_name", "Your name?", "name"),
              AskModel("greeting", "Say hello."), AskRoots("client_roots")}));
  add("multi_round", "Asks twice.", TwoRounds);
  add("tampered_state", "Asks, and refuses a state that was changed.", Confirm);
  add("capabilities", "Asks only what the client can answer.", AskDeclared);
}

}  // namespace banyan::edge
