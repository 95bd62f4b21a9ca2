// SPDX-License-Identifier: Apache-2.0
//
// sock_diag(7): one question to the kernel about one TCP socket.
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "edge/auth/peer_uid.h"

namespace banyan::edge {
namespace {

struct Question {
  nlmsghdr header;
  inet_diag_req_v2 request;
};

Question Ask(const SocketAddress& peer, const SocketAddress& own) {
  Question question = {};
  question.header.nlmsg_len = sizeof(question);
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  inet_diag_req_v2& request = question.request;
  request.sdiag_family = static_cast<uint8_t>(peer.family);
  request.sdiag_protocol = IPPROTO_TCP;
  request.idiag_states = ~0U;
  request.id.idiag_sport = htons(peer.port);
  request.id.idiag_dport = htons(own.port);
  std::memcpy(request.id.idiag_src, peer.bytes.data(), peer.bytes.size());
  std::memcpy(request.id.idiag_dst, own.bytes.data(), own.bytes.size());
  request.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return question;
}

absl::StatusOr<uid_t> ReadAnswer(int fd, const SocketAddress& peer,
                                 const SocketAddress& own) {
  alignas(nlmsghdr) std::array<char, 8192> buffer;
  // The answer is there before the question's system call returns.
  const ssize_t size = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size < static_cast<ssize_t>(sizeof(nlmsghdr))) {
    return absl::UnavailableError("no answer from socket diagnostics");
  }
  nlmsghdr header;
  std::memcpy(&header, buffer.data(), sizeof(header));
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(inet_diag_msg)))) {
    return absl::UnavailableError("socket diagnostics know no such socket");
  }
  inet_diag_msg answer;
  std::memcpy(&answer, buffer.data() + NLMSG_HDRLEN, sizeof(answer));
  // The kernel falls back to a listening socket when the connection is gone.
  if (answer.id.idiag_sport != htons(peer.port) ||
      answer.id.idiag_dport != htons(own.port)) {
    return absl::UnavailableError("socket diagnostics know no such socket");
  }
  if (!HasOwner(answer.idiag_state, answer.idiag_inode)) {
    return absl::UnavailableError("nobody holds this socket any more");
  }
  return answer.idiag_uid;
}

}  // namespace

absl::StatusOr<uid_t> FindPeerUidByDiagnostics(const SocketAddress& peer,
                                               const SocketAddress& own) {
  const int fd =
      ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (fd < 0) return absl::UnavailableError("no socket diagnostics here");
  const Question question = Ask(peer, own);
  sockaddr_nl kernel = {};
  kernel.nl_family = AF_NETLINK;
  absl::StatusOr<uid_t> uid = absl::UnavailableError("cannot ask the kernel");
  if (::sendto(fd, &question, sizeof(question), 0,
               reinterpret_cast<sockaddr*>(&kernel), sizeof(kernel)) > 0) {
    uid = ReadAnswer(fd, peer, own);
  }
  ::close(fd);
  return uid;
}

}  // namespace banyan::edge
