// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/symbol_surroundings.h"

#include <algorithm>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace banyan::lspd {
namespace {

bool UsesHash(absl::string_view language) {
  return language == "python" || language == "bash" || language == "ruby" ||
         language == "yaml" || language == "perl" || language == "r" ||
         language == "elixir" || language == "php" || language == "toml" ||
         language == "dockerfile" || language == "terraform";
}

bool UsesSlashes(absl::string_view language) {
  return !UsesHash(language) || language == "php" || language == "terraform";
}

// Whose nesting is told by indentation alone.
bool IsIndented(absl::string_view language) {
  return language == "python" || language == "yaml";
}

// The end of the string that begins at `at`, behind its closing mark.
size_t SkipString(absl::string_view text, size_t at,
                  absl::string_view language) {
  const char quote = text[at];
  if (language == "python" && text.substr(at, 3) == std::string(3, quote)) {
    const size_t end = text.find(std::string(3, quote), at + 3);
    return end == absl::string_view::npos ? text.size() : end + 3;
  }
  const bool spans_lines = quote == '`' || language == "bash" ||
                           language == "php" || language == "rust";
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && !(quote == '`' && language == "go")) {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    } else if (!spans_lines && (text[i] == '\n' || text[i] == '\r')) {
      return i;  // An apostrophe, or not closed.
    }
  }
  return text.size();
}

// 'a in Rust names a lifetime.
bool OpensString(absl::string_view text, size_t at,
                 absl::string_view language) {
  if (text[at] == '"' || text[at] == '`') return true;
  if (text[at] != '\'') return false;
  if (language != "rust") return true;
  const absl::string_view rest = text.substr(at + 1);
  return absl::StartsWith(rest, "\\") || (rest.size() > 1 && rest[1] == '\'');
}

// Where a comment that begins at `at` ends; `at` itself when none does.
size_t SkipComment(absl::string_view text, size_t at,
                   absl::string_view language) {
  const bool is_line = (UsesHash(language) && text[at] == '#') ||
                       (UsesSlashes(language) && text.substr(at, 2) == "//");
  if (is_line) return std::min(text.find_first_of("\r\n", at), text.size());
  if (!UsesSlashes(language) || text.substr(at, 2) != "/*") return at;
  const size_t end = text.find("*/", at + 2);
  return end == absl::string_view::npos ? text.size() : end + 2;
}

}  // namespace

bool IsBlankLine(absl::string_view line) {
  return absl::StripAsciiWhitespace(line).empty();
}

absl::string_view IndentOf(absl::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

bool BeginsWithComment(absl::string_view line, absl::string_view language) {
  line = absl::StripAsciiWhitespace(line);
  if (UsesHash(language) && absl::StartsWith(line, "#") &&
      !absl::StartsWith(line, "#!") && !absl::StartsWith(line, "#[")) {
    return true;
  }
  return UsesSlashes(language) &&
         (absl::StartsWith(line, "//") || absl::StartsWith(line, "/*"));
}

bool BeginsWithHead(absl::string_view line, absl::string_view language) {
  line = absl::StripAsciiWhitespace(line);
  if (absl::StartsWith(line, "@")) return language != "php";
  if (absl::StartsWith(line, "#[")) {
    return language == "rust" || language == "php";
  }
  if (language != "cpp" && language != "c") return false;
  if (absl::StartsWith(line, "[[")) return true;
  return absl::ConsumePrefix(&line, "template") &&
         (line.empty() || line[0] == ' ' || line[0] == '<');
}

int FirstHeadLine(const LineIndex& text, int line, absl::string_view language) {
  while (line > 1 && BeginsWithHead(text.Line(line - 1), language)) --line;
  return line;
}

int FirstCommentLine(const LineIndex& text, int line,
                     absl::string_view language) {
  while (line > 1) {
    const absl::string_view above =
        absl::StripAsciiWhitespace(text.Line(line - 1));
    if (BeginsWithComment(above, language)) {
      --line;
      continue;
    }
    if (!UsesSlashes(language) || !absl::EndsWith(above, "*/")) break;
    int first = line - 1;
    while (first > 1 && !absl::StrContains(text.Line(first), "/*")) --first;
    // A comment behind code on its line belongs to that code.
    if (!absl::StartsWith(absl::StripAsciiWhitespace(text.Line(first)), "/*")) {
      break;
    }
    line = first;
  }
  return line;
}

size_t BehindComments(absl::string_view text, size_t begin, size_t end,
                      absl::string_view language) {
  size_t at = begin;
  while (at < end) {
    if (absl::ascii_isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
    } else if (BeginsWithComment(text.substr(at), language)) {
      at = SkipComment(text, at, language);
    } else {
      return at;
    }
  }
  return begin;
}

std::optional<int> LastLineOfStatement(const LineIndex& text,
                                       const TextPosition& from,
                                       absl::string_view language) {
  const absl::string_view bytes = text.text();
  int depth = 0;
  size_t at = text.OffsetOf(from);
  while (at < bytes.size()) {
    const size_t behind = SkipComment(bytes, at, language);
    if (behind != at) {
      at = behind;
      continue;
    }
    const char c = bytes[at];
    if (OpensString(bytes, at, language)) {
      at = SkipString(bytes, at, language);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth < 0) return std::nullopt;
    if (c == '\\') {
      // Goes on in the next line.
      at += bytes.substr(at + 1, 2) == "\r\n" ? 3 : 2;
      continue;
    }
    if ((c == '\n' || c == '\r') && depth == 0) break;
    ++at;
  }
  return text.PositionOf(std::min(at, bytes.size())).line;
}

std::vector<std::string> BodyLines(absl::string_view body) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(body, '\n')) {
    absl::ConsumeSuffix(&line, "\r");
    lines.emplace_back(line);
  }
  while (!lines.empty() && IsBlankLine(lines.back())) lines.pop_back();
  while (!lines.empty() && IsBlankLine(lines.front())) {
    lines.erase(lines.begin());
  }
  return lines;
}

void FitIndent(absl::string_view indent, absl::string_view language,
               std::vector<std::string>* lines) {
  if (lines->empty()) return;
  const std::string own(IndentOf(lines->front()));
  if (own == std::string(indent)) return;
  if (!own.empty()) {
    for (std::string& line : *lines) {
      absl::string_view rest = line;
      if (absl::ConsumePrefix(&rest, own)) line = absl::StrCat(indent, rest);
    }
    return;
  }
  // Written from column 1 on, or copied from a shown body, whose first line
  // alone begins at the symbol.
  size_t least = std::numeric_limits<size_t>::max();
  for (size_t i = 1; i < lines->size(); ++i) {
    if (IsBlankLine((*lines)[i])) continue;
    least = std::min(least, IndentOf((*lines)[i]).size());
  }
  const bool is_shallow =
      least < indent.size() || (IsIndented(language) && least == indent.size());
  (*lines)[0] = absl::StrCat(indent, (*lines)[0]);
  if (!is_shallow) return;
  for (size_t i = 1; i < lines->size(); ++i) {
    std::string& line = (*lines)[i];
    if (!IsBlankLine(line)) line = absl::StrCat(indent, line);
  }
}

}  // namespace banyan::lspd
