// SPDX-License-Identifier: Apache-2.0
#include "edge/http/head_reader.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "edge/http/head_check.h"

namespace banyan::edge {
namespace {

// Room in the request line for what is not the target.
constexpr size_t kMethodAndVersionBytes = 64;

bool IsTokenCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::StrContains("!#$%&'*+-.^_`|~", absl::string_view(&c, 1));
}

bool IsToken(absl::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), IsTokenCharacter);
}

bool IsTargetCharacter(char c) { return c > 0x20 && c < 0x7f && c != '#'; }

bool IsVersion(absl::string_view text) {
  return absl::ConsumePrefix(&text, "HTTP/") && text.size() == 3 &&
         text[1] == '.' &&
         absl::ascii_isdigit(static_cast<unsigned char>(text[0])) &&
         absl::ascii_isdigit(static_cast<unsigned char>(text[2]));
}

// RFC 9110 section 5.5: visible characters, blanks, tabs and bytes above.
bool IsValueCharacter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

}  // namespace

size_t HeadReader::Feed(absl::string_view bytes) {
  size_t taken = 0;
  while (taken < bytes.size() && !has_all_lines_ && !refusal_.has_value()) {
    const absl::string_view rest = bytes.substr(taken);
    const size_t newline = rest.find('\n');
    const bool has_end = newline != absl::string_view::npos;
    const size_t size = has_end ? newline + 1 : rest.size();
    const size_t line_limit =
        lines_ == 0 ? limits_.max_target_bytes + kMethodAndVersionBytes
                    : limits_.max_head_bytes;
    if (line_.size() + size > line_limit ||
        head_bytes_ + size > limits_.max_head_bytes) {
      line_.append(rest.data(), std::min<size_t>(size, 32));
      RefuseLongLine();
      break;
    }
    taken += size;
    head_bytes_ += size;
    line_.append(rest.data(), size);
    if (!has_end) break;
    TakeLine(line_);
    line_.clear();
  }
  return taken;
}

void HeadReader::TakeLine(absl::string_view line) {
  if (!absl::EndsWith(line, "\r\n")) {
    return Refuse(RefusalReason::kHeadMalformed, 400,
                  "a line of the head does not end with CR LF");
  }
  line.remove_suffix(2);
  if (lines_ == 0 && line.empty()) {
    // RFC 9112 section 2.2: some clients send a line too much after a body.
    head_bytes_ = 0;
    if (++empty_lines_ > 2) {
      Refuse(RefusalReason::kHeadMalformed, 400, "empty lines, no request");
    }
    return;
  }
  if (++lines_ > limits_.max_head_lines) {
    return Refuse(RefusalReason::kHeadTooLarge, 431,
                  absl::StrCat("a request has at most ", limits_.max_head_lines,
                               " header lines"));
  }
  if (lines_ == 1) return TakeRequestLine(line);
  if (!line.empty()) return TakeHeaderLine(line);
  has_all_lines_ = true;
  refusal_ = CheckHead(authority_, limits_, request_);
}

void HeadReader::TakeRequestLine(absl::string_view line) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == absl::string_view::npos || first == last) {
    return Refuse(RefusalReason::kHeadMalformed, 400,
                  "the first line is no HTTP/1.1 request line");
  }
  const absl::string_view method = line.substr(0, first);
  const absl::string_view version = line.substr(last + 1);
  if (version == "HTTP/1.0") {
    request_.minor_version = 0;
  } else if (version != "HTTP/1.1") {
    return IsVersion(version)
               ? Refuse(RefusalReason::kUnsupported, 505,
                        "only HTTP/1.1 is spoken here")
               : Refuse(RefusalReason::kHeadMalformed, 400,
                        "the first line is no HTTP/1.1 request line");
  }
  if (!IsToken(method)) {
    return Refuse(RefusalReason::kHeadMalformed, 400, "malformed method");
  }
  request_.method = std::string(method);
  TakeTarget(line.substr(first + 1, last - first - 1));
}

void HeadReader::TakeTarget(absl::string_view target) {
  if (target.size() > limits_.max_target_bytes) {
    return Refuse(RefusalReason::kTargetTooLong, 414,
                  absl::StrCat("a path has at most ", limits_.max_target_bytes,
                               " bytes"));
  }
  if (!std::all_of(target.begin(), target.end(), IsTargetCharacter)) {
    return Refuse(RefusalReason::kHeadMalformed, 400,
                  "the path holds a character that must be percent-encoded");
  }
  for (const absl::string_view scheme : {"http://", "https://"}) {
    if (!absl::StartsWithIgnoreCase(target, scheme)) continue;
    target.remove_prefix(scheme.size());
    const size_t end = std::min(target.find_first_of("/?"), target.size());
    authority_ = std::string(target.substr(0, end));
    target.remove_prefix(end);
    request_.path = target.empty() || target[0] == '?' ? "/" : "";
    break;
  }
  const size_t question = target.find('?');
  absl::StrAppend(&request_.path, target.substr(0, question));
  if (question != absl::string_view::npos) {
    request_.query = std::string(target.substr(question + 1));
  }
  if (!absl::StartsWith(request_.path, "/") && target != "*") {
    Refuse(RefusalReason::kHeadMalformed, 400, "the path must begin with /");
  }
}

void HeadReader::TakeHeaderLine(absl::string_view line) {
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos || !IsToken(line.substr(0, colon))) {
    return Refuse(RefusalReason::kHeadMalformed, 400,
                  "a header line is not `name: value`");
  }
  const absl::string_view value =
      absl::StripAsciiWhitespace(line.substr(colon + 1));
  if (!std::all_of(value.begin(), value.end(), IsValueCharacter)) {
    return Refuse(RefusalReason::kHeadMalformed, 400,
                  "a header value holds a control character");
  }
  request_.headers.emplace_back(absl::AsciiStrToLower(line.substr(0, colon)),
                                std::string(value));
}

void HeadReader::RefuseLongLine() {
  // Over the limit in the first line, behind a method: it is the target.
  if (lines_ == 0 && absl::StrContains(line_.substr(0, 32), ' ')) {
    return Refuse(RefusalReason::kTargetTooLong, 414,
                  absl::StrCat("a path has at most ", limits_.max_target_bytes,
                               " bytes"));
  }
  Refuse(RefusalReason::kHeadTooLarge, 431,
         absl::StrCat("the head of a request has at most ",
                      limits_.max_head_bytes, " bytes"));
}

void HeadReader::Refuse(RefusalReason reason, int status,
                        absl::string_view message) {
  refusal_ = Refusal{reason, status, std::string(message)};
}

}  // namespace banyan::edge
