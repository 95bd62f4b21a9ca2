// SPDX-License-Identifier: Apache-2.0
#include "sessiond/keys/key_ring.h"

#include <fcntl.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/grant.h"
#include "proto/rpc/status_macros.h"

namespace banyan::sessiond {
namespace {

constexpr size_t kSecretBytes = 32;

std::string NewSecret() {
  std::string secret(kSecretBytes, '\0');
  // A key that can be guessed is worse than none: without entropy we stop.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(secret.data()),
                 static_cast<int>(secret.size())) != 1) {
    std::abort();
  }
  return secret;
}

absl::Status FileError(const std::string& path, absl::string_view what) {
  return absl::UnavailableError(absl::StrCat("cannot ", what, " the key file ",
                                             path, ": ", std::strerror(errno)));
}

std::optional<std::string> FromHex(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text.size() != 2 * kSecretBytes) return std::nullopt;
  for (const char c : text) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) {
      return std::nullopt;
    }
  }
  return absl::HexStringToBytes(text);
}

// Nothing when the file does not exist.
absl::StatusOr<std::optional<SecretKey>> ReadKey(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENOENT) return std::optional<SecretKey>();
    return FileError(path, "open");
  }
  const absl::Cleanup close = [file] { ::close(file); };
  struct stat about;
  if (::fstat(file, &about) != 0) return FileError(path, "look at");
  // Root may share a file with our group: so secrets are mounted in clusters.
  const bool is_roots = about.st_uid == 0 && ::geteuid() != 0;
  const mode_t forbidden =
      is_roots ? S_IWGRP | S_IXGRP | S_IRWXO : S_IRWXG | S_IRWXO;
  if ((about.st_mode & forbidden) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the key file ", path,
                     " is open to others; chmod 600 it, or delete it to get a "
                     "new key"));
  }
  std::string text(4 * kSecretBytes, '\0');
  const ssize_t length = ::read(file, text.data(), text.size());
  if (length < 0) return FileError(path, "read");
  text.resize(static_cast<size_t>(length));
  std::optional<std::string> secret = FromHex(text);
  if (!secret.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the key file ", path,
        " does not hold 64 hex digits; restore it, or delete it to get a new "
        "key"));
  }
  return std::make_optional(ToSecretKey(*std::move(secret)));
}

absl::Status SyncFolder(const std::string& folder) {
  const int directory =
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return FileError(folder, "open the folder of");
  const absl::Cleanup close = [directory] { ::close(directory); };
  return ::fsync(directory) == 0 ? absl::OkStatus()
                                 : FileError(folder, "sync the folder of");
}

// Written beside and linked: a crash leaves no half key under the name, and of
// several daemons that share the folder one is first. Their drafts never meet:
// in containers all of them have the same process number.
absl::Status WriteKey(const std::string& folder, const std::string& path,
                      absl::string_view secret) {
  std::string draft = absl::StrCat(path, ".new.XXXXXX");
  const int file = ::mkostemp(draft.data(), O_CLOEXEC);
  if (file < 0) return FileError(path, "make");
  const absl::Cleanup tidy = [file, &draft] {
    ::close(file);
    ::unlink(draft.c_str());
  };
  const std::string text = absl::BytesToHexString(secret) + "\n";
  if (::write(file, text.data(), text.size()) !=
          static_cast<ssize_t>(text.size()) ||
      ::fsync(file) != 0) {
    return FileError(draft, "write");
  }
  const bool is_linked =
      ::link(draft.c_str(), path.c_str()) == 0 || errno == EEXIST;
  return is_linked ? SyncFolder(folder) : FileError(path, "name");
}

}  // namespace

SecretKey ToSecretKey(std::string secret) {
  std::string id = absl::BytesToHexString(rpc::HashId(secret).substr(0, 8));
  return {std::move(id), std::move(secret)};
}

absl::StatusOr<KeyRing> KeyRing::LoadOrMake(const std::string& folder,
                                            absl::string_view name) {
  const std::string path = absl::StrCat(folder, "/", name);
  ASSIGN_OR_RETURN(std::optional<SecretKey> newest, ReadKey(path));
  ASSIGN_OR_RETURN(std::optional<SecretKey> old, ReadKey(path + ".old"));
  if (!newest.has_value()) {
    RETURN_IF_ERROR(WriteKey(folder, path, NewSecret()));
    ASSIGN_OR_RETURN(newest, ReadKey(path));
    if (!newest.has_value()) return FileError(path, "find");
  }
  std::vector<SecretKey> keys = {*std::move(newest)};
  if (old.has_value()) keys.push_back(*std::move(old));
  return KeyRing(std::move(keys));
}

KeyRing KeyRing::Ephemeral() { return KeyRing({ToSecretKey(NewSecret())}); }

}  // namespace banyan::sessiond
