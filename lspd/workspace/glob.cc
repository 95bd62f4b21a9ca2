// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/glob.h"

#include <re2/re2.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMaxGlobBytes = 1000;

absl::Status Invalid(absl::string_view glob, absl::string_view what) {
  return rpc::Error(rpc::v1::ERROR_REASON_PATTERN_INVALID,
                    absl::StrCat("the glob ", glob, " ", what));
}

// Takes a character class off the front of `rest` (which begins with `[`).
absl::StatusOr<std::string> TakeClass(absl::string_view glob,
                                      absl::string_view* rest) {
  // A bracket that comes first is a member, as in the shell.
  const size_t end =
      rest->find(']', rest->size() > 1 && (*rest)[1] == '!' ? 3 : 2);
  if (end == absl::string_view::npos) return Invalid(glob, "has an open [");
  absl::string_view members = rest->substr(1, end - 1);
  rest->remove_prefix(end + 1);
  const bool is_negated = absl::ConsumePrefix(&members, "!");
  std::string expression = is_negated ? "[^/" : "[";
  for (const char c : members) {
    if (c == '/') return Invalid(glob, "has a slash inside [ ]");
    if (absl::StrContains("\\[]^&~", c)) expression += '\\';
    expression += c;
  }
  return expression + "]";
}

absl::StatusOr<std::string> ToExpression(absl::string_view glob) {
  std::string expression;
  int open_braces = 0;
  for (absl::string_view rest = glob; !rest.empty();) {
    if (absl::ConsumePrefix(&rest, "**/")) {
      expression += "(?:.*/)?";
    } else if (absl::ConsumePrefix(&rest, "**")) {
      expression += ".*";
    } else if (absl::ConsumePrefix(&rest, "*")) {
      expression += "[^/]*";
    } else if (absl::ConsumePrefix(&rest, "?")) {
      expression += "[^/]";
    } else if (rest[0] == '[') {
      ASSIGN_OR_RETURN(const std::string members, TakeClass(glob, &rest));
      expression += members;
    } else if (absl::ConsumePrefix(&rest, "{")) {
      ++open_braces;
      expression += "(?:";
    } else if (open_braces > 0 && absl::ConsumePrefix(&rest, "}")) {
      --open_braces;
      expression += ")";
    } else if (open_braces > 0 && absl::ConsumePrefix(&rest, ",")) {
      expression += "|";
    } else {
      // A backslash takes the meaning from what follows it.
      if (rest.size() > 1) absl::ConsumePrefix(&rest, "\\");
      size_t length = 1;  // Whole characters: RE2 quotes UTF-8 as it is.
      while (length < rest.size() && (rest[length] & '\xc0') == '\x80') {
        ++length;
      }
      expression += re2::RE2::QuoteMeta(re2::StringPiece(rest.data(), length));
      rest.remove_prefix(length);
    }
  }
  if (open_braces != 0) return Invalid(glob, "has an open {");
  return expression;
}

}  // namespace

Glob::Glob(std::shared_ptr<const re2::RE2> expression, bool has_slash)
    : expression_(std::move(expression)), has_slash_(has_slash) {}

absl::StatusOr<Glob> Glob::Compile(absl::string_view pattern) {
  if (pattern.size() > kMaxGlobBytes) {
    return Invalid(pattern.substr(0, 40), "is too long");
  }
  ASSIGN_OR_RETURN(const std::string expression, ToExpression(pattern));
  re2::RE2::Options options;
  options.set_dot_nl(true);
  options.set_log_errors(false);
  auto compiled = std::make_shared<const re2::RE2>(expression, options);
  if (!compiled->ok()) return Invalid(pattern, "cannot be understood");
  return Glob(std::move(compiled), absl::StrContains(pattern, '/'));
}

bool Glob::Matches(absl::string_view path) const {
  return re2::RE2::FullMatch(re2::StringPiece(path.data(), path.size()),
                             *expression_);
}

bool Glob::MatchesNameOrPath(absl::string_view path) const {
  if (has_slash_) return Matches(path);
  const size_t slash = path.rfind('/');
  return Matches(slash == absl::string_view::npos ? path
                                                  : path.substr(slash + 1));
}

}  // namespace banyan::lspd
