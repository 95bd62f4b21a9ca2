// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_LEGACY_LINK_H_
#define EDGE_MCP_LEGACY_LINK_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "edge/mcp/answer_stream.h"
#include "edge/mcp/call_notices.h"
#include "edge/mcp/client_requests.h"
#include "edge/tools/client_link.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// The client of a legacy session: notices and questions go out on the stream
// of the call's answer, answers come back as POSTs of their own. Thread-safe.
class LegacyLink final : public ClientLink {
 public:
  struct Call {
    std::string session_id;
    nlohmann::json capabilities;  // As the client declared them.
    std::string log_level;        // Empty: the client set none.
    nlohmann::json progress_token;
    rpc::CallContext context;  // Whoever waits for an answer, waits in it.
  };

  // Both references outlive this.
  LegacyLink(Call call, AnswerStream& stream, ClientRequests& requests);

  bool WantsProgress() const override { return notices_.HasToken(); }
  void ReportProgress(double progress, std::optional<double> total,
                      absl::string_view message) override;
  void Log(absl::string_view level, absl::string_view logger,
           const nlohmann::json& data) override;
  bool CanAnswer(QuestionKind kind) const override;
  absl::StatusOr<nlohmann::json> Ask(
      const std::vector<Question>& questions) override;
  void LetClientPoll() override;

 private:
  const Call call_;
  CallNotices notices_;
  AnswerStream& stream_;
  ClientRequests& requests_;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_LEGACY_LINK_H_
