// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_CONFORMANCE_FIXTURES_H_
#define EDGE_MCP_CONFORMANCE_FIXTURES_H_

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "edge/mcp/prompts.h"
#include "edge/mcp/resources.h"
#include "edge/mcp/subscriptions.h"
#include "edge/tools/tool.h"

// What the official conformance suite calls by name, for the ordinary
// registries: tools, prompts and resources that do nothing but show one part of
// the protocol each. Served with --conformance_fixtures, on loopback only.
namespace banyan::edge {

// `subscriptions` outlives the tools.
std::vector<std::unique_ptr<Tool>> ConformanceTools(
    Subscriptions& subscriptions);

std::vector<std::unique_ptr<Prompt>> ConformancePrompts();

std::unique_ptr<ResourceSource> NewConformanceResources();

// The parts of ConformanceTools: content, notices and questions in the middle
// of a call; questions that end a request.
void AddContentFixtures(std::vector<std::unique_ptr<Tool>>& tools);
void AddNoticeFixtures(Subscriptions& subscriptions,
                       std::vector<std::unique_ptr<Tool>>& tools);
void AddQuestionFixtures(std::vector<std::unique_ptr<Tool>>& tools);
void AddInputFixtures(std::vector<std::unique_ptr<Tool>>& tools);

// A tool that is one function.
using FixtureRun = std::function<absl::StatusOr<ToolResult>(const ToolCall&)>;
std::unique_ptr<Tool> NewFixture(std::string name, std::string description,
                                 nlohmann::json input_schema, FixtureRun run);

// An input schema of these string arguments, all required; none: an empty
// object.
nlohmann::json FixtureInput(const std::vector<std::string>& names);

ToolResult FixtureBlocks(nlohmann::json blocks);
ToolResult FixtureText(const std::string& text);
nlohmann::json FixtureImage();
nlohmann::json FixtureAudio();
nlohmann::json FixtureEmbedded(const std::string& uri);
// A picture of one red point, in base64.
extern const char kFixturePng[];

// Form elicitation of these properties.
nlohmann::json FixtureForm(const std::string& message,
                           nlohmann::json properties,
                           const std::vector<std::string>& required);

}  // namespace banyan::edge

#endif  // EDGE_MCP_CONFORMANCE_FIXTURES_H_
