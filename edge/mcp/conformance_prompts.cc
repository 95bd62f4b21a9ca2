// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "edge/mcp/conformance_fixtures.h"
#include "edge/mcp/json_rpc.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using MakeMessages = std::function<absl::StatusOr<json>(const ToolCall&)>;

class FixturePrompt final : public Prompt {
 public:
  FixturePrompt(PromptSpec spec, MakeMessages make)
      : spec_(std::move(spec)), make_(std::move(make)) {}

  const PromptSpec& spec() const override { return spec_; }
  absl::StatusOr<json> Messages(const ToolCall& call) const override {
    return make_(call);
  }
  absl::StatusOr<std::vector<std::string>> Complete(
      const std::string&, const std::string& value,
      const ToolCall&) const override {
    std::vector<std::string> values;
    for (const char* one : {"paris", "park", "party"}) {
      if (absl::StartsWith(one, value)) values.emplace_back(one);
    }
    return values;
  }

 private:
  const PromptSpec spec_;
  const MakeMessages make_;
};

std::unique_ptr<Prompt> New(const std::string& name,
                            const std::string& description,
                            const std::vector<std::string>& arguments,
                            MakeMessages make) {
  PromptSpec spec{
      .name = name, .title = name, .description = description, .arguments = {}};
  for (const std::string& argument : arguments) {
    spec.arguments.push_back(
        {.name = argument, .description = "A text.", .is_required = true});
  }
  return std::make_unique<FixturePrompt>(std::move(spec), std::move(make));
}

absl::StatusOr<json> WithContext(const ToolCall& call) {
  const Question question{
      .key = "user_context",
      .kind = QuestionKind::kElicitation,
      .params = FixtureForm("What is this about?",
                            {{"context", {{"type", "string"}}}}, {"context"})};
  ASSIGN_OR_RETURN(const json answers, call.client->Ask({question}));
  return json::array({UserText(absl::StrCat(
      "About: ",
      TextMember(Member(answers["user_context"], "content"), "context")))});
}

}  // namespace

std::vector<std::unique_ptr<Prompt>> ConformancePrompts() {
  std::vector<std::unique_ptr<Prompt>> prompts;
  prompts.push_back(New("test_simple_prompt", "One message.", {},
                        [](const ToolCall&) -> absl::StatusOr<json> {
                          return json::array({UserText("A simple prompt.")});
                        }));
  prompts.push_back(
      New("test_prompt_with_arguments", "One message with two arguments in it.",
          {"arg1", "arg2"}, [](const ToolCall& call) -> absl::StatusOr<json> {
            return json::array({UserText(absl::StrCat(
                "First: '", call.arguments.value("arg1", ""), "', second: '",
                call.arguments.value("arg2", ""), "'"))});
          }));
  prompts.push_back(
      New("test_prompt_with_embedded_resource", "A resource and a question.",
          {"resourceUri"}, [](const ToolCall& call) -> absl::StatusOr<json> {
            return json::array({UserMessage(FixtureEmbedded(
                                    call.arguments.value("resourceUri", ""))),
                                UserText("What does it say?")});
          }));
  prompts.push_back(New("test_prompt_with_image", "A picture and a question.",
                        {}, [](const ToolCall&) -> absl::StatusOr<json> {
                          return json::array({UserMessage(FixtureImage()),
                                              UserText("What is this?")});
                        }));
  prompts.push_back(New("test_input_required_result_prompt",
                        "Asks the client before it answers.", {}, WithContext));
  return prompts;
}

}  // namespace banyan::edge
