// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/name_path.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

absl::Status Malformed(absl::string_view what) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_NAME_PATH_MALFORMED,
      absl::StrCat("The name path ", what,
                   ". Write `name`, `Class/method`, `/Class/method` for an "
                   "exact path, or `name[1]` for the second of its name."));
}

// "name[12]" → 12 and "name"; anything else has no index.
std::optional<int> SplitIndex(absl::string_view* name) {
  if (!absl::EndsWith(*name, "]")) return std::nullopt;
  const size_t open = name->rfind('[');
  if (open == absl::string_view::npos || open == 0) return std::nullopt;
  const absl::string_view digits =
      name->substr(open + 1, name->size() - open - 2);
  int index = 0;
  if (digits.empty() || !absl::ascii_isdigit(digits[0]) ||
      !absl::SimpleAtoi(digits, &index)) {
    return std::nullopt;
  }
  *name = name->substr(0, open);
  return index;
}

bool IsIdentifierByte(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string ToString(const NamePath& path) {
  std::string text;
  for (const NamePathComponent& component : path) {
    if (!text.empty()) text += '/';
    text += component.name;
    if (component.index) absl::StrAppend(&text, "[", *component.index, "]");
  }
  return text;
}

std::string ShownName(absl::string_view name) {
  return absl::StrReplaceAll(name, {{"/", "#"}});
}

absl::StatusOr<NamePathPattern> NamePathPattern::Parse(
    absl::string_view text, bool substring_matching) {
  if (text.empty()) return Malformed("is empty");
  for (const char c : text) {
    if (c == '\0' || c == '\n' || c == '\r') {
      return Malformed("holds a line break or NUL");
    }
  }
  NamePathPattern pattern;
  pattern.is_substring_ = substring_matching;
  if (text.front() == '/') {
    pattern.is_absolute_ = true;
    text.remove_prefix(1);
  }
  for (absl::string_view part : absl::StrSplit(text, '/')) {
    Component component{
        .name = "", .index = std::nullopt, .spelling = std::string(part)};
    component.index = SplitIndex(&part);
    component.name = std::string(part);
    if (component.name.empty()) return Malformed("has an empty component");
    pattern.components_.push_back(std::move(component));
  }
  return pattern;
}

bool NamePathPattern::MatchesSuffix(const NamePath& path) const {
  const size_t offset = path.size() - components_.size();
  for (size_t i = 0; i < components_.size(); ++i) {
    const Component& wanted = components_[i];
    const NamePathComponent& found = path[offset + i];
    const bool may_be_part = is_substring_ && i + 1 == components_.size();
    const bool has_spelling =
        may_be_part ? absl::StrContains(found.name, wanted.spelling)
                    : found.name == wanted.spelling;
    if (has_spelling) continue;
    const bool has_name = may_be_part
                              ? absl::StrContains(found.name, wanted.name)
                              : found.name == wanted.name;
    if (!has_name || !wanted.index) return false;
    // The only one of its name is also the first of its name.
    if (found.index.value_or(0) != *wanted.index) return false;
  }
  return true;
}

bool NamePathPattern::Matches(const NamePath& path) const {
  if (path.size() < components_.size()) return false;
  if (is_absolute_ && path.size() != components_.size()) return false;
  return MatchesSuffix(path);
}

bool NamePathPattern::IsWholePath(const NamePath& path) const {
  if (path.size() != components_.size()) return false;
  for (size_t i = 0; i < components_.size(); ++i) {
    if (path[i].name == components_[i].spelling && !path[i].index) continue;
    if (path[i].name != components_[i].name ||
        path[i].index != components_[i].index) {
      return false;
    }
  }
  return true;
}

bool NamePathPattern::IsIdentifier() const {
  const std::string& name = last_name();
  if (!is_substring_ && absl::ascii_isdigit(name.front())) return false;
  for (const char c : name) {
    if (!IsIdentifierByte(c)) return false;
  }
  return true;
}

}  // namespace banyan::lspd
