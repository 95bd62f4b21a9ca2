// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_PROMPTS_H_
#define EDGE_MCP_PROMPTS_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "edge/mcp/http_answer.h"
#include "edge/tools/tool.h"

namespace banyan::edge {

struct PromptArgument {
  std::string name;
  std::string description;
  bool is_required = false;
};

struct PromptSpec {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
};

// A text that a person has their agent begin with. Thread-safe.
class Prompt {
 public:
  virtual ~Prompt() = default;

  virtual const PromptSpec& spec() const = 0;

  // `messages` of the answer. call.arguments: an object of strings with every
  // required one. Errors carry a reason.
  virtual absl::StatusOr<nlohmann::json> Messages(
      const ToolCall& call) const = 0;

  // Values for an argument that begin with `value`; call.arguments: those that
  // the person filled in before.
  virtual absl::StatusOr<std::vector<std::string>> Complete(
      const std::string& argument, const std::string& value,
      const ToolCall& call) const;
};

// prompts/list and prompts/get, the same for both eras. Fixed once made;
// thread-safe.
class Prompts {
 public:
  explicit Prompts(std::vector<std::unique_ptr<Prompt>> prompts)
      : prompts_(std::move(prompts)) {}

  // What 2025-03-26 does not know is left out for it.
  MethodOutcome List(const nlohmann::json& params,
                     absl::string_view version) const;
  MethodOutcome Get(const nlohmann::json& params, ToolCall call) const;

  // Null when there is none.
  const Prompt* Find(const std::string& name) const;

 private:
  std::vector<std::unique_ptr<Prompt>> prompts_;
};

// {"role":"user","content":…}
nlohmann::json UserMessage(nlohmann::json content);
nlohmann::json UserText(const std::string& text);

}  // namespace banyan::edge

#endif  // EDGE_MCP_PROMPTS_H_
