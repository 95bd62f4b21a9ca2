// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_RESULT_FORMAT_H_
#define EDGE_TOOLS_RESULT_FORMAT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "edge/clients/edge_keys.h"
#include "edge/tools/tool.h"

namespace banyan::edge {

inline constexpr int32_t kDefaultAnswerChars = 60000;
inline constexpr int64_t kMaxAnswerChars = 400000;
// A smaller budget counts as this: what frames an answer needs a place too.
inline constexpr int64_t kMinAnswerChars = 1000;

// A tool's answer as a client gets it.
struct FormattedResult {
  nlohmann::json structured;
  std::string text;
  int64_t chars = 0;  // Of both copies together, in code points.
};

// Makes a result fit the budget of the call: shortened step by step, then cut
// at an item with `next_cursor`; a single item that is still too long loses
// parts. `left_out` says what is missing. With `cursor` it goes on behind the
// cut. Never an error for size alone.
//   kInvalidArgument     ARGUMENT_INVALID: the cursor is not of this call
//   kFailedPrecondition  CURSOR_STALE: the result changed in between
//   errors of EdgeKeys
absl::StatusOr<FormattedResult> FormatResult(const ToolSpec& spec,
                                             const ToolCall& call,
                                             ToolResult result, EdgeKeys& keys);

// JSON without a line break or blank; bytes that are not UTF-8 as U+FFFD.
std::string Compact(const nlohmann::json& value);

// Unicode code points.
int64_t CountChars(absl::string_view text);

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_RESULT_FORMAT_H_
