// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/peer_uid.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using ::testing::ElementsAre;

SocketAddress Address(absl::string_view text) {
  return *SocketAddress::Parse(text);
}

// Both ends of a TCP connection over loopback, in this process.
class Pair {
 public:
  explicit Pair(absl::string_view listen) {
    const SocketAddress wanted = Address(listen);
    const int listener = ::socket(wanted.family, SOCK_STREAM, 0);
    sockaddr_storage storage;
    const socklen_t size = wanted.ToSockaddr(&storage);
    ::bind(listener, reinterpret_cast<sockaddr*>(&storage), size);
    ::listen(listener, 1);
    own_ = NameOf(listener, ::getsockname);
    Address(own_.ToString()).ToSockaddr(&storage);
    client_ = ::socket(wanted.family, SOCK_STREAM, 0);
    ::connect(client_, reinterpret_cast<sockaddr*>(&storage), size);
    server_ = ::accept(listener, nullptr, nullptr);
    peer_ = NameOf(server_, ::getpeername);
    ::close(listener);
  }
  ~Pair() {
    ::close(client_);
    ::close(server_);
  }

  // What a client does that wants no answer.
  void CloseClient() { ::close(std::exchange(client_, -1)); }
  void CloseServer() { ::close(std::exchange(server_, -1)); }

  const SocketAddress& peer() const { return peer_; }
  const SocketAddress& own() const { return own_; }

 private:
  static SocketAddress NameOf(int fd, int (*get)(int, sockaddr*, socklen_t*)) {
    sockaddr_storage storage = {};
    socklen_t size = sizeof(storage);
    get(fd, reinterpret_cast<sockaddr*>(&storage), &size);
    return SocketAddress::FromSockaddr(reinterpret_cast<sockaddr*>(&storage));
  }

  int client_;
  int server_;
  SocketAddress peer_;
  SocketAddress own_;
};

TEST(PeerUidTest, BothWaysFindTheOwnerOfTheOtherEnd) {
  for (const char* listen : {"127.0.0.1:0", "[::1]:0"}) {
    const Pair pair(listen);
    if (pair.peer().port == 0) continue;  // No IPv6 here.
    ASSERT_OK_AND_ASSIGN(const uid_t in_proc,
                         FindPeerUidInProc(pair.peer(), pair.own()));
    EXPECT_EQ(in_proc, ::geteuid()) << listen;
    const auto asked = FindPeerUidByDiagnostics(pair.peer(), pair.own());
    if (asked.ok()) {
      EXPECT_EQ(*asked, ::geteuid()) << listen;
    }
    ASSERT_OK_AND_ASSIGN(const uid_t found,
                         FindPeerUid(pair.peer(), pair.own()));
    EXPECT_EQ(found, ::geteuid()) << listen;
  }
}

