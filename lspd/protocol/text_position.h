// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_PROTOCOL_TEXT_POSITION_H_
#define LSPD_PROTOCOL_TEXT_POSITION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// What the `character` of a position counts; settled by `initialize`.
enum class PositionEncoding { kUtf8, kUtf16, kUtf32 };

// "utf-8" and so on. The other direction: unknown names are UTF-16.
absl::string_view ToString(PositionEncoding encoding);
PositionEncoding PositionEncodingFromString(absl::string_view name);

// A place as the language server says it: both 0-based.
struct LspPosition {
  int line = 0;
  int character = 0;  // In units of a PositionEncoding.

  auto operator<=>(const LspPosition&) const = default;
};

struct LspRange {
  LspPosition start;
  LspPosition end;  // Exclusive.

  bool Contains(const LspPosition& position) const {
    return start <= position && position < end;
  }
  // Also true for equal ranges.
  bool Contains(const LspRange& other) const {
    return start <= other.start && other.end <= end;
  }
  bool operator==(const LspRange&) const = default;
};

// A place as agents and editors say it: both 1-based, columns in code points.
struct TextPosition {
  int line = 1;
  int column = 1;

  auto operator<=>(const TextPosition&) const = default;
};

struct TextRange {
  TextPosition start;
  TextPosition end;  // Exclusive column on an inclusive line.

  bool operator==(const TextRange&) const = default;
};

// The lines of one text, and the only place where columns are converted.
//
// A line ends at LF, CRLF or a lone CR and nowhere else. A byte order mark at
// the start is no column. Each maximal bad UTF-8 sequence counts as one U+FFFD,
// as the server was told (Utf8Text). Conversions never fail: a line past the
// end is the end of the text, a character past the end of its line is the end
// of the line, and the middle of a character is its start.
//
// Keeps a view: the text must outlive the index. Immutable, so thread-safe.
class LineIndex {
 public:
  explicit LineIndex(absl::string_view text);

  absl::string_view text() const { return text_; }

  // A text that ends with a line end has an empty last line.
  int line_count() const { return static_cast<int>(starts_.size()); }

  // Without its line end and without the byte order mark. `line` is 1-based;
  // out of range gives "".
  absl::string_view Line(int line) const;

  TextPosition ToText(const LspPosition& position,
                      PositionEncoding encoding) const;
  LspPosition ToLsp(const TextPosition& position,
                    PositionEncoding encoding) const;

  // An end at {line + 1, 0} ("the whole last line") stays there when that line
  // exists, else becomes the end of the text.
  TextRange ToText(const LspRange& range, PositionEncoding encoding) const;
  LspRange ToLsp(const TextRange& range, PositionEncoding encoding) const;

  // Byte offsets into text(), clamped in the same way.
  size_t OffsetOf(const TextPosition& position) const;
  size_t OffsetOf(const LspPosition& position, PositionEncoding encoding) const;
  TextPosition PositionOf(size_t offset) const;

  // The bytes of a range, as they are on disk.
  absl::string_view Slice(const TextRange& range) const;

 private:
  size_t LineStart(size_t index) const;  // After the byte order mark.
  size_t LineEnd(size_t index) const;    // Before the line end.

  absl::string_view text_;
  std::vector<size_t> starts_;  // Byte offset of each line.
};

bool IsValidUtf8(absl::string_view bytes);

// The text with each maximal bad sequence replaced by U+FFFD.
std::string Utf8Text(absl::string_view bytes);

}  // namespace banyan::lspd

#endif  // LSPD_PROTOCOL_TEXT_POSITION_H_
