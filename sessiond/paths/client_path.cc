// SPDX-License-Identifier: Apache-2.0
#include "sessiond/paths/client_path.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/paths/path_policy.h"

namespace banyan::sessiond {
namespace {

// "C:\" or "C:/"
bool IsOnDrive(absl::string_view path) {
  return path.size() >= 3 &&
         absl::ascii_isalpha(static_cast<unsigned char>(path[0])) &&
         path[1] == ':' && (path[2] == '\\' || path[2] == '/');
}

std::string WithSlashes(absl::string_view path) {
  std::string slashed(path);
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  return slashed;
}

}  // namespace

absl::StatusOr<std::string> CleanClientRoot(absl::string_view path) {
  if (!IsOnDrive(path)) return CleanRoot(path);
  ASSIGN_OR_RETURN(const std::string clean,
                   CleanRoot(WithSlashes(path.substr(2))));
  return absl::StrCat(path.substr(0, 2), clean);
}

std::string MapClientPath(absl::string_view client_root, absl::string_view root,
                          absl::string_view path) {
  if (client_root.empty()) return std::string(path);
  const bool is_on_drive = IsOnDrive(client_root);
  const std::string wanted =
      is_on_drive ? WithSlashes(path) : std::string(path);
  const bool is_there = is_on_drive
                            ? absl::StartsWithIgnoreCase(wanted, client_root)
                            : absl::StartsWith(wanted, client_root);
  if (!is_there) return std::string(path);
  const absl::string_view rest =
      absl::string_view(wanted).substr(client_root.size());
  // "/home/ada/app-evil" does not lie in "/home/ada/app".
  if (!rest.empty() && rest[0] != '/') return std::string(path);
  return absl::StrCat(root, rest);
}

}  // namespace banyan::sessiond
