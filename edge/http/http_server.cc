// SPDX-License-Identifier: Apache-2.0
#include "edge/http/http_server.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>

#include "edge/http/connection.h"
#include "edge/http/connection_server.h"
#include "edge/http/event_loop.h"
#include "edge/http/listen_socket.h"
#include "edge/http/open_streams.h"
#include "edge/http/worker_pool.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

// Clients that may read a 503 at the same time; the next are just closed.
constexpr size_t kMaxTurnedAway = 64;

// The rest of the program needs descriptors too.
int ConnectionLimit(int wanted) {
  rlimit files = {};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const rlim_t half = std::max<rlim_t>(files.rlim_cur / 2, 1);
  return static_cast<int>(std::min(half, static_cast<rlim_t>(wanted)));
}

// Every connection that is open, whoever owns it.
class OpenConnections {
 public:
  void Add(Connection* connection) {
    const std::lock_guard<std::mutex> lock(mutex_);
    connections_.insert(connection);
  }
  void Remove(Connection* connection) {
    const std::lock_guard<std::mutex> lock(mutex_);
    connections_.erase(connection);
  }
  void AbortAll() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Connection* connection : connections_) connection->Abort();
  }
  size_t Count() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return connections_.size();
  }

 private:
  std::mutex mutex_;
  std::unordered_set<Connection*> connections_;  // Guarded by mutex_.
};

class EpollHttpServer : public HttpServer {
 public:
  EpollHttpServer(Options options, ListenSocket listener, HttpMetrics& metrics)
      : options_(std::move(options)),
        listener_(std::move(listener)),
        metrics_(metrics),
        budget_(std::make_shared<ByteBudget>(
            static_cast<uint64_t>(options_.max_buffered_bytes))),
        streams_(
            {.comment_after = options_.comment_after, .now = options_.now}),
        workers_(static_cast<size_t>(options_.max_workers),
                 static_cast<size_t>(options_.max_waiting)) {}

  ~EpollHttpServer() override { Stop(absl::ZeroDuration()); }

  int port() const override { return listener_.port(); }

  void Serve(HttpHandler& handler) override {
    connection_server_.emplace(options_, handler, metrics_, streams_);
    loop_.emplace(
        listener_.fd(),
        EventLoop::Callbacks{
            .on_ready =
                [this](auto connection) { Ready(std::move(connection)); },
            .on_expired =
                [this](auto connection) {
                  const auto next = connection_server_->Expire(*connection);
                  Dispose(std::move(connection), next);
                },
            .on_acceptable = [this] { return AcceptWaiting(); }},
        options_.now);
    // The loop's thread may need what was just built.
    loop_->Start();
    streams_.Start();
  }

  void Stop(absl::Duration limit) override {
    if (!loop_.has_value()) return;
    connection_server_->StopKeepingAlive();
    for (const auto& connection : loop_->Stop()) SendRest(connection);
    streams_.Stop();
    if (!workers_.WaitUntilIdle(limit)) {
      connection_server_->GiveUp();
      open_->AbortAll();
    }
    workers_.Stop();
  }

 private:
  bool AcceptWaiting() {
    for (;;) {
      const auto accepted = listener_.Accept();
      if (!accepted.ok()) return false;
      if (!accepted->has_value()) return true;
      Adopt(**accepted);
    }
  }

  void Adopt(const ListenSocket::Accepted& accepted) {
    // A caller may hold a connection longer than the server lives.
    const auto open = open_;
    std::unique_ptr<TlsSession> tls;
    if (options_.tls != nullptr) {
      tls = options_.tls->Accept(accepted.fd);
      if (tls == nullptr) {
        ::close(accepted.fd);
        return;
      }
    }
    const std::shared_ptr<Connection> connection(
        new Connection(accepted.fd, accepted.peer, accepted.own,
                       options_.limits, options_.idle_timeout,
                       options_.write_timeout, budget_, options_.now(),
                       std::move(tls)),
        [open](Connection* gone) {
          open->Remove(gone);
          delete gone;
        });
    open->Add(connection.get());
    const size_t count = open->Count();
    const auto most = static_cast<size_t>(options_.max_connections);
    if (count <= most) {
      loop_->Park(connection, connection->deadline());
    } else if (count <= most + kMaxTurnedAway) {
      Dispose(connection,
              connection_server_->Refuse(
                  *connection, {RefusalReason::kTooManyConnections, 503,
                                "too many connections; try again"}));
    }
  }

  void Ready(std::shared_ptr<Connection> connection) {
    if (streams_.End(connection.get())) return;
    if (connection->is_lingering()) {
      const bool is_over = connection->Discard() == Connection::Received::kEnd;
      return Dispose(std::move(connection),
                     is_over ? ConnectionServer::Next::kClose
                             : ConnectionServer::Next::kPark);
    }
    Serve(std::move(connection));
  }

  void Serve(std::shared_ptr<Connection> connection) {
    const bool is_taken = workers_.Submit([this, connection] {
      Dispose(connection, connection_server_->Serve(connection));
    });
    if (is_taken) return;
    const auto next = connection_server_->Refuse(
        *connection, {RefusalReason::kTooManyRequests, 503,
                      "too many requests at once; try again"});
    Dispose(std::move(connection), next);
  }

  void Dispose(std::shared_ptr<Connection> connection,
               ConnectionServer::Next next) {
    switch (next) {
      case ConnectionServer::Next::kLinger:
        connection->Linger(options_.now() + options_.linger);
        break;
      case ConnectionServer::Next::kPark:
        break;
      case ConnectionServer::Next::kAgain:
        return Serve(std::move(connection));
      case ConnectionServer::Next::kFlush:
        if (!loop_->AwaitRoom(connection, connection->deadline())) {
          SendRest(std::move(connection));
        }
        return;
      case ConnectionServer::Next::kStay:
        return loop_->AwaitEnd(std::move(connection));
      case ConnectionServer::Next::kClose:
        return connection->Abort();
    }
    const absl::Time deadline = connection->deadline();
    loop_->Park(std::move(connection), deadline);
  }

  // Nobody waits for its client any more but a thread.
  void SendRest(std::shared_ptr<Connection> connection) {
    workers_.Submit(
        [connection = std::move(connection), timeout = options_.write_timeout] {
          if (connection->SendAll(timeout)) connection->EndWriting();
        });
  }

  const Options options_;
  const ListenSocket listener_;
  HttpMetrics& metrics_;
  const std::shared_ptr<ByteBudget> budget_;
  const std::shared_ptr<OpenConnections> open_ =
      std::make_shared<OpenConnections>();
  std::optional<ConnectionServer> connection_server_;
  std::optional<EventLoop> loop_;
  OpenStreams streams_;
  WorkerPool workers_;
};

}  // namespace

absl::Time MonotonicNow() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return absl::TimeFromTimespec(now);
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Listen(
    Options options, HttpMetrics& metrics) {
  ASSIGN_OR_RETURN(const SocketAddress address,
                   SocketAddress::Parse(options.listen));
  ASSIGN_OR_RETURN(ListenSocket listener, ListenSocket::Listen(address));
  options.max_connections = ConnectionLimit(options.max_connections);
  return std::make_unique<EpollHttpServer>(std::move(options),
                                           std::move(listener), metrics);
}

}  // namespace banyan::edge
