// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/conformance_fixtures.h"

#include <utility>

#include "edge/tools/schema_parts.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

class Fixture final : public Tool {
 public:
  Fixture(ToolSpec spec, FixtureRun run)
      : spec_(std::move(spec)), run_(std::move(run)) {}

  const ToolSpec& spec() const override { return spec_; }
  absl::StatusOr<ToolResult> Run(const ToolCall& call) const override {
    return run_(call);
  }

 private:
  const ToolSpec spec_;
  const FixtureRun run_;
};

constexpr char kFixtureWav[] =
    "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==";

}  // namespace

const char kFixturePng[] =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGA"
    "hKmMIQAAAABJRU5ErkJggg==";

std::vector<std::unique_ptr<Tool>> ConformanceTools(
    Subscriptions& subscriptions) {
  std::vector<std::unique_ptr<Tool>> tools;
  AddContentFixtures(tools);
  AddNoticeFixtures(subscriptions, tools);
  AddQuestionFixtures(tools);
  AddInputFixtures(tools);
  return tools;
}

std::unique_ptr<Tool> NewFixture(std::string name, std::string description,
                                 json input_schema, FixtureRun run) {
  ToolSpec spec;
  spec.title = name;
  spec.name = std::move(name);
  spec.description = std::move(description);
  spec.input_schema = std::move(input_schema);
  return std::make_unique<Fixture>(std::move(spec), std::move(run));
}

json FixtureInput(const std::vector<std::string>& names) {
  json properties = json::object();
  for (const std::string& name : names) {
    properties[name] = TextSchema("A text.");
  }
  return InputSchema(properties, names);
}

ToolResult FixtureBlocks(json blocks) {
  ToolResult result;
  result.blocks = std::move(blocks);
  return result;
}

ToolResult FixtureText(const std::string& text) {
  return FixtureBlocks(json::array({{{"type", "text"}, {"text", text}}}));
}

json FixtureImage() {
  return {{"type", "image"},
          {"data", std::string(kFixturePng)},
          {"mimeType", "image/png"}};
}

json FixtureAudio() {
  return {{"type", "audio"}, {"data", kFixtureWav}, {"mimeType", "audio/wav"}};
}

json FixtureEmbedded(const std::string& uri) {
  return {{"type", "resource"},
          {"resource",
           {{"uri", uri},
            {"mimeType", "text/plain"},
            {"text", "The text of an embedded resource."}}}};
}

json FixtureForm(const std::string& message, json properties,
                 const std::vector<std::string>& required) {
  json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = required;
  return {{"mode", "form"},
          {"message", message},
          {"requestedSchema", std::move(schema)}};
}

}  // namespace banyan::edge
