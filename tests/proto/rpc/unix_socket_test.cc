// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/unix_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/rpc/grpc_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::rpc {
namespace {

mode_t ModeOf(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

bool CanConnect(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const bool is_connected = ::connect(fd, reinterpret_cast<sockaddr*>(&address),
                                      sizeof(address)) == 0;
  ::close(fd);
  return is_connected;
}

class UnixSocketTest : public testing::Test {
 protected:
  TempWorkspace folder_;
  const std::string path_ = absl::StrCat(folder_.path(), "/run/a.sock");
};

TEST_F(UnixSocketTest, ASocketAndItsFolderAreTheirUsersAlone) {
  GrpcServer server({.listen = "unix:" + path_});
  ASSERT_THAT(server.Start({}), IsOk());
  EXPECT_EQ(ModeOf(absl::StrCat(folder_.path(), "/run")), 0700u);
  EXPECT_EQ(ModeOf(path_) & 0077, 0u);
  EXPECT_THAT(CheckHealth("unix:" + path_, absl::Seconds(5)), IsOk());
}

// Whoever got in could have said to be any principal.
TEST_F(UnixSocketTest, AnotherUserIsKeptOutEvenWhereTheFolderIsOpen) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to be somebody else";
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  const std::string path = absl::StrCat(folder_.path(), "/b.sock");
  GrpcServer server({.listen = "unix:" + path});
  ASSERT_THAT(server.Start({}), IsOk());
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(::setuid(65534) == 0 && !CanConnect(path) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(CanConnect(path));
}

TEST_F(UnixSocketTest, ASocketThatIsServedIsNotTakenAway) {
  GrpcServer first({.listen = "unix:" + path_});
  ASSERT_THAT(first.Start({}), IsOk());
  GrpcServer second({.listen = "unix:" + path_});
  EXPECT_THAT(second.Start({}), HasCode(absl::StatusCode::kUnavailable));
  EXPECT_THAT(CheckHealth("unix:" + path_, absl::Seconds(5)), IsOk());
}

TEST_F(UnixSocketTest, ASocketThatADeadProcessLeftBehindIsReplaced) {
  ASSERT_THAT(PrepareSocket("unix:" + path_), IsOk());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
            0);
  ::close(fd);
  GrpcServer server({.listen = "unix:" + path_});
  EXPECT_THAT(server.Start({}), IsOk());
}

TEST_F(UnixSocketTest, AnAddressOfAnotherKindIsLeftAlone) {
  EXPECT_THAT(PrepareSocket("127.0.0.1:1"), IsOk());
}

}  // namespace
}  // namespace banyan::rpc
