// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/message_framing.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace banyan::lspd {
namespace {

constexpr absl::string_view kLengthField = "content-length:";
constexpr size_t kReadSize = 64 << 10;

// Where `Content-Length:` begins in a line, in any case; npos if nowhere.
size_t FindLengthField(absl::string_view line) {
  for (size_t i = 0; i + kLengthField.size() <= line.size(); ++i) {
    if (absl::EqualsIgnoreCase(line.substr(i, kLengthField.size()),
                               kLengthField)) {
      return i;
    }
  }
  return absl::string_view::npos;
}

// "Name: value" with a name of RFC 9110's "token" characters that matter here.
bool IsField(absl::string_view line) {
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos || colon == 0) return false;
  const absl::string_view name = line.substr(0, colon);
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-';
  });
}

// Digits only: no sign, no unit.
std::optional<size_t> ParseLength(absl::string_view value) {
  value = absl::StripAsciiWhitespace(value);
  uint64_t length = 0;
  if (value.empty() ||
      !absl::ascii_isdigit(static_cast<unsigned char>(value.front())) ||
      !absl::SimpleAtoi(value, &length)) {
    return std::nullopt;
  }
  return length;
}

}  // namespace

absl::Span<char> MessageReader::Space() {
  if (is_in_body_ && body_end_ < *content_length_) {
    // Grown step by step: a length is only a claim until the bytes come.
    if (body_end_ == body_.size()) {
      body_.resize(
          std::min(*content_length_, std::max(2 * body_end_, kReadSize)));
    }
    return absl::MakeSpan(body_).subspan(body_end_);
  }
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (buffer_.size() - end_ < kReadSize / 2 && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  if (buffer_.size() - end_ < kReadSize / 2) buffer_.resize(end_ + kReadSize);
  return absl::MakeSpan(buffer_).subspan(end_);
}

void MessageReader::Commit(size_t count) {
  if (is_in_body_ && body_end_ < *content_length_) {
    body_end_ += count;
  } else {
    end_ += count;
  }
}

void MessageReader::Feed(absl::string_view bytes) {
  while (!bytes.empty()) {
    const absl::Span<char> space = Space();
    const size_t count = std::min(space.size(), bytes.size());
    std::memcpy(space.data(), bytes.data(), count);
    Commit(count);
    bytes.remove_prefix(count);
  }
}

std::optional<std::string> MessageReader::Next() {
  if (!status_.ok()) return std::nullopt;
  if (!is_in_body_ && !ReadHeader()) return std::nullopt;
  FillBody();
  if (body_end_ < *content_length_) return std::nullopt;
  is_in_body_ = false;
  content_length_.reset();
  header_bytes_ = 0;
  body_.resize(body_end_);
  return std::exchange(body_, std::string());
}

bool MessageReader::IsAtBoundary() const {
  return !is_in_body_ && header_bytes_ == 0 && begin_ == end_;
}

// True when a header is complete; the body begins at begin_ then.
bool MessageReader::ReadHeader() {
  absl::string_view line;
  while (status_.ok()) {
    const size_t before = begin_;
    if (!ReadLine(&line)) return false;
    if (line.empty() && content_length_.has_value()) {
      StartBody();
      return status_.ok();
    }
    TakeLine(line, begin_ - before);
  }
  return false;
}

// A line without its end. False when none is complete yet.
bool MessageReader::ReadLine(absl::string_view* line) {
  const absl::string_view unread(buffer_.data() + begin_, end_ - begin_);
  const size_t line_end = unread.find('\n', searched_);
  if (line_end != absl::string_view::npos) {
    *line = unread.substr(0, line_end);
    if (absl::EndsWith(*line, "\r")) line->remove_suffix(1);
    begin_ += line_end + 1;
    searched_ = 0;
    return true;
  }
  searched_ = unread.size();
  if (unread.size() <= limits_.header_bytes) return false;

  // Too long for a field: a message without a length, perhaps. What may become
  // a `Content-Length:` is kept.
  const size_t field = FindLengthField(unread);
  if (field == 0) {
    status_ = absl::ResourceExhaustedError(
        absl::StrCat("a header of more than ", limits_.header_bytes, " bytes"));
    return false;
  }
  const size_t count = field != absl::string_view::npos
                           ? field
                           : unread.size() - kLengthField.size();
  begin_ += count;
  searched_ -= count;
  Skip(count + std::exchange(header_bytes_, 0));
  content_length_.reset();
  return false;
}

void MessageReader::TakeLine(absl::string_view line, size_t size) {
  const size_t field = FindLengthField(line);
  if (field != absl::string_view::npos) {
    if (field > 0) {
      // Something was printed right before the header.
      Skip(field + std::exchange(header_bytes_, 0));
      size -= field;
      line.remove_prefix(field);
    }
    content_length_ = ParseLength(line.substr(kLengthField.size()));
    if (content_length_.has_value()) {
      header_bytes_ += size;
      return;
    }
  } else if (IsField(line)) {
    header_bytes_ += size;
    if (header_bytes_ <= limits_.header_bytes) return;
    if (content_length_.has_value()) {
      status_ = absl::ResourceExhaustedError(absl::StrCat(
          "a header of more than ", limits_.header_bytes, " bytes"));
      return;
    }
    size = 0;
  }
  // Neither a field nor the end of a header: all of it was something else.
  content_length_.reset();
  Skip(size + std::exchange(header_bytes_, 0));
}

void MessageReader::Skip(size_t count) {
  skipped_bytes_ += static_cast<int64_t>(count);
  garbage_in_a_row_ += count;
  if (garbage_in_a_row_ > limits_.garbage_bytes) {
    status_ = absl::InvalidArgumentError(absl::StrCat(
        "more than ", limits_.garbage_bytes, " bytes that are no message"));
  }
}

void MessageReader::StartBody() {
  garbage_in_a_row_ = 0;
  if (*content_length_ > limits_.body_bytes) {
    status_ = absl::ResourceExhaustedError(
        absl::StrCat("a message of ", *content_length_, " bytes, ",
                     limits_.body_bytes, " are allowed"));
    return;
  }
  is_in_body_ = true;
  body_.clear();
  body_end_ = 0;
}

// Moves what was read together with the header.
void MessageReader::FillBody() {
  const size_t count = std::min(end_ - begin_, *content_length_ - body_end_);
  if (count == 0) return;
  if (body_.size() < body_end_ + count) body_.resize(body_end_ + count);
  std::memcpy(body_.data() + body_end_, buffer_.data() + begin_, count);
  body_end_ += count;
  begin_ += count;
}

std::string MessageHeader(size_t body_bytes) {
  return absl::StrCat("Content-Length: ", body_bytes, "\r\n\r\n");
}

}  // namespace banyan::lspd
