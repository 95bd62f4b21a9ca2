// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_MODERN_LINK_H_
#define EDGE_MCP_MODERN_LINK_H_

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "edge/mcp/call_notices.h"
#include "edge/mcp/http_answer.h"
#include "edge/mcp/mcp_handler.h"
#include "edge/tools/client_link.h"

namespace banyan::edge {

// The client of a modern request: notices precede the answer on its stream; a
// question ends the request, which the client repeats with the answer (MCP
// 2026-07-28, multi-round-trip requests). Thread-safe.
class ModernLink final : public ClientLink {
 public:
  struct Call {
    nlohmann::json capabilities;  // As this request declares them.
    std::string log_level;        // Empty: no log messages.
    nlohmann::json progress_token;
    nlohmann::json kept_answers;  // Of earlier rounds, from requestState.
    nlohmann::json new_answers;   // params.inputResponses; an object or null.
  };

  ModernLink(Call call, std::shared_ptr<EventSink> events);

  bool WantsProgress() const override { return notices_.HasToken(); }
  void ReportProgress(double progress, std::optional<double> total,
                      absl::string_view message) override;
  void Log(absl::string_view level, absl::string_view logger,
           const nlohmann::json& data) override;
  bool CanAnswer(QuestionKind kind) const override;
  absl::StatusOr<nlohmann::json> Ask(
      const std::vector<Question>& questions) override;
  void LetClientPoll() override {}

  // What replaces the outcome of the call.
  struct Interruption {
    nlohmann::json questions;  // inputRequests by key; null: see `error`.
    nlohmann::json answers;    // To be kept for the next round.
    RpcError error;
  };
  std::optional<Interruption> TakeInterruption();

 private:
  const Call call_;
  CallNotices notices_;
  const std::shared_ptr<EventSink> events_;
  std::mutex mutex_;
  // Guarded by mutex_.
  nlohmann::json used_answers_;
  std::optional<Interruption> interruption_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_MODERN_LINK_H_
