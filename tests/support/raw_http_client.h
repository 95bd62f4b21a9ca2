// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_RAW_HTTP_CLIENT_H_
#define TESTS_SUPPORT_RAW_HTTP_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace banyan {

struct RawHttpResponse {
  int status = 0;  // 0: the connection ended before a whole head.
  std::map<std::string, std::string> headers;  // Names lower case.
  std::string body;                            // Chunks put together.
};

// A client that sends exactly the bytes it is told to. Gives up waiting after
// 20 s, so that a test fails instead of hanging.
class RawHttpClient {
 public:
  explicit RawHttpClient(int port) : port_(port) {
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval limit = {.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address),
                              sizeof(address)) == 0;
  }
  ~RawHttpClient() { Close(); }
  RawHttpClient(RawHttpClient&& other) noexcept
      : port_(other.port_),
        fd_(std::exchange(other.fd_, -1)),
        is_connected_(other.is_connected_),
        buffer_(std::move(other.buffer_)) {}
  RawHttpClient& operator=(RawHttpClient&&) = delete;

  bool is_connected() const { return is_connected_; }
  int fd() const { return fd_; }

  // "127.0.0.1:PORT": a Host header that every server of ours accepts.
  std::string Host() const { return absl::StrCat("127.0.0.1:", port_); }

  // False as soon as the server takes no more.
  bool Send(absl::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count =
          ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

  // A whole request with Host and, for a body, Content-Length. `headers` are
  // lines that end with CR LF.
  bool SendRequest(absl::string_view method, absl::string_view target,
                   absl::string_view headers = "",
                   absl::string_view body = "") {
    return Send(RequestText(method, target, headers, body));
  }

  std::string RequestText(absl::string_view method, absl::string_view target,
                          absl::string_view headers = "",
                          absl::string_view body = "") const {
    const std::string length =
        body.empty() ? ""
                     : absl::StrCat("Content-Length: ", body.size(), "\r\n");
    return absl::StrCat(method, " ", target, " HTTP/1.1\r\nHost: ", Host(),
                        "\r\n", headers, length, "\r\n", body);
  }

  // The next answer. For the answer to a HEAD request say so: it has no body.
  RawHttpResponse Read(bool is_head_request = false) {
    RawHttpResponse response = ReadHead();
    if (response.status == 0 || is_head_request) return response;
    if (response.headers.count("content-length") > 0) {
      size_t length = 0;
      (void)absl::SimpleAtoi(response.headers["content-length"], &length);
      response.body = ReadBytes(length);
    } else if (response.headers["transfer-encoding"] == "chunked") {
      for (std::string chunk = ReadChunk(); !chunk.empty();
           chunk = ReadChunk()) {
        response.body += chunk;
      }
    } else if (response.status >= 200) {
      response.body = ReadToEnd();
    }
    return response;
  }

  // Status and headers only.
  RawHttpResponse ReadHead() {
    RawHttpResponse response;
    const std::string line = ReadLine();
    if (line.size() < 12) return response;
    response.status = std::atoi(line.c_str() + 9);
    for (std::string header = ReadLine(); !header.empty();
         header = ReadLine()) {
      const size_t colon = header.find(':');
      response.headers[absl::AsciiStrToLower(header.substr(0, colon))] =
          std::string(absl::StripAsciiWhitespace(
              absl::string_view(header).substr(colon + 1)));
    }
    return response;
  }

  // Something to read, or the end, within that time.
  bool WaitReadable(int milliseconds) const {
    pollfd readable = {.fd = fd_, .events = POLLIN, .revents = 0};
    return !buffer_.empty() || ::poll(&readable, 1, milliseconds) > 0;
  }

  // One chunk of a chunked answer; empty at its end.
  std::string ReadChunk() {
    const size_t size = std::strtoul(ReadLine().c_str(), nullptr, 16);
    std::string chunk = ReadBytes(size);
    ReadLine();
    return chunk;
  }

  std::string ReadLine() {
    size_t end;
    while ((end = buffer_.find("\r\n")) == std::string::npos) {
      if (!Fill()) return "";
    }
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return line;
  }

  std::string ReadToEnd() {
    while (Fill()) {
    }
    return std::exchange(buffer_, "");
  }

  // True when the server has closed and nothing unread is left.
  bool IsClosed() { return buffer_.empty() && !Fill(); }

  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  std::string ReadBytes(size_t size) {
    while (buffer_.size() < size && Fill()) {
    }
    std::string bytes = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return bytes;
  }

  bool Fill() {
    char bytes[16384];
    const ssize_t count = ::recv(fd_, bytes, sizeof(bytes), 0);
    if (count <= 0) return false;
    buffer_.append(bytes, static_cast<size_t>(count));
    return true;
  }

  const int port_;
  int fd_;
  bool is_connected_;
  std::string buffer_;
};

}  // namespace banyan

#endif  // TESTS_SUPPORT_RAW_HTTP_CLIENT_H_
