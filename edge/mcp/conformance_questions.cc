// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_cat.h"
#include "edge/mcp/conformance_fixtures.h"
#include "edge/tools/result_format.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

json SamplingParams(const std::string& prompt) {
  return {{"messages",
           json::array({{{"role", "user"},
                         {"content", {{"type", "text"}, {"text", prompt}}}}})},
          {"maxTokens", 100}};
}

// Asks one form and shows the answer.
absl::StatusOr<ToolResult> AskForm(const ToolCall& call, json params) {
  ASSIGN_OR_RETURN(const json answers,
                   call.client->Ask({{.key = "form",
                                      .kind = QuestionKind::kElicitation,
                                      .params = std::move(params)}}));
  return FixtureText(absl::StrCat("The answer: ", Compact(answers["form"])));
}

json DefaultsForm() {
  return FixtureForm("Correct what is wrong.",
                     {{"name", {{"type", "string"}, {"default", "John Doe"}}},
                      {"age", {{"type", "integer"}, {"default", 30}}},
                      {"score", {{"type", "number"}, {"default", 95.5}}},
                      {"status",
                       {{"type", "string"},
                        {"enum", {"active", "inactive", "pending"}},
                        {"default", "active"}}},
                      {"verified", {{"type", "boolean"}, {"default", true}}}},
                     {});
}

json Titled(int first, int last) {
  json options = json::array();
  for (int i = first; i <= last; ++i) {
    options.push_back({{"const", absl::StrCat("value", i)},
                       {"title", absl::StrCat("Option ", i)}});
  }
  return options;
}

json EnumsForm() {
  return FixtureForm(
      "Choose.",
      {{"untitledSingle",
        {{"type", "string"}, {"enum", {"option1", "option2", "option3"}}}},
       {"titledSingle", {{"type", "string"}, {"oneOf", Titled(1, 3)}}},
       {"legacyEnum",
        {{"type", "string"},
         {"enum", {"opt1", "opt2", "opt3"}},
         {"enumNames", {"Option One", "Option Two", "Option Three"}}}},
       {"untitledMulti",
        {{"type", "array"},
         {"items",
          {{"type", "string"}, {"enum", {"option1", "option2", "option3"}}}}}},
       {"titledMulti",
        {{"type", "array"}, {"items", {{"anyOf", Titled(1, 3)}}}}}},
      {});
}

}  // namespace

void AddQuestionFixtures(std::vector<std::unique_ptr<Tool>>& tools) {
  const auto sample =
      [](const ToolCall& call,
         const std::string& prompt) -> absl::StatusOr<ToolResult> {
    ASSIGN_OR_RETURN(const json answers,
                     call.client->Ask({{.key = "sample",
                                        .kind = QuestionKind::kSampling,
                                        .params = SamplingParams(prompt)}}));
    return FixtureText(absl::StrCat("The model said: ",
                                    Compact(answers["sample"]["content"])));
  };
  tools.push_back(
      NewFixture("test_sampling", "Asks the client's model.",
                 FixtureInput({"prompt"}), [sample](const ToolCall& call) {
                   return sample(call, call.arguments.value("prompt", ""));
                 }));
  tools.push_back(NewFixture("test_missing_capability",
                             "Needs a client that has a model.",
                             FixtureInput({}), [sample](const ToolCall& call) {
                               return sample(call, "Is anybody there?");
                             }));
  tools.push_back(NewFixture(
      "test_elicitation", "Asks the person at the client.",
      FixtureInput({"message"}), [](const ToolCall& call) {
        return AskForm(
            call,
            FixtureForm(
                call.arguments.value("message", ""),
                {{"username", {{"type", "string"}, {"description", "A name"}}},
                 {"email", {{"type", "string"}, {"description", "Mail"}}}},
                {"username", "email"}));
      }));
  tools.push_back(NewFixture(
      "test_elicitation_sep1034_defaults", "Asks a form with defaults.",
      FixtureInput({}),
      [](const ToolCall& call) { return AskForm(call, DefaultsForm()); }));
  tools.push_back(NewFixture(
      "test_elicitation_sep1330_enums", "Asks a form with choices.",
      FixtureInput({}),
      [](const ToolCall& call) { return AskForm(call, EnumsForm()); }));
  tools.push_back(NewFixture(
      "test_streaming_elicitation", "Answers without asking anybody.",
      FixtureInput({}), [](const ToolCall&) -> absl::StatusOr<ToolResult> {
        return FixtureText("Nobody was asked.");
      }));
}

}  // namespace banyan::edge
