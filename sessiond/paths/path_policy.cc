// SPDX-License-Identifier: Apache-2.0
#include "sessiond/paths/path_policy.h"

#include <utf8.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"

namespace banyan::sessiond {
namespace {

constexpr size_t kPathLimit = 4096;
constexpr size_t kComponentLimit = 255;
constexpr size_t kShownPath = 200;

absl::Status Malformed(absl::string_view why) {
  return rpc::Error(rpc::v1::ERROR_REASON_PATH_MALFORMED,
                    absl::StrCat("not a usable path: ", why));
}

absl::Status Outside(absl::string_view path) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT,
      absl::StrCat(rpc::EscapeForLog(path, kShownPath),
                   " lies outside the workspace; give a path relative to its "
                   "root, or activate the project that holds it"));
}

absl::Status CheckText(absl::string_view path) {
  if (path.size() > kPathLimit) return Malformed("longer than 4096 bytes");
  if (path.find('\0') != absl::string_view::npos) {
    return Malformed("it holds a NUL");
  }
  if (!utf8::is_valid(path.begin(), path.end())) {
    return Malformed("it is not UTF-8");
  }
  for (const absl::string_view component : absl::StrSplit(path, '/')) {
    if (component.size() > kComponentLimit) {
      return Malformed("a component is longer than 255 bytes");
    }
  }
  return absl::OkStatus();
}

// False when `..` climbs above the start.
bool Resolve(absl::string_view path, std::vector<absl::string_view>* parts) {
  for (const absl::string_view component : absl::StrSplit(path, '/')) {
    if (component.empty() || component == ".") continue;
    if (component != "..") {
      parts->push_back(component);
      continue;
    }
    if (parts->empty()) return false;
    parts->pop_back();
  }
  return true;
}

}  // namespace

absl::StatusOr<std::string> CleanPath(absl::string_view root,
                                      absl::string_view path) {
  RETURN_IF_ERROR(CheckText(path));
  std::vector<absl::string_view> parts;
  absl::string_view relative = path;
  std::string absolute;
  if (absl::StartsWith(path, "/")) {
    if (!Resolve(path, &parts)) return Outside(path);
    absolute = absl::StrCat("/", absl::StrJoin(parts, "/"));
    if (!IsBeneath(absolute, root)) return Outside(path);
    relative = absl::string_view(absolute).substr(root.size());
    parts.clear();
  }
  if (!Resolve(relative, &parts)) return Outside(path);
  std::string clean = absl::StrJoin(parts, "/");
  // The text as written counts too: "a/.git/../b" has no business there.
  absl::string_view written = path;
  absl::ConsumePrefix(&written, root);
  if (NamesGitFolder(clean) || NamesGitFolder(written)) {
    return rpc::Error(rpc::v1::ERROR_REASON_PATH_FORBIDDEN,
                      absl::StrCat(rpc::EscapeForLog(path, kShownPath),
                                   " is closed: .git is no folder to the "
                                   "tools; ask for another path"));
  }
  return clean;
}

absl::StatusOr<std::string> CleanRoot(absl::string_view path) {
  RETURN_IF_ERROR(CheckText(path));
  if (!absl::StartsWith(path, "/")) return Malformed("it is not absolute");
  std::vector<absl::string_view> parts;
  if (!Resolve(path, &parts)) return Malformed("it climbs above /");
  return absl::StrCat("/", absl::StrJoin(parts, "/"));
}

bool IsBeneath(absl::string_view path, absl::string_view root) {
  if (root == "/") return absl::StartsWith(path, "/");
  return absl::ConsumePrefix(&path, root) &&
         (path.empty() || absl::StartsWith(path, "/"));
}

bool NamesGitFolder(absl::string_view path) {
  for (const absl::string_view component : absl::StrSplit(path, '/')) {
    if (absl::EqualsIgnoreCase(component, ".git")) return true;
  }
  return false;
}

}  // namespace banyan::sessiond
