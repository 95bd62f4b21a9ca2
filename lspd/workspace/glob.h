// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_GLOB_H_
#define LSPD_WORKSPACE_GLOB_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace re2 {
class RE2;
}

namespace banyan::lspd {

// A glob in the grammar of the Language Server Protocol ("GlobPattern"): `*`
// and `?` inside a component, `**` across them, `{a,b}`, `[x-y]`, `[!x]`.
// Cheap to copy. Thread-safe.
class Glob {
 public:
  //   PATTERN_INVALID  unbalanced brackets or braces, or over 1,000 bytes
  static absl::StatusOr<Glob> Compile(absl::string_view pattern);

  // The whole of `path`.
  bool Matches(absl::string_view path) const;

  // As tools mean it: on the name, or on the path if the glob has a slash.
  bool MatchesNameOrPath(absl::string_view path) const;

 private:
  Glob(std::shared_ptr<const re2::RE2> expression, bool has_slash);

  std::shared_ptr<const re2::RE2> expression_;
  bool has_slash_ = false;
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_GLOB_H_
