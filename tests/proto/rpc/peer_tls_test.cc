// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/peer_tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/rpc/grpc_server.h"
#include "tests/support/processes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::rpc {
namespace {

using ::testing::HasSubstr;

// Authorities and certificates, made by openssl(1).
class PeerTlsTest : public ::testing::Test {
 protected:
  void Run(const std::string& command) {
    ASSERT_EQ(std::system(absl::StrCat("cd '", folder_.path(), "' && ", command,
                                       " >log 2>&1")
                              .c_str()),
              0)
        << command;
  }

  void MakeAuthority(const std::string& name) {
    Run(
        absl::StrCat("openssl req -x509 -newkey ec -pkeyopt "
                     "ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=",
                     name, " -keyout ", name, ".key -out ", name, ".pem"));
  }

  // By `authority`, for `host`.
  PeerTls MakePeer(const std::string& name, const std::string& authority,
                   const std::string& host = "localhost") {
    Run(absl::StrCat(
        "openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
        "-subj /CN=",
        name, " -keyout ", name, ".key -out ", name,
        ".csr && printf 'subjectAltName=DNS:", host, "' >", name,
        ".ext && openssl x509 -req -days 2 -in ", name, ".csr -CA ", authority,
        ".pem -CAkey ", authority, ".key -CAcreateserial -extfile ", name,
        ".ext -out ", name, ".pem"));
    return {.certificate_file = folder_.PathOf(name + ".pem"),
            .key_file = folder_.PathOf(name + ".key"),
            .authorities_file = folder_.PathOf(authority + ".pem")};
  }

  static absl::Status Ask(const GrpcServer& server, const PeerTls& tls) {
    return CheckHealth(absl::StrCat("localhost:", server.port()),
                       absl::Seconds(5), tls);
  }

  TempWorkspace folder_;
};

TEST_F(PeerTlsTest, PeersOfOneAuthorityUnderstandEachOther) {
  MakeAuthority("ours");
  GrpcServer server(
      {.listen = "0.0.0.0:0", .tls = MakePeer("sessiond", "ours")});
  ASSERT_THAT(server.Start({}), IsOk());
  EXPECT_THAT(Ask(server, MakePeer("edge", "ours")), IsOk());
}

TEST_F(PeerTlsTest, StrangersAndPlainTextAreRefused) {
  MakeAuthority("ours");
  MakeAuthority("theirs");
  GrpcServer server(
      {.listen = "localhost:0", .tls = MakePeer("sessiond", "ours")});
  ASSERT_THAT(server.Start({}), IsOk());
  EXPECT_FALSE(Ask(server, {}).ok());
  // It trusts our authority, but its own certificate is another's.
  PeerTls stranger = MakePeer("stranger", "theirs");
  stranger.authorities_file = folder_.PathOf("ours.pem");
  EXPECT_FALSE(Ask(server, stranger).ok());
}

TEST_F(PeerTlsTest, AServerUnderAnotherNameIsNotBelieved) {
  MakeAuthority("ours");
  GrpcServer server({.listen = "localhost:0",
                     .tls = MakePeer("lspd", "ours", "lspd.example")});
  ASSERT_THAT(server.Start({}), IsOk());
  EXPECT_FALSE(Ask(server, MakePeer("edge", "ours")).ok());
}

TEST_F(PeerTlsTest, ReplacedFilesAreTakenUpWithoutARestart) {
  MakeAuthority("old");
  MakeAuthority("new");
  const PeerTls tls = MakePeer("sessiond", "old");
  GrpcServer server({.listen = "localhost:0", .tls = tls});
  ASSERT_THAT(server.Start({}), IsOk());
  const PeerTls of_new = MakePeer("edge", "new");
  EXPECT_FALSE(Ask(server, of_new).ok());
  const PeerTls fresh = MakePeer("rotated", "new");
  std::filesystem::rename(fresh.key_file, tls.key_file);
  std::filesystem::rename(fresh.certificate_file, tls.certificate_file);
  std::filesystem::copy_file(fresh.authorities_file, tls.authorities_file,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(Eventually([&] { return Ask(server, of_new).ok(); },
                         std::chrono::seconds(20)));
}

TEST_F(PeerTlsTest, HalfASetIsRefusedByName) {
  const absl::Status half = CheckPeerTls({.certificate_file = "a"});
  EXPECT_THAT(half, HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(std::string(half.message()), HasSubstr("--peer_key_file"));
  const absl::Status missing = CheckPeerTls({.certificate_file = "/none/a",
                                             .key_file = "/none/b",
                                             .authorities_file = "/none/c"});
  EXPECT_THAT(missing, HasCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(std::string(missing.message()), HasSubstr("/none/a"));
  EXPECT_THAT(CheckPeerTls({}), IsOk());
}

}  // namespace
}  // namespace banyan::rpc
