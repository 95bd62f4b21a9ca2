// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/cursor.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/grant.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

constexpr char kVersion[] = "1";
constexpr size_t kMacBytes = 16;
// Ours are near 200 characters.
constexpr size_t kMaxSealedChars = 1024;

std::string Mac(absl::string_view secret, absl::string_view payload) {
  unsigned char mac[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(payload.data()), payload.size(),
       mac, &size);
  return std::string(reinterpret_cast<const char*>(mac), kMacBytes);
}

bool AreEqual(absl::string_view a, absl::string_view b) {
  return a.size() == b.size() &&
         CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

absl::Status NotOurs() {
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                    "The cursor is not one that this server gave out. Pass "
                    "next_cursor unchanged, or ask again without cursor.");
}

}  // namespace

absl::StatusOr<std::string> SealCursor(const Cursor& cursor, EdgeKeys& keys,
                                       const rpc::CallContext& call) {
  ASSIGN_OR_RETURN(const EdgeKeys::Key key, keys.Newest(call));
  const std::string payload =
      absl::StrJoin({std::string(kVersion), key.key_id(), cursor.tool,
                     cursor.arguments_digest, cursor.result_digest,
                     absl::StrCat(cursor.offset)},
                    "\n");
  return absl::WebSafeBase64Escape(
      absl::StrCat(Mac(key.secret(), payload), payload));
}

absl::StatusOr<Cursor> OpenCursor(absl::string_view sealed, EdgeKeys& keys,
                                  const rpc::CallContext& call) {
  std::string text;
  if (sealed.size() > kMaxSealedChars ||
      !absl::WebSafeBase64Unescape(sealed, &text) || text.size() < kMacBytes) {
    return NotOurs();
  }
  const absl::string_view mac = absl::string_view(text).substr(0, kMacBytes);
  const absl::string_view payload = absl::string_view(text).substr(kMacBytes);
  const std::vector<std::string> fields = absl::StrSplit(payload, '\n');
  Cursor cursor;
  if (fields.size() != 6 || fields[0] != kVersion ||
      !absl::SimpleAtoi(fields[5], &cursor.offset)) {
    return NotOurs();
  }
  const absl::StatusOr<EdgeKeys::Key> key = keys.Find(fields[1], call);
  if (absl::IsNotFound(key.status())) {
    return rpc::Error(rpc::v1::ERROR_REASON_CURSOR_STALE,
                      "The cursor is too old. Ask again without cursor.");
  }
  if (!key.ok()) return key.status();
  if (!AreEqual(mac, Mac(key->secret(), payload))) return NotOurs();
  cursor.tool = fields[2];
  cursor.arguments_digest = fields[3];
  cursor.result_digest = fields[4];
  return cursor;
}

std::string ShortDigest(absl::string_view text) {
  return absl::BytesToHexString(rpc::HashId(text).substr(0, 16));
}

}  // namespace banyan::edge
