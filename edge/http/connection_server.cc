// SPDX-License-Identifier: Apache-2.0
#include "edge/http/connection_server.h"

#include <exception>
#include <string>
#include <utility>

#include "edge/http/event_stream.h"
#include "edge/http/response_text.h"
#include "proto/rpc/event_log.h"

namespace banyan::edge {
namespace {

HttpResponse Fault(const HttpRequest& request, absl::string_view what) {
  rpc::Log({.level = rpc::LogLevel::kError,
            .event = "http_handler_failed",
            .message = "[HTTP] A handler failed: " + std::string(what),
            .fields = {{"method", request.method}, {"path", request.path}}});
  return JsonError(500, "INTERNAL", "internal error");
}

}  // namespace

ConnectionServer::Next ConnectionServer::Serve(
    const std::shared_ptr<Connection>& connection) {
  for (;;) {
    std::optional<Next> next;
    switch (connection->reader().Next()) {
      case RequestReader::Event::kNeedBytes:
        next = ReadMore(*connection);
        break;
      case RequestReader::Event::kHead:
        next = AnswerHead(*connection);
        break;
      case RequestReader::Event::kRequest:
        next = AnswerRequest(connection);
        break;
      case RequestReader::Event::kRefused:
        next = Refuse(*connection, connection->reader().refusal());
        break;
    }
    if (next.has_value()) return *next;
  }
}

std::optional<ConnectionServer::Next> ConnectionServer::ReadMore(
    Connection& connection) {
  RequestReader& reader = connection.reader();
  if (!connection.hold().GrowTo(reader.body_bytes())) {
    return Refuse(connection, {RefusalReason::kTooManyBytes, 503,
                               "too many bodies at once; try again"});
  }
  switch (connection.Receive()) {
    case Connection::Received::kBytes:
      return std::nullopt;
    case Connection::Received::kEnd:
      return Next::kClose;
    case Connection::Received::kNothing:
      break;
  }
  connection.clock().Observe(reader.phase(), reader.body_bytes(),
                             options_.now());
  return Next::kPark;
}

std::optional<ConnectionServer::Next> ConnectionServer::AnswerHead(
    Connection& connection) {
  const HttpRequest& head = connection.reader().request();
  Admission admission = handler_.Admit(head, connection.peer());
  if (admission.answer.has_value()) {
    // The body that was announced is not read.
    const bool keep_alive = head.keep_alive && !head.HasBody() && !is_stopping_;
    const bool is_written =
        connection.Write(Text(connection, *std::move(admission.answer),
                              handler_.CommonHeaders(head), keep_alive),
                         options_.write_timeout);
    return BeginNext(connection, is_written, keep_alive);
  }
  connection.caller() = std::move(admission.caller);
  if (head.expects_continue && head.HasBody() &&
      !connection.Write("HTTP/1.1 100 Continue\r\n\r\n",
                        absl::ZeroDuration())) {
    return Next::kClose;
  }
  return std::nullopt;
}

std::optional<ConnectionServer::Next> ConnectionServer::AnswerRequest(
    const std::shared_ptr<Connection>& connection) {
  const HttpRequest& request = connection->reader().request();
  const bool is_chunked = request.minor_version >= 1;
  bool keep_alive = request.keep_alive && !is_stopping_;
  const HttpHeaders common_headers = handler_.CommonHeaders(request);

  const auto is_still_valid = connection->caller().is_still_valid;
  const auto events = std::make_shared<EventStream>(
      EventStream::Options{.is_chunked = is_chunked,
                           .keep_alive = keep_alive,
                           .headers = common_headers,
                           .write_timeout = options_.write_timeout,
                           .now = options_.now},
      EventStream::Wire{
          .write =
              [connection](absl::string_view bytes, absl::Duration timeout) {
                return !connection->IsPeerGone() &&
                       connection->Write(bytes, timeout);
              },
          .end = [connection] { connection->EndWriting(); },
          .abort = [connection] { connection->Abort(); },
          .is_allowed = is_still_valid});
  const OpenStreams::Lease kept_alive = streams_.Add(events);
  HttpExchange exchange = {.request = request,
                           .caller = connection->caller(),
                           .events = events,
                           .is_peer_gone = [connection, is_still_valid] {
                             return connection->IsPeerGone() ||
                                    !is_still_valid();
                           }};
  HttpResponse response = CallHandler(exchange);

  if (events->stays_open()) {
    connection->hold().Release();
    events->Leave();
    streams_.Keep(connection.get(), events);
    return Next::kStay;
  }
  if (events->is_open()) {
    return BeginNext(*connection, events->Finish(response.body), keep_alive);
  }
  keep_alive = keep_alive && !is_stopping_;
  const bool is_written = connection->Write(
      Text(*connection, std::move(response), common_headers, keep_alive),
      options_.write_timeout);
  return BeginNext(*connection, is_written, keep_alive);
}

std::optional<ConnectionServer::Next> ConnectionServer::BeginNext(
    Connection& connection, bool is_written, bool keep_alive) {
  connection.hold().Release();
  if (!is_written) return Next::kClose;
  if (!keep_alive) return Next::kLinger;
  connection.reader().Restart();
  connection.clock().Restart(options_.now());
  return std::nullopt;
}

HttpResponse ConnectionServer::CallHandler(HttpExchange& exchange) {
  metrics_.inflight().Increment();
  HttpResponse response;
  try {
    response = handler_.Handle(exchange);
  } catch (const std::exception& error) {
    response = Fault(exchange.request, error.what());
  } catch (...) {
    response = Fault(exchange.request, "unknown exception");
  }
  metrics_.inflight().Decrement();
  return response;
}

ConnectionServer::Next ConnectionServer::Expire(Connection& connection) {
  if (connection.is_lingering()) return Next::kClose;
  switch (connection.clock().Judge(options_.now())) {
    case ReadClock::Verdict::kWait:
      return Next::kPark;
    case ReadClock::Verdict::kIdle:
      return Next::kClose;
    case ReadClock::Verdict::kHeadTooSlow:
      return Refuse(connection, {RefusalReason::kHeadTooSlow, 408,
                                 "the head of the request came too slowly"});
    case ReadClock::Verdict::kBodyTooSlow:
      break;
  }
  return Refuse(connection, {RefusalReason::kBodyTooSlow, 408,
                             "the body of the request came too slowly"});
}

ConnectionServer::Next ConnectionServer::Refuse(Connection& connection,
                                                const Refusal& refusal) {
  metrics_.CountRefusal(refusal.reason);
  RequestReader& reader = connection.reader();
  HttpHeaders common_headers;
  if (reader.HasHead())
    common_headers = handler_.CommonHeaders(reader.request());
  const bool is_written = connection.Write(
      Text(connection, ToResponse(refusal), common_headers, false),
      absl::ZeroDuration());
  connection.hold().Release();
  return is_written ? Next::kLinger : Next::kClose;
}

std::string ConnectionServer::Text(Connection& connection,
                                   HttpResponse response,
                                   const HttpHeaders& common_headers,
                                   bool keep_alive) const {
  response.headers.insert(response.headers.end(), common_headers.begin(),
                          common_headers.end());
  RequestReader& reader = connection.reader();
  return ResponseText(
      response, {.method = reader.HasHead() ? reader.request().method : "GET",
                 .keep_alive = keep_alive,
                 .idle_timeout = options_.idle_timeout});
}

}  // namespace banyan::edge
