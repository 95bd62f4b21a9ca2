// SPDX-License-Identifier: Apache-2.0
//
// The one file that knows cpp-httplib. The library never sees a socket nor
// what a client sent: as packaged it decodes header values, mixes its own
// pseudo headers with the client's, loses pipelined requests and runs those
// hidden in bodies. So reading is ours (request_reader.h), and the library
// turns one answer into bytes, through the same door by which it serves.
#include "edge/http/response_text.h"

#include <httplib.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace banyan::edge {
namespace {

std::string CleanValue(absl::string_view value) {
  std::string clean(value);
  clean.erase(std::remove_if(clean.begin(), clean.end(),
                             [](unsigned char c) {
                               return absl::ascii_iscntrl(c) && c != '\t';
                             }),
              clean.end());
  return clean;
}

// A connection in memory: what is asked, and what is answered.
class MemoryStream : public httplib::Stream {
 public:
  explicit MemoryStream(std::string input) : input_(std::move(input)) {}

  bool is_readable() const override { return position_ < input_.size(); }
  bool is_writable() const override { return true; }

  ssize_t read(char* out, size_t size) override {
    const size_t count = std::min(size, input_.size() - position_);
    std::memcpy(out, input_.data() + position_, count);
    position_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* data, size_t size) override {
    output_.append(data, size);
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

  std::string TakeOutput() { return std::move(output_); }

 private:
  const std::string input_;
  size_t position_ = 0;
  std::string output_;
};

// Answers any request with one given response.
class AnswerServer : public httplib::Server {
 public:
  AnswerServer(const HttpResponse& answer, absl::Duration idle_timeout) {
    set_keep_alive_timeout(absl::ToInt64Seconds(idle_timeout));
    set_keep_alive_max_count(1'000'000);
    set_pre_routing_handler(
        [&answer](const httplib::Request&, httplib::Response& response) {
          response.status = answer.status;
          response.body = answer.body;
          for (const auto& [name, value] : answer.headers) {
            response.set_header(name, CleanValue(value));
          }
          return HandlerResponse::Handled;
        });
  }

  void Serve(MemoryStream& stream, bool close_connection) {
    bool ignored = false;
    const auto process = [&](auto& server) {
      if constexpr (requires {
                      server.process_request(stream, close_connection, ignored,
                                             nullptr);
                    }) {
        server.process_request(stream, close_connection, ignored, nullptr);
      } else {
        // Debian 13: the addresses are passed in.
        server.process_request(stream, "", 0, "", 0, close_connection, ignored,
                               nullptr);
      }
    };
    process(*this);
  }
};

}  // namespace

std::string ResponseText(const HttpResponse& response,
                         const ResponseFraming& framing) {
  const bool is_head = framing.method == "HEAD";
  MemoryStream stream(
      absl::StrCat(is_head ? "HEAD" : "GET", " / HTTP/1.1\r\n\r\n"));
  AnswerServer(response, framing.idle_timeout)
      .Serve(stream, !framing.keep_alive);
  return stream.TakeOutput();
}

std::string EventStreamHead(const HttpHeaders& headers, bool is_chunked,
                            bool keep_alive) {
  std::string head =
      "HTTP/1.1 200 OK\r\n"
      "Content-Type: text/event-stream\r\n"
      "Cache-Control: no-cache, no-transform\r\n"
      "X-Accel-Buffering: no\r\n";
  for (const auto& [name, value] : headers) {
    absl::StrAppend(&head, name, ": ", CleanValue(value), "\r\n");
  }
  if (is_chunked) absl::StrAppend(&head, "Transfer-Encoding: chunked\r\n");
  if (!keep_alive) absl::StrAppend(&head, "Connection: close\r\n");
  return head + "\r\n";
}

}  // namespace banyan::edge
