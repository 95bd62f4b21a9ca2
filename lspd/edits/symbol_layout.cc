// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/symbol_layout.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "lspd/edits/symbol_surroundings.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr int kWidestGap = 2;

size_t StartOf(const LineIndex& text, int line) {
  return text.OffsetOf(TextPosition{.line = line, .column = 1});
}

// The first byte of the line that is no blank.
size_t FirstInk(const LineIndex& text, int line) {
  return StartOf(text, line) + IndentOf(text.Line(line)).size();
}

size_t EndOf(const LineIndex& text, int line) {
  return StartOf(text, line) + text.Line(line).size();
}

absl::string_view Between(const LineIndex& text, size_t begin, size_t end) {
  return text.text().substr(begin, end - begin);
}

// What stands before the symbol on its line, without the blanks around.
absl::string_view Prefix(const LineIndex& text, const Definition& symbol) {
  const int line = symbol.range.start.line;
  const size_t ink = FirstInk(text, line);
  const size_t start = text.OffsetOf(symbol.range.start);
  if (ink >= start) return "";
  return absl::StripAsciiWhitespace(Between(text, ink, start));
}

// Only words, as `export default` or `public static`: they belong to it.
bool IsKeywords(absl::string_view prefix) {
  return std::all_of(prefix.begin(), prefix.end(), [](char c) {
    return absl::ascii_isalpha(c) || c == ' ' || c == '\t';
  });
}

// What stands behind the symbol on its last line.
absl::string_view Suffix(const LineIndex& text, const Definition& symbol) {
  const size_t end = text.OffsetOf(symbol.range.end);
  const size_t line_end = EndOf(text, symbol.range.end.line);
  if (end >= line_end) return "";
  return absl::StripAsciiWhitespace(Between(text, end, line_end));
}

bool IsVariable(const Definition& symbol) {
  return symbol.kind == "variable" || symbol.kind == "constant";
}

// Some servers give a variable's name alone: its definition is the statement.
Definition Whole(const LineIndex& text, Definition symbol) {
  const absl::string_view suffix = Suffix(text, symbol);
  const bool is_name_alone = IsVariable(symbol) &&
                             symbol.language == "python" && !suffix.empty() &&
                             (suffix[0] == '=' || suffix[0] == ':');
  if (!is_name_alone) return symbol;
  const std::optional<int> last =
      LastLineOfStatement(text, symbol.range.end, symbol.language);
  if (last) symbol.range.end = text.PositionOf(EndOf(text, *last));
  return symbol;
}

bool IsBlock(const Definition& symbol) {
  return symbol.kind == "class" || symbol.kind == "function" ||
         symbol.kind == "method" || symbol.kind == "constructor" ||
         symbol.kind == "interface" || symbol.kind == "struct" ||
         symbol.kind == "enum" || symbol.kind == "module" ||
         symbol.kind == "namespace";
}

absl::Status NoPlace(absl::string_view why) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
      absl::StrCat("there is no place for lines of its own there: ", why,
                   ". Use replace_content or replace_lines."));
}

// The line closes what surrounds it, or the file ends.
bool ClosesOrEnds(const LineIndex& text, int line) {
  if (line > text.line_count()) return true;
  const absl::string_view ink = absl::StripAsciiWhitespace(text.Line(line));
  if (ink.empty()) return line == text.line_count();
  return absl::StrContains(")]}", ink.substr(0, 1)) ||
         absl::StartsWith(ink, "end") || absl::StartsWith(ink, "</") ||
         absl::StartsWith(ink, "esac") || absl::StartsWith(ink, "fi");
}

// The line opens what surrounds the next one, or the file begins.
bool OpensOrBegins(const LineIndex& text, int line) {
  if (line < 1) return true;
  const absl::string_view ink = absl::StripAsciiWhitespace(text.Line(line));
  return absl::EndsWith(ink, "{") || absl::EndsWith(ink, "(") ||
         absl::EndsWith(ink, "[") || absl::EndsWith(ink, ":");
}

// No neighbour of a symbol with that indent: its surroundings end there.
bool IsOutside(const LineIndex& text, int line, absl::string_view indent) {
  return ClosesOrEnds(text, line) ||
         IndentOf(text.Line(line)).size() < indent.size();
}

