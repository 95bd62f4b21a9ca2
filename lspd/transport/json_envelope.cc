// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/json_envelope.h"

#include <utf8.h>

#include <cstring>
#include <iterator>

#include "absl/strings/numbers.h"

namespace banyan::lspd {
namespace {

// Walks over JSON text. Every Take… leaves `at_` behind what it took and is
// false where the text is something else.
class Scanner {
 public:
  explicit Scanner(absl::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  bool AtEnd() {
    SkipSpace();
    return at_ == end_;
  }

  bool Take(char c) {
    SkipSpace();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool TakeString(absl::string_view* text) {
    SkipSpace();
    const char* start = at_;
    if (at_ == end_ || *at_ != '"' || !SkipString()) return false;
    *text = absl::string_view(start, static_cast<size_t>(at_ - start));
    return true;
  }

  bool TakeValue(absl::string_view* text) {
    SkipSpace();
    const char* start = at_;
    if (!SkipValue()) return false;
    *text = absl::string_view(start, static_cast<size_t>(at_ - start));
    return true;
  }

 private:
  static bool IsSpace(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }

  void SkipSpace() {
    while (at_ != end_ && IsSpace(*at_)) ++at_;
  }

  // REQUIRES: at an opening quote.
  bool SkipString() {
    ++at_;
    while (at_ != end_) {
      const auto left = static_cast<size_t>(end_ - at_);
      const void* quote = std::memchr(at_, '"', left);
      if (quote == nullptr) return false;
      const char* close = static_cast<const char*>(quote);
      // A quote is escaped by an odd number of backslashes before it.
      const char* before = close;
      while (before != at_ && *(before - 1) == '\\') --before;
      at_ = close + 1;
      if ((close - before) % 2 == 0) return true;
    }
    return false;
  }

  bool SkipValue() {
    if (at_ == end_) return false;
    if (*at_ == '"') return SkipString();
    if (*at_ == '{' || *at_ == '[') return SkipNested();
    const char* start = at_;
    while (at_ != end_ && !IsSpace(*at_) && *at_ != ',' && *at_ != '}' &&
           *at_ != ']') {
      ++at_;
    }
    return at_ != start;
  }

  // Counts brackets without looking at their kind.
  bool SkipNested() {
    int depth = 0;
    while (at_ != end_) {
      switch (*at_) {
        case '"':
          if (!SkipString()) return false;
          continue;
        case '{':
        case '[':
          ++depth;
          break;
        case '}':
        case ']':
          if (--depth == 0) {
            ++at_;
            return true;
          }
          break;
        default:
          break;
      }
      ++at_;
    }
    return false;
  }

  const char* at_;
  const char* const end_;
};

// Of text that is no JSON the depth is told wrong; it does not parse either.
bool IsShallow(absl::string_view text) {
  int depth = 0;
  bool is_in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      if (c == '"') is_in_string = false;
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestJson) return false;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return true;
}

absl::string_view* MemberOf(JsonEnvelope& envelope, absl::string_view key) {
  if (key == "\"id\"") return &envelope.id;
  if (key == "\"method\"") return &envelope.method;
  if (key == "\"params\"") return &envelope.params;
  if (key == "\"result\"") return &envelope.result;
  if (key == "\"error\"") return &envelope.error;
  return nullptr;
}

}  // namespace

std::optional<int64_t> JsonEnvelope::IntegerId() const {
  int64_t number = 0;
  if (!absl::SimpleAtoi(id, &number)) return std::nullopt;
  return number;
}

std::string JsonEnvelope::MethodName() const {
  const nlohmann::json name =
      nlohmann::json::parse(method.begin(), method.end(), nullptr, false);
  return name.is_string() ? name.get<std::string>() : std::string();
}

std::optional<nlohmann::json> ParseLenient(absl::string_view text) {
  if (text.empty()) return nlohmann::json();
  if (!IsShallow(text)) return std::nullopt;
  auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded() && !utf8::is_valid(text.begin(), text.end())) {
    std::string repaired;
    utf8::replace_invalid(text.begin(), text.end(),
                          std::back_inserter(repaired));
    json = nlohmann::json::parse(repaired, nullptr, false);
  }
  if (json.is_discarded()) return std::nullopt;
  return json;
}

std::optional<JsonEnvelope> ScanEnvelope(absl::string_view message) {
  JsonEnvelope envelope;
  Scanner scanner(message);
  if (!scanner.Take('{')) return std::nullopt;
  if (!scanner.Take('}')) {
    do {
      absl::string_view key;
      absl::string_view value;
      if (!scanner.TakeString(&key) || !scanner.Take(':') ||
          !scanner.TakeValue(&value)) {
        return std::nullopt;
      }
      if (absl::string_view* member = MemberOf(envelope, key)) *member = value;
    } while (scanner.Take(','));
    if (!scanner.Take('}')) return std::nullopt;
  }
  if (!scanner.AtEnd()) return std::nullopt;
  return envelope;
}

}  // namespace banyan::lspd
