// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_CLOSED_PATH_H_
#define LSPD_WORKSPACE_CLOSED_PATH_H_

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// No file to the tools, at any depth and in any case: within `.git`, or within
// `.banyan/edits`, where edits keep their journals and pre-images.
bool IsClosedPath(absl::string_view path);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_CLOSED_PATH_H_
