// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/relative_path.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lspd/protocol/text_position.h"
#include "lspd/workspace/closed_path.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMaxPathBytes = 4095;
constexpr size_t kMaxComponentBytes = 255;

absl::Status Malformed(absl::string_view what) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_PATH_MALFORMED,
      absl::StrCat("the path ", what,
                   "; give a path relative to the root of the workspace"));
}

}  // namespace

absl::StatusOr<std::string> CleanRelativePath(absl::string_view path) {
  if (absl::StrContains(path, '\0')) return Malformed("holds a NUL byte");
  if (!IsValidUtf8(path)) return Malformed("is not UTF-8");
  if (path.size() > kMaxPathBytes) return Malformed("is too long");
  if (absl::StartsWith(path, "/")) {
    return rpc::Error(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT,
                      "the path is absolute; give it relative to the root of "
                      "the workspace");
  }

  std::vector<absl::string_view> kept;
  int depth = 0;  // As if nothing were a link.
  for (const absl::string_view part :
       absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (part == ".") continue;
    if (part.size() > kMaxComponentBytes) {
      return Malformed("has a component that is too long");
    }
    depth += part == ".." ? -1 : 1;
    if (depth < 0) {
      return rpc::Error(rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT,
                        "the path leads out of the workspace; only files "
                        "beneath its root can be used");
    }
    kept.push_back(part);
  }
  std::string clean = absl::StrJoin(kept, "/");
  if (IsClosedPath(clean)) {
    return rpc::Error(rpc::v1::ERROR_REASON_PATH_FORBIDDEN,
                      "`.git` and `.banyan/edits` are closed to the tools");
  }
  return clean;
}

bool HasGitComponent(absl::string_view path) {
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (absl::EqualsIgnoreCase(part, ".git")) return true;
  }
  return false;
}

bool IsBeneath(absl::string_view path, absl::string_view folder) {
  if (folder.empty() || folder == "/") return true;
  return absl::StartsWith(path, folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

absl::Status LogIfTraversal(absl::Status status, absl::string_view path,
                            absl::string_view root,
                            absl::string_view session_public_id) {
  if (status.ok() ||
      rpc::ReasonOf(status) != rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT) {
    return status;
  }
  // What is said of the path must not run into what is said after it.
  const std::string shown = rpc::EscapeForLog(path, 500);
  rpc::Log({.level = rpc::LogLevel::kWarning,
            .event = "path_traversal_blocked",
            .message = absl::StrCat(
                "[Security] Path Traversal Blocked: ", shown, " escapes ", root,
                " (Session: ", session_public_id.substr(0, 4), ")"),
            .fields = {{"path", shown},
                       {"root", std::string(root)},
                       {"session", std::string(session_public_id)}}});
  return status;
}

}  // namespace banyan::lspd
