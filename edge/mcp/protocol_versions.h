// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_PROTOCOL_VERSIONS_H_
#define EDGE_MCP_PROTOCOL_VERSIONS_H_

#include <algorithm>
#include <array>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

// The revisions of MCP that are served, newest first. Legacy: opened by
// `initialize`. Modern: named by every request.
namespace banyan::edge {

inline constexpr std::array<absl::string_view, 3> kLegacyVersions = {
    "2025-11-25", "2025-06-18", "2025-03-26"};
inline constexpr std::array<absl::string_view, 1> kModernVersions = {
    "2026-07-28"};

// The last one that had batches.
inline constexpr absl::string_view kBatchVersion = "2025-03-26";

// Whether an event stream begins with an id to come back with; clients of
// older revisions fail on an event without data.
inline bool IsPrimed(absl::string_view version) {
  return version == "2025-11-25";
}

// After how long a client comes back to a stream that ended early.
inline constexpr absl::Duration kRetryAfter = absl::Seconds(1);

inline bool IsLegacyVersion(absl::string_view version) {
  return std::find(kLegacyVersions.begin(), kLegacyVersions.end(), version) !=
         kLegacyVersions.end();
}

inline bool IsModernVersion(absl::string_view version) {
  return std::find(kModernVersions.begin(), kModernVersions.end(), version) !=
         kModernVersions.end();
}

}  // namespace banyan::edge

#endif  // EDGE_MCP_PROTOCOL_VERSIONS_H_
