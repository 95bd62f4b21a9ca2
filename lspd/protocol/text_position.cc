// SPDX-License-Identifier: Apache-2.0
#include "lspd/protocol/text_position.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace banyan::lspd {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// One character of a text, or one bad sequence that stands for U+FFFD.
struct Character {
  size_t bytes = 1;    // In the text.
  int utf8_units = 1;  // In what the server sees.
  int utf16_units = 1;
  bool is_valid = true;

  int Units(PositionEncoding encoding) const {
    switch (encoding) {
      case PositionEncoding::kUtf8:
        return utf8_units;
      case PositionEncoding::kUtf16:
        return utf16_units;
      case PositionEncoding::kUtf32:
        return 1;
    }
    return 1;
  }
};

unsigned char ByteAt(absl::string_view text, size_t offset) {
  return static_cast<unsigned char>(text[offset]);
}

// How many bytes a lead byte announces, and which second bytes may follow
// (Unicode, "Well-Formed UTF-8 Byte Sequences"). 0 for what is no lead byte.
struct Lead {
  size_t bytes = 0;
  unsigned char second_least = 0x80;
  unsigned char second_most = 0xBF;
};

Lead LeadOf(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte >= 0xC2 && byte <= 0xDF) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0};
}

// REQUIRES: offset < text.size()
Character CharacterAt(absl::string_view text, size_t offset) {
  const Lead lead = LeadOf(ByteAt(text, offset));
  size_t good = 1;
  while (good < lead.bytes && offset + good < text.size()) {
    const unsigned char byte = ByteAt(text, offset + good);
    const unsigned char least = good == 1 ? lead.second_least : 0x80;
    const unsigned char most = good == 1 ? lead.second_most : 0xBF;
    if (byte < least || byte > most) break;
    ++good;
  }
  if (lead.bytes == 0 || good < lead.bytes) {
    return {.bytes = good, .utf8_units = 3, .is_valid = false};
  }
  return {.bytes = good,
          .utf8_units = static_cast<int>(good),
          .utf16_units = good == 4 ? 2 : 1};
}

// Where a line ends at `offset`: the size of its end, 0 in the midst of it.
size_t LineEndAt(absl::string_view text, size_t offset) {
  if (text[offset] == '\n') return 1;
  if (text[offset] != '\r') return 0;
  return offset + 1 < text.size() && text[offset + 1] == '\n' ? 2 : 1;
}

// No character is negative; agents may send anything.
size_t Index(int line) { return static_cast<size_t>(std::max(line, 0)); }

}  // namespace

absl::string_view ToString(PositionEncoding encoding) {
  switch (encoding) {
    case PositionEncoding::kUtf8:
      return "utf-8";
    case PositionEncoding::kUtf16:
      return "utf-16";
    case PositionEncoding::kUtf32:
      return "utf-32";
  }
  return "utf-16";
}

PositionEncoding PositionEncodingFromString(absl::string_view name) {
  if (name == "utf-8") return PositionEncoding::kUtf8;
  if (name == "utf-32") return PositionEncoding::kUtf32;
  return PositionEncoding::kUtf16;
}

LineIndex::LineIndex(absl::string_view text) : text_(text) {
  starts_.push_back(0);
  size_t at = 0;
  while ((at = text.find_first_of("\r\n", at)) != absl::string_view::npos) {
    at += LineEndAt(text, at);
    starts_.push_back(at);
  }
}

size_t LineIndex::LineStart(size_t index) const {
  const bool has_mark = index == 0 && absl::StartsWith(text_, kByteOrderMark);
  return starts_[index] + (has_mark ? kByteOrderMark.size() : 0);
}

size_t LineIndex::LineEnd(size_t index) const {
  if (index + 1 == starts_.size()) return text_.size();
  size_t end = starts_[index + 1] - 1;
  if (text_[end] == '\n' && end > starts_[index] && text_[end - 1] == '\r') {
    --end;
  }
  return end;
}

absl::string_view LineIndex::Line(int line) const {
  const size_t index = Index(line - 1);
  if (line < 1 || index >= starts_.size()) return "";
  return text_.substr(LineStart(index), LineEnd(index) - LineStart(index));
}

TextPosition LineIndex::ToText(const LspPosition& position,
                               PositionEncoding encoding) const {
  return PositionOf(OffsetOf(position, encoding));
}

LspPosition LineIndex::ToLsp(const TextPosition& position,
                             PositionEncoding encoding) const {
  const size_t offset = OffsetOf(position);
  const int line = PositionOf(offset).line - 1;
  int character = 0;
  for (size_t at = LineStart(Index(line)); at < offset;) {
    const Character next = CharacterAt(text_, at);
    at += next.bytes;
    character += next.Units(encoding);
  }
  return {line, character};
}

TextRange LineIndex::ToText(const LspRange& range,
                            PositionEncoding encoding) const {
  return {ToText(range.start, encoding), ToText(range.end, encoding)};
}

LspRange LineIndex::ToLsp(const TextRange& range,
                          PositionEncoding encoding) const {
  return {ToLsp(range.start, encoding), ToLsp(range.end, encoding)};
}

size_t LineIndex::OffsetOf(const TextPosition& position) const {
  if (position.line < 1) return LineStart(0);
  return OffsetOf(
      LspPosition{position.line - 1, std::max(position.column, 1) - 1},
      PositionEncoding::kUtf32);
}

size_t LineIndex::OffsetOf(const LspPosition& position,
                           PositionEncoding encoding) const {
  const size_t index = Index(position.line);
  if (index >= starts_.size()) return text_.size();
  size_t at = LineStart(index);
  const size_t end = LineEnd(index);
  int left = position.character;
  while (at < end) {
    const Character next = CharacterAt(text_, at);
    left -= next.Units(encoding);
    if (left < 0) break;
    at += next.bytes;
  }
  return at;
}

TextPosition LineIndex::PositionOf(size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto index = static_cast<size_t>(after - starts_.begin()) - 1;
  const size_t end = std::min(offset, LineEnd(index));
  int column = 1;
  for (size_t at = LineStart(index); at < end;) {
    at += CharacterAt(text_, at).bytes;
    if (at <= end) ++column;
  }
  return {static_cast<int>(index) + 1, column};
}

absl::string_view LineIndex::Slice(const TextRange& range) const {
  const size_t start = OffsetOf(range.start);
  return text_.substr(start, std::max(OffsetOf(range.end), start) - start);
}

bool IsValidUtf8(absl::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const Character next = CharacterAt(bytes, at);
    if (!next.is_valid) return false;
    at += next.bytes;
  }
  return true;
}

std::string Utf8Text(absl::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (size_t at = 0; at < bytes.size();) {
    const Character next = CharacterAt(bytes, at);
    const absl::string_view part =
        next.is_valid ? bytes.substr(at, next.bytes) : kReplacement;
    text.append(part.data(), part.size());
    at += next.bytes;
  }
  return text;
}

}  // namespace banyan::lspd
