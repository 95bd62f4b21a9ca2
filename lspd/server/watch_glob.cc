// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/watch_glob.h"

#include <re2/re2.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace banyan::lspd {
namespace {

// "**/" is any number of whole folders, none included; "**" anything.
size_t AppendStars(absl::string_view rest, std::string* regex) {
  if (absl::StartsWith(rest, "**/")) {
    absl::StrAppend(regex, "(?:.*/)?");
    return 3;
  }
  if (absl::StartsWith(rest, "**")) {
    absl::StrAppend(regex, ".*");
    return 2;
  }
  absl::StrAppend(regex, "[^/]*");
  return 1;
}

size_t AppendClass(absl::string_view rest, std::string* regex) {
  const size_t end = rest.find(']', 2);
  if (end == absl::string_view::npos) {
    absl::StrAppend(regex, "\\[");
    return 1;
  }
  absl::string_view members = rest.substr(1, end - 1);
  absl::StrAppend(regex, "[");
  if (members[0] == '!') {
    absl::StrAppend(regex, "^/");
    members.remove_prefix(1);
  }
  for (const char member : members) {
    if (member == '\\' || member == '^' || member == '[') {
      absl::StrAppend(regex, "\\");
    }
    regex->push_back(member);
  }
  absl::StrAppend(regex, "]");
  return end + 1;
}

}  // namespace

std::string WatchGlobToRegex(absl::string_view glob) {
  std::string regex;
  if (!absl::StartsWith(glob, "/")) regex = "(?:.*/)?";
  int braces = 0;
  for (size_t i = 0; i < glob.size();) {
    const char c = glob[i];
    if (c == '*') {
      i += AppendStars(glob.substr(i), &regex);
      continue;
    }
    if (c == '[') {
      i += AppendClass(glob.substr(i), &regex);
      continue;
    }
    if (c == '?') {
      absl::StrAppend(&regex, "[^/]");
    } else if (c == '{') {
      ++braces;
      absl::StrAppend(&regex, "(?:");
    } else if (c == '}' && braces > 0) {
      --braces;
      absl::StrAppend(&regex, ")");
    } else if (c == ',' && braces > 0) {
      absl::StrAppend(&regex, "|");
    } else {
      absl::StrAppend(&regex, re2::RE2::QuoteMeta(re2::StringPiece(&c, 1)));
    }
    ++i;
  }
  return regex;
}

bool MatchesWatchGlob(absl::string_view glob, absl::string_view path) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  const re2::RE2 regex(WatchGlobToRegex(glob), options);
  return !regex.ok() ||
         re2::RE2::FullMatch(re2::StringPiece(path.data(), path.size()), regex);
}

}  // namespace banyan::lspd
