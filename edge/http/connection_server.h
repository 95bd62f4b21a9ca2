// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_CONNECTION_SERVER_H_
#define EDGE_HTTP_CONNECTION_SERVER_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "edge/http/connection.h"
#include "edge/http/http_handler.h"
#include "edge/http/http_metrics.h"
#include "edge/http/http_server.h"
#include "edge/http/open_streams.h"
#include "edge/http/refusal.h"

namespace banyan::edge {

// Takes a connection from one wait to the next: reads what has arrived, and
// answers every request that is whole. Thread-safe; a connection is in one
// call at a time.
class ConnectionServer {
 public:
  enum class Next {
    kPark,    // More bytes are needed.
    kAgain,   // There is more to do, but others come first.
    kFlush,   // The client has not taken all of an answer.
    kLinger,  // Answered for the last time; the client should read that first.
    kStay,    // An event stream lives on; only its end is waited for.
    kClose,
  };

  // All must outlive this.
  ConnectionServer(const HttpServer::Options& options, HttpHandler& handler,
                   HttpMetrics& metrics, OpenStreams& streams)
      : options_(options),
        handler_(handler),
        metrics_(metrics),
        streams_(streams) {}

  Next Serve(const std::shared_ptr<Connection>& connection);

  // What is left to do when its deadline has come.
  Next Expire(Connection& connection);

  // Answers a refusal without waiting for the client to take it; closes a
  // connection that is in the middle of an answer.
  Next Refuse(Connection& connection, const Refusal& refusal);

  // From now on every answer is its connection's last.
  void StopKeepingAlive() { is_stopping_ = true; }

  // From now on every handler is told that nobody waits for it.
  void GiveUp() { *has_given_up_ = true; }

 private:
  // nullopt: go on with this connection.
  std::optional<Next> AnswerHead(Connection& connection);
  std::optional<Next> AnswerRequest(
      const std::shared_ptr<Connection>& connection);
  std::optional<Next> ReadMore(Connection& connection);
  // Puts an answer out; the connection goes on when the client took it whole.
  std::optional<Next> Send(Connection& connection, std::string answer,
                           bool keep_alive);
  std::optional<Next> SendOn(Connection& connection);
  HttpResponse CallHandler(HttpExchange& exchange);
  std::string Text(Connection& connection, HttpResponse response,
                   const HttpHeaders& common_headers, bool keep_alive) const;

  const HttpServer::Options& options_;
  HttpHandler& handler_;
  HttpMetrics& metrics_;
  OpenStreams& streams_;
  std::atomic<bool> is_stopping_ = false;
  // Asked by what may outlive us.
  const std::shared_ptr<std::atomic<bool>> has_given_up_ =
      std::make_shared<std::atomic<bool>>(false);
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_CONNECTION_SERVER_H_
