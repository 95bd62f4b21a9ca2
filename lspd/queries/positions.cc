// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/positions.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

absl::StatusOr<TextPosition> PositionOfRegex(const SourceFile& file,
                                             const TextRange& within,
                                             const std::string& expression) {
  const auto invalid = [](absl::string_view what) {
    return rpc::Error(rpc::v1::ERROR_REASON_PATTERN_INVALID,
                      absl::StrCat("The regular expression ", what));
  };
  re2::RE2::Options options(re2::RE2::Quiet);
  const re2::RE2 pattern(absl::StrCat("(?m)", expression), options);
  if (!pattern.ok()) {
    return invalid(absl::StrCat("is not valid: ", pattern.error()));
  }
  if (pattern.NumberOfCapturingGroups() != 1) {
    return invalid(absl::StrCat(
        "must have exactly one group, around the name that is meant; it has ",
        pattern.NumberOfCapturingGroups(), "."));
  }
  const absl::string_view text = file.lines().text();
  const re2::StringPiece whole(text.data(), text.size());
  const size_t end = file.lines().OffsetOf(within.end);
  size_t at = file.lines().OffsetOf(within.start);
  std::vector<size_t> found;
  std::vector<int> lines;
  re2::StringPiece groups[2];
  while (at <= end &&
         pattern.Match(whole, at, end, re2::RE2::UNANCHORED, groups, 2)) {
    const auto start = static_cast<size_t>(groups[0].data() - whole.data());
    if (groups[1].data() != nullptr) {
      found.push_back(static_cast<size_t>(groups[1].data() - whole.data()));
      lines.push_back(file.lines().PositionOf(found.back()).line);
    }
    at = start + std::max<size_t>(groups[0].size(), 1);
    if (found.size() > 10) break;
  }
  if (found.empty()) {
    return invalid(
        absl::StrCat("matches nowhere in ", file.relative_path(), "."));
  }
  if (found.size() > 1) {
    return invalid(absl::StrCat(
        "must match once; in ", file.relative_path(), " it matches on lines ",
        absl::StrJoin(lines, ", "), ". Add more of the text around it."));
  }
  return file.lines().PositionOf(found.front());
}

int CountCodePoints(absl::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

TextRange WholeOf(const SourceFile& file) {
  return {.start = {},
          .end = file.lines().PositionOf(file.lines().text().size())};
}

}  // namespace

absl::StatusOr<FilePosition> FindPosition(Question& question,
                                          const lsp::v1::Position& position) {
  ASSIGN_OR_RETURN(const std::string path,
                   CleanRelativePath(position.relative_path()));
  FilePosition result;
  if (!position.name_path().empty()) {
    ASSIGN_OR_RETURN(result.symbol,
                     FindOneSymbol(question, position.name_path(), path));
    ASSIGN_OR_RETURN(result.file,
                     question.File(result.symbol->file.relative_path));
    result.language = result.symbol->file.language;
    result.position = result.symbol->place.node->selection.start;
    if (result.file->hash() != result.symbol->file.hash) question.NoteChanged();
    return result;
  }
  ASSIGN_OR_RETURN(result.file, question.File(path));
  ASSIGN_OR_RETURN(result.language, question.LanguageOf(path));
  if (!position.regex().empty()) {
    TextRange within = WholeOf(*result.file);
    if (!position.containing_symbol_name_path().empty()) {
      ASSIGN_OR_RETURN(
          const SymbolMatch container,
          FindOneSymbol(question, position.containing_symbol_name_path(),
                        path));
      within = container.place.node->range;
    }
    ASSIGN_OR_RETURN(result.position,
                     PositionOfRegex(*result.file, within, position.regex()));
    return result;
  }
  if (position.line() < 1 || position.column() < 1) {
    return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                      "Say what is meant: name_path, or regex with one group "
                      "around the name, or line and column from 1.");
  }
  const LineIndex& lines = result.file->lines();
  const int last = lines.line_count();
  // As read_file counts: what comes after the last line end is mostly nothing.
  const int shown = last > 1 && lines.Line(last).empty() ? last - 1 : last;
  if (position.line() > shown) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
        absl::StrCat(path, " has ", shown, shown == 1 ? " line" : " lines",
                     ", not ", position.line(), "."));
  }
  const int columns = CountCodePoints(lines.Line(position.line()));
  if (position.column() > columns + 1) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
        absl::StrCat("Line ", position.line(), " of ", path, " ends at column ",
                     columns + 1, ", before ", position.column(), "."));
  }
  result.position = {.line = position.line(), .column = position.column()};
  return result;
}

}  // namespace banyan::lspd
