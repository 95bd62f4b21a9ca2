// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_EVENT_LOG_H_
#define PROTO_RPC_EVENT_LOG_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::rpc {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kText, kJson };

// "text" or "json"; kInvalidArgument otherwise, naming --log_format.
absl::StatusOr<LogFormat> ParseLogFormat(absl::string_view name);

// One thing that happened. `event` is stable and from a closed list (it is what
// people alert on); `message` is the text form; `fields` are the rest.
struct LogEntry {
  LogLevel level = LogLevel::kInfo;
  std::string event;  // "tool_dispatch"
  std::string
      message;  // "[Session: a1b2 | backend-api] Tool dispatch: find_symbol"
  std::vector<std::pair<std::string, std::string>> fields;
};

// Once, before any other thread starts. Lines go to standard error.
void InitLogging(LogFormat format, LogLevel least, absl::string_view service);

// Writes one line. Message and field values are escaped and cut (EscapeForLog)
// here, so callers pass text from outside as it is. Thread-safe.
void Log(const LogEntry& entry);

// Every entry also goes here, after its line is written (for the dashboard's
// live log and for tests). Null takes the observer away. Thread-safe.
void SetLogObserver(std::function<void(const LogEntry&)> observer);

// No line breaks, control or bidirectional characters: they become \n, \x1b,
// \u202e. Invalid UTF-8 becomes \xNN. Cut at `limit` bytes with "…".
std::string EscapeForLog(absl::string_view text, size_t limit = 2000);

}  // namespace banyan::rpc

#endif  // PROTO_RPC_EVENT_LOG_H_
