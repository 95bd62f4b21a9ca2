// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/token_file.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kStart[] = "bnt_";
constexpr size_t kIdChars = 8;
constexpr size_t kSecretBytes = 32;
constexpr size_t kTokenChars = 4 + kIdChars + 1 + 43;

std::string RandomBytes(size_t count) {
  std::string bytes(count, '\0');
  // Without randomness there is no token to be made.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()),
                 static_cast<int>(count)) != 1) {
    std::abort();
  }
  return bytes;
}

absl::Status Malformed(size_t index, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("token ", index + 1, " of the tokens file: ", what));
}

// What stands there when it is a text, or nothing.
std::string Text(const json& entry, const char* name) {
  const auto found = entry.find(name);
  return found != entry.end() && found->is_string() ? found->get<std::string>()
                                                    : std::string();
}

absl::StatusOr<std::vector<std::string>> Texts(const json& entry,
                                               const char* name, size_t index) {
  std::vector<std::string> texts;
  const auto found = entry.find(name);
  if (found == entry.end()) return texts;
  if (!found->is_array()) return Malformed(index, "a list is none");
  for (const json& text : *found) {
    if (!text.is_string()) return Malformed(index, "a list holds no texts");
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

absl::StatusOr<absl::Time> TimeOf(const json& entry, const char* name,
                                  absl::Time missing, size_t index) {
  if (!entry.contains(name)) return missing;
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, Text(entry, name), &time, &error)) {
    return Malformed(index, absl::StrCat(name, " is no time of RFC 3339"));
  }
  return time;
}

absl::StatusOr<TokenEntry> ToEntry(const json& value, size_t index) {
  if (!value.is_object()) return Malformed(index, "it is no object");
  TokenEntry entry;
  entry.id = Text(value, "id");
  entry.sha256 = Text(value, "sha256");
  entry.subject = Text(value, "subject");
  if (entry.id.size() != kIdChars || entry.sha256.size() != 64 ||
      entry.subject.empty()) {
    return Malformed(index, "it needs id, sha256 and subject");
  }
  ASSIGN_OR_RETURN(entry.scopes, Texts(value, "scopes", index));
  ASSIGN_OR_RETURN(entry.allowed_roots, Texts(value, "allowed_roots", index));
  ASSIGN_OR_RETURN(entry.created,
                   TimeOf(value, "created", absl::UnixEpoch(), index));
  ASSIGN_OR_RETURN(entry.expires,
                   TimeOf(value, "expires", absl::InfiniteFuture(), index));
  return entry;
}

// Puts a new file in the place of an old one, for the same readers: an edge
// that runs as another user would else go on with the tokens that it knew.
absl::Status Replace(const std::string& path, const std::string& text) {
  const std::string next = absl::StrCat(path, ".new");
  ::unlink(next.c_str());
  const int file =
      ::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  struct stat old = {};
  const bool is_new = ::stat(path.c_str(), &old) != 0;
  const bool is_written =
      file >= 0 &&
      ::write(file, text.data(), text.size()) ==
          static_cast<ssize_t>(text.size()) &&
      (is_new || (::fchown(file, old.st_uid, old.st_gid) == 0 &&
                  ::fchmod(file, old.st_mode & 0777) == 0)) &&
      ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  if (is_written && ::rename(next.c_str(), path.c_str()) == 0) {
    return absl::OkStatus();
  }
  ::unlink(next.c_str());
  return absl::UnavailableError(absl::StrCat("cannot write ", path));
}

// Changes the file while nobody else does.
absl::Status Change(
    const std::string& path,
    const std::function<absl::Status(std::vector<TokenEntry>&)>& change) {
  const std::string lock_path = absl::StrCat(path, ".lock");
  const int lock =
      ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0 || ::flock(lock, LOCK_EX) != 0) {
    if (lock >= 0) ::close(lock);
    return absl::UnavailableError(absl::StrCat("cannot lock ", lock_path));
  }
  const absl::Status changed = [&]() -> absl::Status {
    std::vector<TokenEntry> entries;
    if (::access(path.c_str(), F_OK) == 0) {
      ASSIGN_OR_RETURN(entries, ReadTokenFile(path));
    }
    RETURN_IF_ERROR(change(entries));
    return Replace(path, TokenFileText(entries));
  }();
  ::close(lock);
  return changed;
}

}  // namespace

