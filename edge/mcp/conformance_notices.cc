// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "edge/mcp/conformance_fixtures.h"
#include "proto/rpc/error_reason.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr absl::Duration kPause = absl::Milliseconds(50);

absl::StatusOr<ToolResult> Progress(const ToolCall& call) {
  for (const int done : {0, 50, 100}) {
    if (done > 0) absl::SleepFor(kPause);
    call.client->ReportProgress(done, 100, absl::StrCat(done, " of 100"));
  }
  return FixtureText("Three steps done.");
}

absl::StatusOr<ToolResult> Logging(const ToolCall& call) {
  for (const char* line : {"begun", "half done", "done"}) {
    call.client->Log("info", "conformance", line);
    absl::SleepFor(kPause);
  }
  return FixtureText("Three lines logged.");
}

absl::StatusOr<ToolResult> Reconnection(const ToolCall& call) {
  call.client->LetClientPoll();
  absl::SleepFor(2 * kPause);
  return FixtureText("Answered after the stream had ended.");
}

// Says that it has begun, then waits: of what a client does nothing but its
// cancellation ends it.
absl::StatusOr<ToolResult> Cancellation(const ToolCall& call) {
  call.client->ReportProgress(1, std::nullopt, "waiting");
  while (!call.context.IsOver()) absl::SleepFor(kPause);
  if (!call.context.is_cancelled()) return FixtureText("Nobody cancelled.");
  return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, "The call was cancelled.");
}

}  // namespace

void AddNoticeFixtures(Subscriptions& subscriptions,
                       std::vector<std::unique_ptr<Tool>>& tools) {
  const auto add = [&tools](const char* name, const char* description,
                            FixtureRun run) {
    tools.push_back(
        NewFixture(name, description, FixtureInput({}), std::move(run)));
  };
  add("test_tool_with_progress", "Reports progress three times.", Progress);
  add("test_tool_with_logging", "Logs three lines.", Logging);
  add("test_logging_tool", "Logs three lines where they are wanted.", Logging);
  add("test_reconnection", "Ends its stream before it answers.", Reconnection);
  add("test_cancellation", "Waits until it is cancelled.", Cancellation);
  add("test_trigger_tool_change", "Says that the list of tools changed.",
      [&subscriptions](const ToolCall&) -> absl::StatusOr<ToolResult> {
        subscriptions.ListChanged(ListKind::kTools);
        return FixtureText("Told.");
      });
  add("test_trigger_prompt_change", "Says that the list of prompts changed.",
      [&subscriptions](const ToolCall&) -> absl::StatusOr<ToolResult> {
        subscriptions.ListChanged(ListKind::kPrompts);
        return FixtureText("Told.");
      });
}

}  // namespace banyan::edge
