// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_RELATIVE_PATH_H_
#define LSPD_WORKSPACE_RELATIVE_PATH_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::lspd {

// What text alone can say about a path from outside: single slashes, no `.`,
// no slash at the end; "" is the root. `..` stays, for only the kernel knows
// where it leads behind a link.
//
//   PATH_MALFORMED     NUL, invalid UTF-8, over 4,095 bytes or 255 a component
//   PATH_OUTSIDE_ROOT  absolute, or climbs out by its text
//   PATH_FORBIDDEN     a component is `.git`
absl::StatusOr<std::string> CleanRelativePath(absl::string_view path);

// A component equals `.git` in any case: repositories' insides are no files to
// the tools, and a file system that folds case would hand them out.
bool HasGitComponent(absl::string_view path);

// `path` is `folder` or lies beneath it, component by component: `/root-evil`
// is not beneath `/root`. Both clean; "" holds every relative path.
bool IsBeneath(absl::string_view path, absl::string_view folder);

// The line "[Security] Path Traversal Blocked: …" when `status` says
// PATH_OUTSIDE_ROOT, else nothing. Services call it once per call, with the
// path as it was asked for. Returns `status`.
absl::Status LogIfTraversal(absl::Status status, absl::string_view path,
                            absl::string_view root,
                            absl::string_view session_public_id);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_RELATIVE_PATH_H_
