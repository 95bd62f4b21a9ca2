// SPDX-License-Identifier: Apache-2.0
#include "edge/http/body_reader.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

constexpr size_t kMaxLineBytes = 1024;
constexpr size_t kMaxTrailerBytes = 8192;

bool IsControl(char c) {
  return c != '\t' && absl::ascii_iscntrl(static_cast<unsigned char>(c));
}

}  // namespace

BodyReader::BodyReader(const HttpRequest& head, const ReadLimits& limits)
    : limits_(limits),
      is_chunked_(head.is_chunked),
      state_(head.is_chunked ? State::kChunkSize : State::kData),
      left_(head.content_length) {
  if (!is_chunked_ && left_ == 0) state_ = State::kDone;
}

size_t BodyReader::Feed(absl::string_view bytes, std::string& body) {
  size_t taken = 0;
  while (taken < bytes.size() && !IsComplete() && !refusal_.has_value()) {
    const absl::string_view rest = bytes.substr(taken);
    if (state_ == State::kData) {
      const size_t size = std::min<uint64_t>(left_, rest.size());
      TakeData(rest.substr(0, size), body);
      taken += size;
      continue;
    }
    const size_t newline = rest.find('\n');
    const size_t size = std::min(newline, rest.size() - 1) + 1;
    if (line_.size() + size > kMaxLineBytes) {
      RefuseMalformed("a line between chunks is too long");
      break;
    }
    taken += size;
    line_.append(rest.data(), size);
    if (newline == absl::string_view::npos) break;
    TakeLine(line_, body.size());
    line_.clear();
  }
  return taken;
}

void BodyReader::TakeData(absl::string_view data, std::string& body) {
  body.append(data.data(), data.size());
  left_ -= data.size();
  if (left_ == 0) state_ = is_chunked_ ? State::kChunkEnd : State::kDone;
}

void BodyReader::TakeLine(absl::string_view line, uint64_t body_bytes) {
  if (!absl::EndsWith(line, "\r\n")) {
    return RefuseMalformed("a line between chunks does not end with CR LF");
  }
  line.remove_suffix(2);
  switch (state_) {
    case State::kChunkSize:
      return TakeChunkSize(line, body_bytes);
    case State::kChunkEnd:
      if (!line.empty()) RefuseMalformed("a chunk is longer than it says");
      state_ = State::kChunkSize;
      return;
    case State::kTrailer:
      trailer_bytes_ += line.size();
      if (trailer_bytes_ > kMaxTrailerBytes) RefuseMalformed("long trailers");
      if (line.empty()) state_ = State::kDone;
      return;
    case State::kData:
    case State::kDone:
      return;
  }
}

void BodyReader::TakeChunkSize(absl::string_view line, uint64_t body_bytes) {
  const size_t digits =
      std::min(line.find_first_not_of("0123456789abcdefABCDEF"), line.size());
  const absl::string_view extension = line.substr(digits);
  const bool is_size = digits > 0 && digits <= 16 &&
                       absl::SimpleHexAtoi(line.substr(0, digits), &left_);
  const bool is_extension =
      extension.empty() ||
      (absl::StartsWith(absl::StripLeadingAsciiWhitespace(extension), ";") &&
       std::none_of(extension.begin(), extension.end(), IsControl));
  if (!is_size || !is_extension) {
    return RefuseMalformed("a chunk size is not a hexadecimal number");
  }
  if (left_ > limits_.max_body_bytes - body_bytes) {
    refusal_ = Refusal{
        RefusalReason::kBodyTooLarge, 413,
        absl::StrCat("a body has at most ", limits_.max_body_bytes, " bytes")};
    return;
  }
  state_ = left_ == 0 ? State::kTrailer : State::kData;
}

void BodyReader::RefuseMalformed(absl::string_view message) {
  refusal_ = Refusal{RefusalReason::kBodyMalformed, 400, std::string(message)};
}

}  // namespace banyan::edge
