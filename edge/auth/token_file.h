// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_AUTH_TOKEN_FILE_H_
#define EDGE_AUTH_TOKEN_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace banyan::edge {

// One token as the file knows it: never its text.
struct TokenEntry {
  std::string id;      // 8 hex digits; stands in the token too.
  std::string sha256;  // Of the token, in hex.
  std::string subject;
  std::vector<std::string> scopes;
  std::vector<std::string> allowed_roots;  // Empty: all registered ones.
  absl::Time created;
  absl::Time expires = absl::InfiniteFuture();
};

// The file as JSON, {"tokens":[…]}.
//   kInvalidArgument  it is none; the message says where
absl::StatusOr<std::vector<TokenEntry>> ParseTokenFile(absl::string_view text);
std::string TokenFileText(const std::vector<TokenEntry>& entries);

// A token of ours: "bnt_<id>_<secret>", with 256 random bits.
std::string NewTokenText(absl::string_view id);

// The id of what looks like a token of ours, else empty.
absl::string_view TokenId(absl::string_view token);

std::string TokenHash(absl::string_view token);

// The entry of that token; null for what is unknown or changed. Compares in
// constant time. Expiry is not looked at.
const TokenEntry* FindToken(const std::vector<TokenEntry>& entries,
                            absl::string_view token);

// Changes the file under a lock; others see the old or the new one, whole, and
// whoever could read the old one can read the new one. A file that is missing
// is made, for its owner alone. Codes:
//   kInvalidArgument  the file is not one of tokens
//   kUnavailable      it cannot be read or written
//   kNotFound         RevokeToken: no such id
struct NewToken {
  std::string text;  // Shown once, to whoever asked.
  TokenEntry entry;
};
absl::StatusOr<NewToken> CreateToken(const std::string& path, TokenEntry entry);
absl::StatusOr<std::vector<TokenEntry>> ReadTokenFile(const std::string& path);
absl::Status RevokeToken(const std::string& path, absl::string_view id);

}  // namespace banyan::edge

#endif  // EDGE_AUTH_TOKEN_FILE_H_
