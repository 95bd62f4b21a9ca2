// SPDX-License-Identifier: Apache-2.0
//
// Steps that need no more than the file itself.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/text_change.h"
#include "lspd/protocol/text_position.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

absl::Status BadEdit(absl::string_view message) {
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID, message);
}

// Lines that can be named: an empty one behind the last line end cannot.
int CountLines(const LineIndex& lines) {
  const int count = lines.line_count();
  return lines.Line(count).empty() ? count - 1 : count;
}

size_t StartOfLine(const LineIndex& lines, int line) {
  return lines.OffsetOf(TextPosition{.line = line, .column = 1});
}

// Content as whole lines.
std::string AsLines(absl::string_view content, absl::string_view line_end) {
  std::string lines = WithLineEnds(content, line_end);
  if (!lines.empty() && !absl::EndsWith(lines, line_end)) {
    absl::StrAppend(&lines, line_end);
  }
  return lines;
}

absl::StatusOr<TextChange> ChangeOfLines(absl::string_view text,
                                         const lsp::v1::EditLines& operation) {
  const LineIndex lines(text);
  const int count = CountLines(lines);
  const int first = operation.start_line();
  if (first < 1) return BadEdit("lines are counted from 1");
  const absl::string_view line_end = LineEndAt(text, StartOfLine(lines, first));
  std::string content = AsLines(operation.content(), line_end);
  if (operation.kind() == lsp::v1::LINE_EDIT_KIND_INSERT) {
    const size_t at = first > count ? text.size() : StartOfLine(lines, first);
    const bool is_behind_open_line = at == text.size() && at > 0 &&
                                     !absl::EndsWith(text, "\n") &&
                                     !absl::EndsWith(text, "\r");
    if (is_behind_open_line) {
      // The last line stays the one without a line end.
      content.resize(content.size() -
                     std::min(content.size(), line_end.size()));
      content = absl::StrCat(line_end, content);
    }
    return TextChange{.begin = at, .end = at, .text = std::move(content)};
  }
  const int last =
      std::min(operation.end_line() == 0 ? first : operation.end_line(), count);
  if (first > count) {
    return BadEdit(absl::StrCat("the file has only ", count,
                                " lines; insert_at_line appends"));
  }
  if (last < first) return BadEdit("`end_line` lies before `start_line`");
  TextChange change{.begin = StartOfLine(lines, first),
                    .end = last >= lines.line_count()
                               ? text.size()
                               : StartOfLine(lines, last + 1),
                    .text = ""};
  if (operation.kind() == lsp::v1::LINE_EDIT_KIND_REPLACE) {
    change.text = std::move(content);
    // A file that ended without a line end goes on to do so.
    const bool is_open_end = change.end == text.size() &&
                             !absl::EndsWith(text, "\n") &&
                             !absl::EndsWith(text, "\r");
    if (is_open_end && !absl::EndsWith(operation.content(), "\n") &&
        !change.text.empty()) {
      change.text.resize(change.text.size() - line_end.size());
    }
  }
  return change;
}

TextRange RangeOf(const lsp::v1::Range& range) {
  return {.start = {.line = range.start_line(), .column = range.start_column()},
          .end = {.line = range.end_line(), .column = range.end_column()}};
}

absl::Status ApplyTextEdits(EditStep& step, const std::string& path,
                            const lsp::v1::TextEdits& edits) {
  ASSIGN_OR_RETURN(const absl::string_view text, step.draft.ReadText(path));
  const LineIndex lines(text);
  std::vector<TextChange> changes;
  for (const lsp::v1::TextEdit& edit : edits.edits()) {
    const TextRange range = RangeOf(edit.range());
    changes.push_back({.begin = lines.OffsetOf(range.start),
                       .end = lines.OffsetOf(range.end),
                       .text = edit.new_text()});
  }
  ASSIGN_OR_RETURN(std::string edited, ApplyChanges(text, std::move(changes)));
  return step.draft.Write(path, std::move(edited));
}

}  // namespace

absl::Status CreateFile(EditStep& step, const std::string& path,
                        const lsp::v1::CreateFile& operation) {
  if (!IsValidUtf8(operation.content())) {
    return rpc::Error(rpc::v1::ERROR_REASON_NOT_UTF8,
                      "`content` is not UTF-8 text");
  }
  ASSIGN_OR_RETURN(const auto disk, step.draft.DiskHash(path));
  if (disk && operation.may_overwrite()) {
    ASSIGN_OR_RETURN(const std::string real, step.draft.RealPath(path));
    const bool was_seen =
        step.shown.LastHash(step.handle_hash, real).has_value();
    if (!was_seen) {
      return rpc::Error(
          rpc::v1::ERROR_REASON_CONFLICT,
          absl::StrCat(path,
                       " is there, and this workspace handle has not "
                       "read it: read_file shows what would be lost. "
                       "Then overwrite it with its `expected_hash`."));
    }
  }
  return step.draft.Create(path, operation.content(),
                           operation.may_overwrite());
}

absl::Status EditLines(EditStep& step, const std::string& path,
                       const lsp::v1::EditLines& operation) {
  if (operation.kind() == lsp::v1::LINE_EDIT_KIND_UNSPECIFIED) {
    return BadEdit("the edit says not what to do with the lines");
  }
  ASSIGN_OR_RETURN(const absl::string_view text, step.draft.ReadText(path));
  ASSIGN_OR_RETURN(TextChange change, ChangeOfLines(text, operation));
  ASSIGN_OR_RETURN(std::string edited, ApplyChanges(text, {std::move(change)}));
  return step.draft.Write(path, std::move(edited));
}

absl::Status EditFile(EditStep& step, const lsp::v1::FileEdit& edit) {
  ASSIGN_OR_RETURN(const std::string path,
                   CleanRelativePath(edit.relative_path()));
  const bool is_new = edit.change_case() == lsp::v1::FileEdit::kCreateContent &&
                      !edit.may_overwrite();
  RETURN_IF_ERROR(CheckSeen(step, path, edit.expected_hash(), !is_new));
  switch (edit.change_case()) {
    case lsp::v1::FileEdit::kTextEdits:
      return ApplyTextEdits(step, path, edit.text_edits());
    case lsp::v1::FileEdit::kCreateContent:
      return step.draft.Create(path, edit.create_content(),
                               edit.may_overwrite());
    case lsp::v1::FileEdit::kIsDelete:
      return step.draft.Delete(path);
    case lsp::v1::FileEdit::kMoveTo:
      return step.draft.Move(path, edit.move_to());
    case lsp::v1::FileEdit::CHANGE_NOT_SET:
      break;
  }
  return BadEdit("an edit of a file says not what to do");
}

}  // namespace banyan::lspd