int BlankLinesFrom(const LineIndex& text, int line, int step) {
  int count = 0;
  while (line >= 1 && line <= text.line_count() &&
         IsBlankLine(text.Line(line))) {
    ++count;
    line += step;
  }
  return count;
}

struct Place {
  int first = 1;  // Line of its doc comment, or of the symbol itself.
  int last = 1;   // Line where its statement ends.
};

// How many blank lines its neighbours keep.
int GapOf(const LineIndex& text, const Definition& symbol, const Place& place,
          const std::vector<std::string>& body) {
  if (!IsBlock(symbol) && body.size() < 2) return 0;
  const absl::string_view indent = IndentOf(text.Line(symbol.range.start.line));
  const int after = BlankLinesFrom(text, place.last + 1, 1);
  if (!IsOutside(text, place.last + 1 + after, indent) && after > 0) {
    return std::min(after, kWidestGap);
  }
  const int before = BlankLinesFrom(text, place.first - 1, -1);
  if (!OpensOrBegins(text, place.first - 1 - before) && before > 0) {
    return std::min(before, kWidestGap);
  }
  return symbol.language == "python" && indent.empty() ? kWidestGap : 1;
}

absl::StatusOr<Place> PlaceOf(const LineIndex& text, const Definition& symbol) {
  if (!IsKeywords(Prefix(text, symbol))) {
    return NoPlace("it begins behind other code on its line");
  }
  const std::optional<int> last =
      LastLineOfStatement(text, symbol.range.end, symbol.language);
  if (!last) return NoPlace("what surrounds it ends on its line");
  if (IsVariable(symbol) && symbol.language != "python" &&
      absl::StartsWith(Suffix(text, symbol), ",")) {
    return NoPlace("it is one of several in one statement");
  }
  const int head =
      FirstHeadLine(text, symbol.range.start.line, symbol.language);
  return Place{.first = FirstCommentLine(text, head, symbol.language),
               .last = *last};
}

std::string Joined(const std::vector<std::string>& lines,
                   absl::string_view line_end) {
  return absl::StrJoin(lines, line_end);
}

std::string Repeated(absl::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) absl::StrAppend(&result, text);
  return result;
}

std::vector<std::string> FittedBody(const LineIndex& text,
                                    const Definition& symbol,
                                    absl::string_view body) {
  std::vector<std::string> lines = BodyLines(body);
  FitIndent(IndentOf(text.Line(symbol.range.start.line)), symbol.language,
            &lines);
  return lines;
}

}  // namespace

TextChange ReplaceDefinition(const LineIndex& text, const Definition& named,
                             absl::string_view body) {
  Definition symbol = Whole(text, named);
  std::vector<std::string> lines = FittedBody(text, symbol, body);
  if (lines.empty() || !BeginsWithComment(lines.front(), symbol.language)) {
    // Some servers count a doc comment in; it stays all the same.
    symbol.range.start = text.PositionOf(
        BehindComments(text.text(), text.OffsetOf(symbol.range.start),
                       text.OffsetOf(symbol.range.end), symbol.language));
  }
  const int line = symbol.range.start.line;
  TextChange change{.begin = text.OffsetOf(symbol.range.start),
                    .end = text.OffsetOf(symbol.range.end),
                    .text = ""};
  const absl::string_view prefix = Prefix(text, symbol);
  const absl::string_view first =
      lines.empty() ? "" : absl::StripAsciiWhitespace(lines.front());
  const int head = FirstHeadLine(text, line, symbol.language);
  if (IsKeywords(prefix)) {
    if (BeginsWithComment(first, symbol.language)) {
      change.begin =
          FirstInk(text, FirstCommentLine(text, head, symbol.language));
    } else if (BeginsWithHead(first, symbol.language)) {
      change.begin = FirstInk(text, head);
    } else if (!prefix.empty() && absl::StartsWith(first, prefix)) {
      change.begin = FirstInk(text, line);
    }
  }
  // A semicolon or comma behind the range that the body brings as well.
  const absl::string_view suffix = Suffix(text, symbol);
  if (!suffix.empty() && !lines.empty() &&
      (suffix[0] == ';' || suffix[0] == ',') &&
      absl::EndsWith(absl::StripTrailingAsciiWhitespace(lines.back()),
                     suffix.substr(0, 1))) {
    change.end = text.text().find(suffix[0], change.end) + 1;
  }
  std::string joined = Joined(lines, LineEndAt(text.text(), change.begin));
  change.text = std::string(absl::StripLeadingAsciiWhitespace(joined));
  return change;
}

