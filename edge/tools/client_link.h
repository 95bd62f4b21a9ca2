// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_CLIENT_LINK_H_
#define EDGE_TOOLS_CLIENT_LINK_H_

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::edge {

// MCP's log levels, least severe first.
inline constexpr std::array<absl::string_view, 8> kLogLevels = {
    "debug", "info",     "notice", "warning",
    "error", "critical", "alert",  "emergency"};

// What a server may ask a client in the middle of a call.
enum class QuestionKind { kElicitation, kSampling, kRoots };

struct Question {
  std::string key;  // Names the answer; unique within one call.
  QuestionKind kind = QuestionKind::kElicitation;
  nlohmann::json params;  // Of elicitation/create and the like.
};

// The method that asks it.
absl::string_view MethodOf(QuestionKind kind);

// The client behind a running call: what it can be told and asked before the
// answer. Both eras have one, with different carriers. Thread-safe; lives as
// long as the call.
class ClientLink {
 public:
  virtual ~ClientLink() = default;

  // Whether the client asked for progress of this call.
  virtual bool WantsProgress() const = 0;

  // Dropped when the client did not ask for it, when `progress` does not rise,
  // and when it follows the last one too closely.
  virtual void ReportProgress(double progress, std::optional<double> total,
                              absl::string_view message) = 0;

  // Dropped below the level that the client wants. `level`: of kLogLevels.
  virtual void Log(absl::string_view level, absl::string_view logger,
                   const nlohmann::json& data) = 0;

  // Whether the client said that it answers such questions.
  virtual bool CanAnswer(QuestionKind kind) const = 0;

  // The answers, an object by key. In the modern era the call ends here while
  // the client finds them and is run anew with them, so what comes before must
  // bear repetition; in the legacy era this blocks. Reasons:
  //   CANCELLED    asked, or nobody waits any more; hand this status on
  //   UNSUPPORTED  the client takes no such questions
  //   DEADLINE     it did not answer in time
  //   CONFLICT     it answered by an error
  virtual absl::StatusOr<nlohmann::json> Ask(
      const std::vector<Question>& questions) = 0;

  // Ends the stream of the answer before the answer, which the client then
  // fetches by resuming; nothing where it cannot.
  virtual void LetClientPoll() = 0;
};

// A client that takes and answers nothing.
ClientLink& NoClient();

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_CLIENT_LINK_H_
