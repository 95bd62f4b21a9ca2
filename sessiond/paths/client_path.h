// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_PATHS_CLIENT_PATH_H_
#define SESSIOND_PATHS_CLIENT_PATH_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::sessiond {

// The root as a client's own machine names it, made clean: "/home/ada/app" or
// "D:/src/app".
//   PATH_MALFORMED  not absolute
absl::StatusOr<std::string> CleanClientRoot(absl::string_view path);

// An absolute path beneath `client_root` as the same place beneath `root`;
// anything else as it is, for CleanPath to judge. `client_root` is clean or
// empty. Drives and what lies on them are compared without case.
std::string MapClientPath(absl::string_view client_root, absl::string_view root,
                          absl::string_view path);

}  // namespace banyan::sessiond

#endif  // SESSIOND_PATHS_CLIENT_PATH_H_