absl::StatusOr<TextChange> InsertBeforeDefinition(const LineIndex& text,
                                                  const Definition& symbol,
                                                  absl::string_view body) {
  ASSIGN_OR_RETURN(const Place place, PlaceOf(text, symbol));
  const absl::string_view above =
      absl::StripAsciiWhitespace(text.Line(place.first - 1));
  if (IsVariable(symbol) && absl::EndsWith(above, ",")) {
    return NoPlace("it is one of several in one statement");
  }
  const std::vector<std::string> lines = FittedBody(text, symbol, body);
  const size_t at = StartOf(text, place.first);
  const absl::string_view line_end = LineEndAt(text.text(), at);
  const int gap = GapOf(text, symbol, place, lines);
  const bool needs_gap_above =
      !IsBlankLine(above) && !OpensOrBegins(text, place.first - 1);
  return TextChange{
      .begin = at,
      .end = at,
      .text = absl::StrCat(Repeated(line_end, needs_gap_above ? gap : 0),
                           Joined(lines, line_end), line_end,
                           Repeated(line_end, gap))};
}

absl::StatusOr<TextChange> InsertAfterDefinition(const LineIndex& text,
                                                 const Definition& symbol,
                                                 absl::string_view body) {
  ASSIGN_OR_RETURN(const Place place, PlaceOf(text, symbol));
  const std::vector<std::string> lines = FittedBody(text, symbol, body);
  const size_t line_end_at = EndOf(text, place.last);
  const absl::string_view line_end = LineEndAt(text.text(), line_end_at);
  const int gap = GapOf(text, symbol, place, lines);
  const std::string joined = Joined(lines, line_end);
  if (place.last >= text.line_count()) {
    // The file ends without a line end, and goes on to do so.
    return TextChange{
        .begin = line_end_at,
        .end = line_end_at,
        .text = absl::StrCat(Repeated(line_end, gap + 1), joined)};
  }
  const size_t at = StartOf(text, place.last + 1);
  const bool needs_gap_below = !IsBlankLine(text.Line(place.last + 1)) &&
                               !ClosesOrEnds(text, place.last + 1);
  return TextChange{
      .begin = at,
      .end = at,
      .text = absl::StrCat(Repeated(line_end, gap), joined, line_end,
                           Repeated(line_end, needs_gap_below ? gap : 0))};
}

TextChange RemoveDefinition(const LineIndex& text, const Definition& named) {
  const Definition symbol = Whole(text, named);
  const absl::StatusOr<Place> place = PlaceOf(text, symbol);
  const absl::string_view suffix = Suffix(text, symbol);
  const bool has_own_lines =
      place.ok() && (suffix.empty() || suffix == ";" || suffix == "," ||
                     BeginsWithComment(suffix, symbol.language) ||
                     place->last > symbol.range.end.line);
  if (!has_own_lines) {
    TextChange change{.begin = text.OffsetOf(symbol.range.start),
                      .end = text.OffsetOf(symbol.range.end),
                      .text = ""};
    if (!suffix.empty() && (suffix[0] == ';' || suffix[0] == ',')) {
      change.end = text.text().find(suffix[0], change.end) + 1;
    }
    return change;
  }
  int last = place->last;
  const int blank_before = BlankLinesFrom(text, place->first - 1, -1);
  const int blank_after = BlankLinesFrom(text, last + 1, 1);
  const bool is_first = OpensOrBegins(text, place->first - 1 - blank_before);
  size_t begin = StartOf(text, place->first);
  const bool is_last = IsOutside(text, last + 1 + blank_after,
                                 IndentOf(text.Line(symbol.range.start.line)));
  const bool ends_file = last + 1 + blank_after > text.line_count();
  if (is_last && blank_before > 0) {
    // The gap before it goes with it; what closes keeps its own.
    begin = StartOf(text, place->first - blank_before);
    if (ends_file) last += blank_after;
  } else if (blank_before > 0 || is_first) {
    last += blank_after;
  }
  last = std::min(last, text.line_count());
  return TextChange{.begin = begin,
                    .end = last >= text.line_count() ? text.text().size()
                                                     : StartOf(text, last + 1),
                    .text = ""};
}

}  // namespace banyan::lspd
