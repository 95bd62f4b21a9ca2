// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/record_id.h"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/rpc/grant.h"

namespace banyan::sessiond {
namespace {

constexpr absl::string_view kHandlePrefix = "ws_";
constexpr size_t kRandomBytes = 16;
constexpr size_t kEncodedLength = 22;
constexpr size_t kPublicIdBytes = 8;

std::string RandomText() {
  std::array<unsigned char, kRandomBytes> bytes;
  // An id that can be guessed is worse than none: without entropy we stop.
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) std::abort();
  return absl::WebSafeBase64Escape(absl::string_view(
      reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

bool IsEncodedId(absl::string_view text) {
  return text.size() == kEncodedLength &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  c == '-' || c == '_';
         });
}

}  // namespace

std::string NewSessionId() { return RandomText(); }

std::string NewWorkspaceHandle() {
  return absl::StrCat(kHandlePrefix, RandomText());
}

bool IsSessionId(absl::string_view text) { return IsEncodedId(text); }

bool IsWorkspaceHandle(absl::string_view text) {
  return absl::ConsumePrefix(&text, kHandlePrefix) && IsEncodedId(text);
}

std::string RecordKey(absl::string_view id) { return rpc::HashId(id); }

std::string PublicId(absl::string_view key) {
  return absl::BytesToHexString(key.substr(0, kPublicIdBytes));
}

}  // namespace banyan::sessiond
