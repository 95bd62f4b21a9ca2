// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_TOOL_FIXTURE_H_
#define TESTS_SUPPORT_TOOL_FIXTURE_H_

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "edge/clients/edge_keys.h"
#include "edge/tools/all_tools.h"
#include "edge/tools/argument_schema.h"
#include "edge/tools/result_format.h"
#include "edge/tools/tool_registry.h"
#include "tests/support/fake_lsp_client.h"
#include "tests/support/fake_session_client.h"

namespace banyan::edge {

// Runs the real tools on fake daemons, the way the protocol does: arguments
// checked, answer fitted to the budget. Every answer is held against the tool's
// output schema.
class ToolFixture : public testing::Test {
 protected:
  ToolFixture()
      : keys_(sessions_),
        registry_(*ToolRegistry::Create(AllTools({sessions_, lsp_}, "0.1.0"))) {
    caller_.principal.set_issuer("local");
    caller_.principal.set_subject("1000");
    caller_.session_id = "session-0";
    caller_.session_public_id = "a1b2c3d4e5f60718";
  }

  absl::StatusOr<FormattedResult> Call(const std::string& tool,
                                       nlohmann::json arguments) {
    const ToolRegistry::Entry* entry = registry_.Find(tool);
    if (entry == nullptr) return absl::NotFoundError(tool);
    auto prepared = entry->input.Prepare(std::move(arguments));
    if (!prepared.ok()) return prepared.status();
    const ToolCall call{.arguments = *std::move(prepared),
                        .caller = caller_,
                        .context = context_,
                        .client = client_};
    auto result = entry->tool->Run(call);
    if (!result.ok()) return result.status();
    auto formatted =
        FormatResult(entry->tool->spec(), call, *std::move(result), keys_);
    if (formatted.ok()) ExpectFits(entry->tool->spec(), formatted->structured);
    return formatted;
  }

  // The structured content of a call that must succeed.
  nlohmann::json Answer(const std::string& tool, nlohmann::json arguments) {
    auto answer = Call(tool, std::move(arguments));
    EXPECT_TRUE(answer.ok()) << tool << ": " << answer.status();
    return answer.ok() ? answer->structured : nlohmann::json();
  }

  static void ExpectFits(const ToolSpec& spec, const nlohmann::json& content) {
    const auto schema = ArgumentSchema::Create(spec.output_schema);
    ASSERT_TRUE(schema.ok()) << schema.status();
    const absl::Status fits = schema->Check(content);
    EXPECT_TRUE(fits.ok()) << spec.name << ": " << fits << "\n"
                           << content.dump(1);
  }

  FakeSessionClient sessions_;
  FakeLspClient lsp_;
  EdgeKeys keys_;
  ToolRegistry registry_;
  Caller caller_;
  rpc::CallContext context_;
  ClientLink* client_ = &NoClient();
};

}  // namespace banyan::edge

#endif  // TESTS_SUPPORT_TOOL_FIXTURE_H_