absl::StatusOr<std::vector<TokenEntry>> ParseTokenFile(absl::string_view text) {
  const json file = json::parse(text.begin(), text.end(), nullptr,
                                /*allow_exceptions=*/false);
  if (!file.is_object() || !file.contains("tokens") ||
      !file["tokens"].is_array()) {
    return absl::InvalidArgumentError("a tokens file is {\"tokens\":[…]}");
  }
  std::vector<TokenEntry> entries;
  for (const json& value : file["tokens"]) {
    ASSIGN_OR_RETURN(TokenEntry entry, ToEntry(value, entries.size()));
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string TokenFileText(const std::vector<TokenEntry>& entries) {
  json tokens = json::array();
  for (const TokenEntry& entry : entries) {
    json value = {{"id", entry.id},
                  {"sha256", entry.sha256},
                  {"subject", entry.subject},
                  {"scopes", entry.scopes},
                  {"created", absl::FormatTime(absl::RFC3339_sec, entry.created,
                                               absl::UTCTimeZone())}};
    if (!entry.allowed_roots.empty()) {
      value["allowed_roots"] = entry.allowed_roots;
    }
    if (entry.expires != absl::InfiniteFuture()) {
      value["expires"] = absl::FormatTime(absl::RFC3339_sec, entry.expires,
                                          absl::UTCTimeZone());
    }
    tokens.push_back(std::move(value));
  }
  // A name that is not UTF-8 is shown as far as it is.
  return json{{"tokens", std::move(tokens)}}.dump(
             2, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace) +
         "\n";
}

std::string NewTokenText(absl::string_view id) {
  return absl::StrCat(kStart, id, "_",
                      absl::WebSafeBase64Escape(RandomBytes(kSecretBytes)));
}

absl::string_view TokenId(absl::string_view token) {
  if (token.size() != kTokenChars || !absl::StartsWith(token, kStart) ||
      token[4 + kIdChars] != '_') {
    return "";
  }
  return token.substr(4, kIdChars);
}

std::string TokenHash(absl::string_view token) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(),
         hash);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(hash), sizeof(hash)));
}

const TokenEntry* FindToken(const std::vector<TokenEntry>& entries,
                            absl::string_view token) {
  const absl::string_view id = TokenId(token);
  if (id.empty()) return nullptr;
  const std::string hash = TokenHash(token);
  for (const TokenEntry& entry : entries) {
    if (entry.id == id && entry.sha256.size() == hash.size() &&
        CRYPTO_memcmp(entry.sha256.data(), hash.data(), hash.size()) == 0) {
      return &entry;
    }
  }
  return nullptr;
}

absl::StatusOr<NewToken> CreateToken(const std::string& path,
                                     TokenEntry entry) {
  NewToken made;
  entry.id = absl::BytesToHexString(RandomBytes(kIdChars / 2));
  entry.created = absl::Now();
  made.text = NewTokenText(entry.id);
  entry.sha256 = TokenHash(made.text);
  made.entry = entry;
  RETURN_IF_ERROR(Change(path, [&](std::vector<TokenEntry>& entries) {
    entries.push_back(std::move(entry));
    return absl::OkStatus();
  }));
  return made;
}

absl::StatusOr<std::vector<TokenEntry>> ReadTokenFile(const std::string& path) {
  const std::ifstream file(path);
  if (!file) return absl::UnavailableError(absl::StrCat("cannot read ", path));
  std::ostringstream text;
  text << file.rdbuf();
  return ParseTokenFile(text.str());
}

absl::Status RevokeToken(const std::string& path, absl::string_view id) {
  return Change(path, [id](std::vector<TokenEntry>& entries) {
    const auto end =
        std::remove_if(entries.begin(), entries.end(),
                       [id](const TokenEntry& one) { return one.id == id; });
    if (end == entries.end()) {
      return absl::NotFoundError(absl::StrCat("no token ", id));
    }
    entries.erase(end, entries.end());
    return absl::OkStatus();
  });
}

}  // namespace banyan::edge
