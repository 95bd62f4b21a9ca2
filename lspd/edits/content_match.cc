// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/content_match.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lspd/protocol/text_position.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"
#include "re2/re2.h"

namespace banyan::lspd {
namespace {

constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";
constexpr int64_t kMostPatternBytes = 8 << 20;

absl::Status Invalid(absl::string_view message) {
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID, message);
}

// The replacement text with its references to groups filled in.
absl::StatusOr<std::string> Expand(
    absl::string_view form, const std::vector<re2::StringPiece>& groups) {
  std::string result;
  for (size_t i = 0; i < form.size(); ++i) {
    const char mark = form[i];
    if (mark != '$' && mark != '\\') {
      result.push_back(mark);
      continue;
    }
    size_t digits = i + 1;
    // Twice the mark before a digit is the mark itself.
    if (digits < form.size() && form[digits] == mark &&
        digits + 1 < form.size() && absl::ascii_isdigit(form[digits + 1])) {
      result.push_back(mark);
      i = digits;
      continue;
    }
    const bool is_braced =
        mark == '$' && digits < form.size() && form[digits] == '{';
    if (is_braced) ++digits;
    size_t end = digits;
    size_t group = 0;
    while (end < form.size() && absl::ascii_isdigit(form[end]) &&
           end - digits < (is_braced ? 3 : 1)) {
      group = group * 10 + static_cast<size_t>(form[end++] - '0');
    }
    const bool is_reference =
        end > digits && (!is_braced || (end < form.size() && form[end] == '}'));
    if (!is_reference) {
      result.push_back(mark);
      continue;
    }
    if (group >= groups.size()) {
      return Invalid(absl::StrCat(
          "the replacement names group ", group, ", but the expression has ",
          groups.size() - 1, ". Write ", mark == '$' ? "$$" : "\\\\", group,
          " for the text itself."));
    }
    result.append(groups[group].data(), groups[group].size());
    i = is_braced ? end : end - 1;
  }
  return result;
}

TextChange ChangeAt(absl::string_view original, const PlainText& plain,
                    size_t begin, size_t end, absl::string_view text) {
  TextChange change{.begin = plain.ToOriginal(begin),
                    .end = plain.ToOriginal(end),
                    .text = ""};
  change.text = WithLineEnds(text, LineEndAt(original, change.begin));
  return change;
}

std::vector<TextChange> FindLiteral(absl::string_view original,
                                    const PlainText& plain,
                                    const std::string& needle,
                                    absl::string_view replacement) {
  std::vector<TextChange> changes;
  for (size_t at = plain.text().find(needle); at != std::string::npos;
       at = plain.text().find(needle, at + needle.size())) {
    changes.push_back(
        ChangeAt(original, plain, at, at + needle.size(), replacement));
  }
  return changes;
}

absl::StatusOr<std::vector<TextChange>> FindRegex(
    absl::string_view original, const PlainText& plain,
    const std::string& pattern, const std::string& replacement) {
  RE2::Options options(RE2::Quiet);
  options.set_dot_nl(true);
  options.set_max_mem(kMostPatternBytes);
  const RE2 expression(absl::StrCat("(?m)", pattern), options);
  if (!expression.ok()) {
    return rpc::Error(rpc::v1::ERROR_REASON_PATTERN_INVALID,
                      absl::StrCat("`needle` is no regular expression (RE2): ",
                                   expression.error()));
  }
  const re2::StringPiece text(plain.text());
  std::vector<re2::StringPiece> groups(
      static_cast<size_t>(expression.NumberOfCapturingGroups()) + 1);
  std::vector<TextChange> changes;
  size_t from = 0;
  while (from <= text.size() &&
         expression.Match(text, from, text.size(), RE2::UNANCHORED,
                          groups.data(), static_cast<int>(groups.size()))) {
    const auto begin = static_cast<size_t>(groups[0].data() - text.data());
    if (groups[0].empty()) {
      return rpc::Error(rpc::v1::ERROR_REASON_PATTERN_INVALID,
                        "`needle` matches the empty text; make it match what "
                        "is to be replaced");
    }
    ASSIGN_OR_RETURN(const std::string expanded, Expand(replacement, groups));
    from = begin + groups[0].size();
    changes.push_back(ChangeAt(original, plain, begin, from, expanded));
  }
  return changes;
}

}  // namespace

PlainText::PlainText(absl::string_view original) {
  absl::string_view rest = original;
  if (absl::ConsumePrefix(&rest, kByteOrderMark)) skipped_ = 3;
  text_.reserve(rest.size());
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] != '\r') {
      text_.push_back(rest[i]);
      continue;
    }
    if (rest.substr(i, 2) == "\r\n") {
      pairs_.push_back(text_.size());
      ++i;
    }
    text_.push_back('\n');
  }
}

size_t PlainText::ToOriginal(size_t offset) const {
  const auto before = std::lower_bound(pairs_.begin(), pairs_.end(), offset);
  return skipped_ + offset + static_cast<size_t>(before - pairs_.begin());
}

absl::StatusOr<std::vector<TextChange>> FindReplacements(
    absl::string_view text, const ContentQuery& query) {
  if (query.needle.empty()) {
    return Invalid("`needle` is empty; say what is to be replaced");
  }
  const PlainText plain(text);
  const std::string needle = WithLineEnds(query.needle, "\n");
  const std::string replacement = WithLineEnds(query.replacement, "\n");
  if (query.is_regex) return FindRegex(text, plain, needle, replacement);
  return FindLiteral(text, plain, needle, replacement);
}

std::string NearMiss(absl::string_view text, absl::string_view needle) {
  absl::string_view wanted;
  for (const absl::string_view line : absl::StrSplit(needle, '\n')) {
    wanted = absl::StripAsciiWhitespace(line);
    if (!wanted.empty()) break;
  }
  if (wanted.empty()) return "";
  const LineIndex lines(text);
  for (int line = 1; line <= lines.line_count(); ++line) {
    if (absl::StrContains(lines.Line(line), wanted)) {
      return absl::StrCat("line ", line, " holds \"", wanted.substr(0, 80),
                          "\", but what surrounds it differs");
    }
  }
  return "";
}

}  // namespace banyan::lspd
