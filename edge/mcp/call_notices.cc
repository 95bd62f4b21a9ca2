// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/call_notices.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "edge/mcp/json_rpc.h"
#include "edge/tools/client_link.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr absl::Duration kLeastPause = absl::Milliseconds(20);

// Whole numbers go out as such.
json Number(double value) {
  const double whole = std::nearbyint(value);
  if (whole == value && std::abs(value) < 1e15) {
    return static_cast<int64_t>(whole);
  }
  return value;
}

bool IsToken(const json& token) {
  return token.is_string() || token.is_number_integer();
}

}  // namespace

CallNotices::CallNotices(json token, absl::string_view least_level)
    : token_(std::move(token)),
      least_level_(LevelIndex(least_level)
                       .value_or(static_cast<int>(kLogLevels.size()))) {}

bool CallNotices::HasToken() const { return IsToken(token_); }

std::optional<std::string> CallNotices::Progress(double progress,
                                                 std::optional<double> total,
                                                 absl::string_view message,
                                                 absl::Time now) {
  if (!HasToken()) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    if (last_progress_.has_value() && progress <= *last_progress_) {
      return std::nullopt;
    }
    if (now - last_sent_ < kLeastPause) return std::nullopt;
    last_progress_ = progress;
    last_sent_ = now;
  }
  json params = {{"progressToken", token_}, {"progress", Number(progress)}};
  if (total.has_value()) params["total"] = Number(*total);
  if (!message.empty()) params["message"] = std::string(message);
  return NotificationText("notifications/progress", params);
}

std::optional<std::string> CallNotices::Log(absl::string_view level,
                                            absl::string_view logger,
                                            const json& data) const {
  const std::optional<int> index = LevelIndex(level);
  if (!index.has_value() || *index < least_level_) return std::nullopt;
  return NotificationText("notifications/message",
                          {{"level", std::string(level)},
                           {"logger", std::string(logger)},
                           {"data", data}});
}

std::optional<int> LevelIndex(absl::string_view level) {
  const auto found = std::find(kLogLevels.begin(), kLogLevels.end(), level);
  if (found == kLogLevels.end()) return std::nullopt;
  return static_cast<int>(found - kLogLevels.begin());
}

}  // namespace banyan::edge