TEST(PeerUidTest, TellsAnotherUserApart) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to be somebody else";
  // A child under another uid makes the socket; its owner is the child's.
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const int server = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_storage storage;
  const socklen_t size = Address("127.0.0.1:0").ToSockaddr(&storage);
  ASSERT_EQ(::bind(server, reinterpret_cast<sockaddr*>(&storage), size), 0);
  ASSERT_EQ(::listen(server, 1), 0);
  socklen_t length = sizeof(storage);
  ::getsockname(server, reinterpret_cast<sockaddr*>(&storage), &length);

  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 0;
    const bool is_other = ::setuid(65534) == 0;
    const int client = ::socket(AF_INET, SOCK_STREAM, 0);
    const bool is_connected =
        ::connect(client, reinterpret_cast<sockaddr*>(&storage), size) == 0;
    // Lives until the test has looked.
    (void)!::read(ends[1], &byte, 1);
    ::_exit(is_other && is_connected ? 0 : 1);
  }
  sockaddr_storage peer = {};
  length = sizeof(peer);
  const int accepted =
      ::accept(server, reinterpret_cast<sockaddr*>(&peer), &length);
  const auto peer_address =
      SocketAddress::FromSockaddr(reinterpret_cast<sockaddr*>(&peer));
  const auto own_address =
      SocketAddress::FromSockaddr(reinterpret_cast<sockaddr*>(&storage));
  ASSERT_OK_AND_ASSIGN(const uid_t uid, FindPeerUid(peer_address, own_address));
  EXPECT_EQ(uid, 65534u);
  ASSERT_OK_AND_ASSIGN(const uid_t in_proc,
                       FindPeerUidInProc(peer_address, own_address));
  EXPECT_EQ(in_proc, 65534u);
  EXPECT_EQ(::write(ends[0], "x", 1), 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ::close(accepted);
  ::close(server);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(PeerUidTest, AClientThatClosedAtOnceIsNobodyAndNotRoot) {
  // The kernel reports uid 0 for these, whoever connected: as root this would
  // be the server's own user.
  for (const bool is_closed_by_both : {false, true}) {
    Pair pair("127.0.0.1:0");
    pair.CloseClient();
    if (is_closed_by_both) pair.CloseServer();
    EXPECT_FALSE(FindPeerUidByDiagnostics(pair.peer(), pair.own()).ok());
    EXPECT_FALSE(FindPeerUidInProc(pair.peer(), pair.own()).ok());
    EXPECT_THAT(FindPeerUid(pair.peer(), pair.own()),
                HasCode(absl::StatusCode::kNotFound));
  }
}

TEST(PeerUidTest, AConnectionThatDoesNotExistHasNoOwner) {
  // Port 1 of an address that nobody uses; and the right ports, turned round.
  EXPECT_THAT(FindPeerUid(Address("127.9.9.9:1"), Address("127.0.0.1:2")),
              HasCode(absl::StatusCode::kNotFound));
}

constexpr char kProcNetTcp[] =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when "
    "retrnsmt   uid  timeout inode\n"
    "   0: 0100007F:20E4 00000000:0000 0A 00000000:00000000 00:00000000 "
    "00000000     0        0 1 1 0 100 0 0 10 0\n"
    "   1: 0100007F:20E4 0100007F:C350 01 00000000:00000000 00:00000000 "
    "00000000     0        0 2 1 0 20 4 30 10 -1\n"
    "   2: 0100007F:C350 0100007F:20E4 01 00000000:00000000 00:00000000 "
    "00000000  1000        0 3 1 0 20 4 30 10 -1\n";

TEST(PeerUidTest, ReadsTheClientsLineNotTheServersOwn) {
  EXPECT_EQ(*ParseProcNetTcp(kProcNetTcp, Address("127.0.0.1:50000"),
                             Address("127.0.0.1:8420")),
            1000u);
  EXPECT_THAT(ParseProcNetTcp(kProcNetTcp, Address("127.0.0.1:50001"),
                              Address("127.0.0.1:8420")),
              HasCode(absl::StatusCode::kNotFound));
}

TEST(PeerUidTest, BelievesNoLineInProcWithoutAHolder) {
  const auto uid_of = [](absl::string_view state, int inode) {
    return ParseProcNetTcp(absl::StrCat("   2: 0100007F:C350 0100007F:20E4 ",
                                        state, " 0:0 0:0 0 0 0 ", inode, "\n"),
                           Address("127.0.0.1:50000"),
                           Address("127.0.0.1:8420"));
  };
  EXPECT_THAT(uid_of("01", 7), IsOk());
  EXPECT_THAT(uid_of("08", 7), IsOk());  // Only the server has closed.
  EXPECT_FALSE(uid_of("06", 0).ok());    // TIME_WAIT.
  EXPECT_FALSE(uid_of("05", 0).ok());    // FIN_WAIT2, its program gone.
  EXPECT_FALSE(uid_of("01", 0).ok());
  // Another program on the port of the one that left.
  EXPECT_FALSE(uid_of("02", 7).ok());
}

TEST(PeerUidTest, FindsIpv4ClientsThatUseAnIpv6Socket) {
  constexpr char kTcp6[] =
      "   0: 0000000000000000FFFF00000100007F:C350 "
      "0000000000000000FFFF00000100007F:20E4 01 0:0 0:0 0  1001 0 3\n"
      "   1: 00000000000000000000000001000000:C350 "
      "00000000000000000000000001000000:20E4 01 0:0 0:0 0  1002 0 4\n";
  EXPECT_EQ(*ParseProcNetTcp(kTcp6, Address("127.0.0.1:50000"),
                             Address("127.0.0.1:8420")),
            1001u);
  EXPECT_EQ(
      *ParseProcNetTcp(kTcp6, Address("[::1]:50000"), Address("[::1]:8420")),
      1002u);
}

TEST(PeerUidTest, GarbageInProcIsSkipped) {
  EXPECT_FALSE(
      ParseProcNetTcp("", Address("127.0.0.1:1"), Address("127.0.0.1:2")).ok());
  EXPECT_FALSE(ParseProcNetTcp("a b c d e f g h\n : : : : : : : :\n",
                               Address("127.0.0.1:1"), Address("127.0.0.1:2"))
                   .ok());
}

absl::StatusOr<Authenticated> Authenticate(absl::string_view peer,
                                           absl::StatusOr<uid_t> uid) {
  PeerConnection connection(Address(peer), Address("127.0.0.1:8420"));
  return NewPeerUidAuthenticator(
             1000,
             [&](const SocketAddress&, const SocketAddress&) { return uid; })
      ->Authenticate(connection, "Bearer ignored");
}

TEST(PeerUidAuthenticatorTest, ServesItsOwnUser) {
  ASSERT_OK_AND_ASSIGN(const Authenticated caller,
                       Authenticate("127.0.0.1:50000", uid_t{1000}));
  const session::v1::Principal& principal = caller.principal;
  EXPECT_EQ(principal.issuer(), "local");
  EXPECT_EQ(principal.subject(), "1000");
  EXPECT_THAT(principal.scopes(),
              ElementsAre("code:read", "code:write", "admin"));
}

TEST(PeerUidAuthenticatorTest, RefusesEverybodyElse) {
  for (const auto& refused :
       {Authenticate("127.0.0.1:50000", uid_t{1001}),
        Authenticate("127.0.0.1:50000", uid_t{0}),
        Authenticate("127.0.0.1:50000", absl::NotFoundError("gone")),
        Authenticate("10.0.0.1:50000", uid_t{1000})}) {
    EXPECT_THAT(refused, HasReason(rpc::v1::ERROR_REASON_UNAUTHENTICATED));
  }
}

TEST(PeerConnectionTest, AsksOnceAndRemembersFailuresToo) {
  int asked = 0;
  const auto find = [&](const SocketAddress&,
                        const SocketAddress&) -> absl::StatusOr<uid_t> {
    ++asked;
    return absl::NotFoundError("gone");
  };
  PeerConnection connection(Address("127.0.0.1:1"), Address("127.0.0.1:2"));
  EXPECT_FALSE(connection.Uid(find).ok());
  EXPECT_FALSE(connection.Uid(find).ok());
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace banyan::edge
