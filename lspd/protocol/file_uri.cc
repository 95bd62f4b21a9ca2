// SPDX-License-Identifier: Apache-2.0
#include "lspd/protocol/file_uri.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace banyan::lspd {
namespace {

constexpr absl::string_view kScheme = "file:";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// A "%" without two hex digits stands for itself.
std::string Decode(absl::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (text[i] == '%' && high >= 0 && low >= 0) {
      decoded.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      decoded.push_back(text[i]);
    }
  }
  return decoded;
}

// RFC 3986, "Unreserved Characters".
bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::StrContains("-._~/", c);
}

std::string Encode(absl::string_view path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(path.size() + path.size() / 8);
  for (const char c : path) {
    if (IsPlain(c)) {
      encoded.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded.push_back('%');
    encoded.push_back(kDigits[byte >> 4]);
    encoded.push_back(kDigits[byte & 15]);
  }
  return encoded;
}

// "/C:/x" is another spelling of "/c:/x".
void LowerDriveLetter(std::string& path) {
  if (path.size() >= 3 && path[0] == '/' && path[2] == ':' &&
      (path.size() == 3 || path[3] == '/')) {
    path[1] = absl::ascii_tolower(static_cast<unsigned char>(path[1]));
  }
}

}  // namespace

std::string FileUri(absl::string_view path) {
  return absl::StrCat("file://", Encode(path));
}

std::optional<std::string> PathOfFileUri(absl::string_view uri) {
  if (!absl::StartsWithIgnoreCase(uri, kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  uri = uri.substr(0, uri.find_first_of("?#"));
  if (absl::ConsumePrefix(&uri, "//")) {
    const absl::string_view host = uri.substr(0, uri.find('/'));
    if (!host.empty() && !absl::EqualsIgnoreCase(host, "localhost")) {
      return std::nullopt;
    }
    uri.remove_prefix(host.size());
  }
  std::string path = Decode(uri);
  if (!absl::StartsWith(path, "/") || absl::StrContains(path, '\0')) {
    return std::nullopt;
  }
  return path;
}

std::string NormalUri(absl::string_view uri) {
  std::optional<std::string> path = PathOfFileUri(uri);
  if (!path.has_value()) return std::string(uri);
  LowerDriveLetter(*path);
  return FileUri(*path);
}

}  // namespace banyan::lspd
