// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_HTTP_SERVER_H_
#define EDGE_HTTP_HTTP_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "edge/http/http_handler.h"
#include "edge/http/http_metrics.h"
#include "edge/http/read_limits.h"
#include "edge/http/tls_context.h"

namespace banyan::edge {

// CLOCK_MONOTONIC as an absl::Time: deadlines hold when somebody sets the
// machine's clock.
absl::Time MonotonicNow();

// HTTP/1.1 on one listener. An open connection holds a descriptor and no
// thread until a whole request has arrived; then one of a bounded number of
// threads answers it, and is free again when the client takes its time to read.
// Requests of one connection are answered in order.
class HttpServer {
 public:
  struct Options {
    std::string listen = "127.0.0.1:8420";  // host:port; port 0 takes any.
    ReadLimits limits;
    // One more is answered 503 and closed. Never more than half of the
    // descriptors that the process may open when it begins to listen.
    int max_connections = 4000;
    int max_workers = 256;   // Threads, started as they are needed.
    int max_waiting = 1024;  // Requests without a thread; then 503.
    int64_t max_buffered_bytes = 256 << 20;  // Of all bodies; then 503.
    absl::Duration idle_timeout = absl::Seconds(75);  // Between requests.
    // A client that takes no byte of an event for this long is given up, and
    // one that takes less than limits.body_bytes_per_window of an answer.
    absl::Duration write_timeout = absl::Seconds(30);
    absl::Duration linger = absl::Seconds(1);  // For a refusal to be read.
    // An event stream that was silent for this long gets a comment.
    absl::Duration comment_after = absl::Seconds(10);
    int max_streams_per_caller = 2000;  // Event streams that stay.
    std::function<absl::Time()> now = MonotonicNow;
    std::shared_ptr<TlsContext> tls;  // Null: plain HTTP.
  };

  // Listens: clients may connect from here on and wait. `metrics` must outlive
  // the server. Codes:
  //   kInvalidArgument  `listen` is not an address
  //   kUnavailable      the address is in use or not ours
  static absl::StatusOr<std::unique_ptr<HttpServer>> Listen(
      Options options, HttpMetrics& metrics);

  // Stops with a limit of zero.
  virtual ~HttpServer() = default;

  virtual int port() const = 0;

  // Answers until Stop(). `handler` must live until then. Once.
  virtual void Serve(HttpHandler& handler) = 0;

  // Takes no more requests and closes idle connections and the event streams
  // that stayed; those being answered have `limit` to finish, after which they
  // see is_withdrawn. Returns when the last handler has returned.
  virtual void Stop(absl::Duration limit) = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_HTTP_SERVER_H_
