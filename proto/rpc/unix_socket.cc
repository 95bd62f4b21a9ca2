// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/rpc/daemon.h"

namespace banyan::rpc {
namespace {

constexpr mode_t kNotTheOwner = 0077;

// "unix:/path" and "unix:///path" alike.
std::optional<std::string> PathOf(absl::string_view address) {
  if (!absl::ConsumePrefix(&address, "unix:")) return std::nullopt;
  absl::ConsumePrefix(&address, "//");
  return std::string(address);
}

bool IsServed(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool is_served = ::connect(fd, reinterpret_cast<sockaddr*>(&address),
                                   sizeof(address)) == 0;
  ::close(fd);
  return is_served;
}

}  // namespace

std::string DefaultSocket(absl::string_view daemon) {
  return absl::StrCat("unix:", DefaultDataDir(), "/run/", daemon, ".sock");
}

absl::Status PrepareSocket(const std::string& address) {
  const std::optional<std::string> path = PathOf(address);
  if (!path.has_value()) return absl::OkStatus();
  const std::filesystem::path folder =
      std::filesystem::path(*path).parent_path();
  std::error_code error;
  if (!folder.empty()) {
    const OwnerOnlyFiles owner_only;
    std::filesystem::create_directories(folder, error);
  }
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot make the folder of the socket ", *path, ": ",
                     error.message(), "; pass --listen"));
  }
  // gRPC removes a socket that is there before it makes its own.
  if (IsServed(*path)) {
    return absl::UnavailableError(absl::StrCat(
        "another process serves on ", address, "; stop it or pass --listen"));
  }
  return absl::OkStatus();
}

OwnerOnlyFiles::OwnerOnlyFiles() : before_(::umask(kNotTheOwner)) {}

OwnerOnlyFiles::~OwnerOnlyFiles() { ::umask(before_); }

}  // namespace banyan::rpc
