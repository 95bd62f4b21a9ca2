// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_CALL_NOTICES_H_
#define EDGE_MCP_CALL_NOTICES_H_

#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace banyan::edge {

// Which notices of one call go out, and their texts: the same for both eras.
// Thread-safe.
class CallNotices {
 public:
  // `token`: of params._meta, else null. `least_level`: empty, no log messages.
  CallNotices(nlohmann::json token, absl::string_view least_level);

  // Whether the client asked for progress.
  bool HasToken() const;

  // The notification, unless the client did not ask for progress, `progress`
  // does not rise, or the last one was only just sent.
  std::optional<std::string> Progress(double progress,
                                      std::optional<double> total,
                                      absl::string_view message,
                                      absl::Time now);

  // The notification, unless it is below the level.
  std::optional<std::string> Log(absl::string_view level,
                                 absl::string_view logger,
                                 const nlohmann::json& data) const;

 private:
  const nlohmann::json token_;
  const int least_level_;  // Index of kLogLevels; past its end: nothing.
  std::mutex mutex_;
  // Guarded by mutex_.
  std::optional<double> last_progress_;
  absl::Time last_sent_ = absl::InfinitePast();
};

// Index of kLogLevels; nullopt for what is no level.
std::optional<int> LevelIndex(absl::string_view level);

}  // namespace banyan::edge

#endif  // EDGE_MCP_CALL_NOTICES_H_
