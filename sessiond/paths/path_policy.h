// SPDX-License-Identifier: Apache-2.0
//
// Which paths a caller may name, judged by text alone: nothing here looks at a
// disk. What a link makes of a clean path is lspd's to judge, which opens it
// beneath the root's descriptor.
#ifndef SESSIOND_PATHS_PATH_POLICY_H_
#define SESSIOND_PATHS_PATH_POLICY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::sessiond {

// A path as a client wrote it -> relative to `root`, with `/`, without `.`,
// `..`, empty components or a trailing slash; "" is the root itself. An absolute
// path beneath the root is understood. A backslash, a percent sign, `~` and
// `file:` are ordinary characters here.
//
// REQUIRES: `root` is clean and absolute.
//   kInvalidArgument   PATH_MALFORMED: NUL, invalid UTF-8, over 4096 bytes, a
//                      component over 255
//   kPermissionDenied  PATH_OUTSIDE_ROOT; PATH_FORBIDDEN: a component `.git`
absl::StatusOr<std::string> CleanPath(absl::string_view root,
                                      absl::string_view path);

// An absolute path of a folder -> the same without `.`, `..`, empty components
// and trailing slash. Codes: PATH_MALFORMED (also when not absolute).
absl::StatusOr<std::string> CleanRoot(absl::string_view path);

// Whether `path` is `root` or lies in it. Both are clean and absolute.
// "/srv/app-evil" does not lie in "/srv/app".
bool IsBeneath(absl::string_view path, absl::string_view root);

// Whether a component is `.git` in any spelling of its case.
bool NamesGitFolder(absl::string_view path);

}  // namespace banyan::sessiond

#endif  // SESSIOND_PATHS_PATH_POLICY_H_
