// SPDX-License-Identifier: Apache-2.0
#include "edge/http/connection_server.h"

#include <exception>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "edge/http/event_stream.h"
#include "edge/http/response_text.h"
#include "proto/rpc/event_log.h"

namespace banyan::edge {
namespace {

using Phase = RequestReader::Phase;

HttpResponse Fault(const HttpRequest& request, absl::string_view what) {
  rpc::Log({.level = rpc::LogLevel::kError,
            .event = "http_handler_failed",
            .message = "[HTTP] A handler failed: " + std::string(what),
            .fields = {{"method", request.method}, {"path", request.path}}});
  return JsonError(500, "INTERNAL", "internal error");
}

std::string NameOf(const session::v1::Principal& principal) {
  return absl::StrCat(principal.issuer(), "\n", principal.subject());
}

}  // namespace

ConnectionServer::Next ConnectionServer::Serve(
    const std::shared_ptr<Connection>& connection) {
  if (connection->unsent() > 0) {
    if (const auto next = SendOn(*connection)) return *next;
  }
  bool has_answered = false;
  for (;;) {
    // Who pipelines waits for its turn like everybody else.
    if (has_answered && connection->reader().HasMore()) return Next::kAgain;
    std::optional<Next> next;
    switch (connection->reader().Next()) {
      case RequestReader::Event::kNeedBytes:
        next = ReadMore(*connection);
        break;
      case RequestReader::Event::kHead:
        next = AnswerHead(*connection);
        has_answered = connection->reader().phase() != Phase::kBody;
        break;
      case RequestReader::Event::kRequest:
        next = AnswerRequest(connection);
        has_answered = true;
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
    return Send(connection,
                Text(connection, *std::move(admission.answer),
                     handler_.CommonHeaders(head), keep_alive),
                keep_alive);
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
  const std::string reader_name = NameOf(connection->caller().principal);
  const auto is_withdrawn = [is_still_valid, has_given_up = has_given_up_] {
    return *has_given_up || !is_still_valid();
  };
  HttpExchange exchange = {.request = request,
                           .caller = connection->caller(),
                           .events = events,
                           .is_peer_gone =
                               [connection, is_withdrawn] {
                                 return connection->IsPeerGone() ||
                                        is_withdrawn();
                               },
                           .is_withdrawn = is_withdrawn,
                           .may_stay =
                               [this, &reader_name] {
                                 return streams_.CountOf(reader_name) <
                                        options_.max_streams_per_caller;
                               }};
  HttpResponse response = CallHandler(exchange);

  if (events->stays_open()) {
    connection->hold().Release();
    events->Leave();
    streams_.Keep(connection.get(), events, reader_name);
    return Next::kStay;
  }
  if (events->is_open()) {
    auto rest = events->TakeEnd(response.body);
    if (!rest.has_value()) return Next::kClose;
    return Send(*connection, *std::move(rest), keep_alive);
  }
  keep_alive = keep_alive && !is_stopping_;
  return Send(
      *connection,
      Text(*connection, std::move(response), common_headers, keep_alive),
      keep_alive);
}

std::optional<ConnectionServer::Next> ConnectionServer::Send(
    Connection& connection, std::string answer, bool keep_alive) {
  connection.hold().Release();
  const absl::Time now = options_.now();
  connection.Queue(std::move(answer), keep_alive, now);
  connection.reader().Restart();
  connection.clock().Restart(now);
  return SendOn(connection);
}

std::optional<ConnectionServer::Next> ConnectionServer::SendOn(
    Connection& connection) {
  switch (connection.SendOn()) {
    case Connection::Sent::kEnd:
      return Next::kClose;
    case Connection::Sent::kPart:
      // What waits for slow clients counts as bodies do.
      return connection.hold().SetTo(connection.answer_bytes()) ? Next::kFlush
                                                                : Next::kClose;
    case Connection::Sent::kAll:
      break;
  }
  connection.hold().Release();
  connection.clock().Restart(options_.now());
  if (!connection.keeps_alive()) return Next::kLinger;
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
  if (connection.unsent() > 0) {
    return connection.write_clock().Judge(connection.unsent(), options_.now())
               ? Next::kFlush
               : Next::kClose;
  }
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
  if (connection.unsent() > 0) return Next::kClose;
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
