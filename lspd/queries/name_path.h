// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_NAME_PATH_H_
#define LSPD_QUERIES_NAME_PATH_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::lspd {

// One component of a name path: `name` or, among siblings of one name,
// `name[1]`.
struct NamePathComponent {
  std::string name;
  std::optional<int> index;  // 0-based; absent where the name is the only one.

  friend bool operator==(const NamePathComponent&,
                         const NamePathComponent&) = default;
};

// Where a symbol stands inside its file, from the top.
using NamePath = std::vector<NamePathComponent>;

// "Class/method[1]"
std::string ToString(const NamePath& path);

// A slash is the separator of name paths, so inside a name it is shown as `#`.
std::string ShownName(absl::string_view name);

// What a caller is looking for:
//
//   method          any symbol of that name
//   Class/method    any symbol whose path ends so
//   /Class/method   exactly this path from the file's top
//   name[1]         the second of same-named siblings
//
// An index in the pattern asks for that sibling, no index for all of them. A
// name that itself ends in `[1]` is found by its full spelling too.
class NamePathPattern {
 public:
  // With `substring_matching` the last component may match in part.
  //   NAME_PATH_MALFORMED  empty, an empty component, a line break or NUL
  static absl::StatusOr<NamePathPattern> Parse(absl::string_view text,
                                               bool substring_matching = false);

  bool Matches(const NamePath& path) const;

  // The whole path equals the pattern, index included: what decides between
  // several matches.
  bool IsWholePath(const NamePath& path) const;

  // Name of the last component, without an index.
  const std::string& last_name() const { return components_.back().name; }
  bool is_substring() const { return is_substring_; }

  // The last name is spelled like an identifier (letters, digits, `_`, `$`,
  // anything past ASCII; no digit first unless in part), so that a file that
  // defines it by hand holds it as a word.
  bool IsIdentifier() const;

 private:
  struct Component {
    std::string name;
    std::optional<int> index;
    std::string spelling;  // As written, index and all.
  };

  bool MatchesSuffix(const NamePath& path) const;

  std::vector<Component> components_;
  bool is_absolute_ = false;
  bool is_substring_ = false;
};

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_NAME_PATH_H_
