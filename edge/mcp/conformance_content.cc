// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "edge/mcp/conformance_fixtures.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

json PointlessSchema() {
  return {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"type", "object"},
      {"$defs",
       {{"address",
         {{"$anchor", "addressDef"},
          {"type", "object"},
          {"properties",
           {{"street", {{"type", "string"}}},
            {"city", {{"type", "string"}}}}}}}}},
      {"properties",
       {{"name", {{"type", "string"}}},
        {"address", {{"$ref", "#/$defs/address"}}},
        {"contactMethod", {{"type", "string"}, {"enum", {"phone", "email"}}}},
        {"phone", {{"type", "string"}}},
        {"email", {{"type", "string"}}}}},
      {"allOf",
       {{{"anyOf", {{{"required", {"phone"}}}, {{"required", {"email"}}}}}}}},
      {"if",
       {{"properties", {{"contactMethod", {{"const", "phone"}}}}},
        {"required", {"contactMethod"}}}},
      {"then", {{"required", {"phone"}}}},
      {"else", {{"required", {"email"}}}},
      {"additionalProperties", false}};
}

}  // namespace

void AddContentFixtures(std::vector<std::unique_ptr<Tool>>& tools) {
  const auto add = [&tools](const char* name, const char* description,
                            json blocks) {
    tools.push_back(NewFixture(
        name, description, FixtureInput({}),
        [blocks = std::move(blocks)](const ToolCall&)
            -> absl::StatusOr<ToolResult> { return FixtureBlocks(blocks); }));
  };
  const json text = {{"type", "text"}, {"text", "A simple text."}};
  add("test_simple_text", "Answers one block of text.", json::array({text}));
  add("test_image_content", "Answers a picture.",
      json::array({FixtureImage()}));
  add("test_audio_content", "Answers a sound.", json::array({FixtureAudio()}));
  add("test_embedded_resource", "Answers a resource.",
      json::array({FixtureEmbedded("test://embedded-resource")}));
  add("test_multiple_content_types", "Answers text, a picture and a resource.",
      json::array(
          {text, FixtureImage(), FixtureEmbedded("test://mixed-content")}));
  tools.push_back(
      NewFixture("test_error_handling", "Always fails.", FixtureInput({}),
                 [](const ToolCall&) -> absl::StatusOr<ToolResult> {
                   ToolResult result = FixtureText("This tool always fails.");
                   result.is_error = true;
                   return result;
                 }));
  tools.push_back(NewFixture(
      "json_schema_2020_12_tool",
      "Shows that a schema arrives as it was written.", PointlessSchema(),
      [](const ToolCall&) -> absl::StatusOr<ToolResult> {
        return FixtureText("The arguments fit the schema.");
      }));
  json region = FixtureInput({"region"});
  region["properties"]["region"]["x-mcp-header"] = "Region";
  tools.push_back(
      NewFixture("test_x_mcp_header",
                 "Takes an argument that a header repeats.", std::move(region),
                 [](const ToolCall& call) -> absl::StatusOr<ToolResult> {
                   return FixtureText(call.arguments.value("region", ""));
                 }));
}

}  // namespace banyan::edge
