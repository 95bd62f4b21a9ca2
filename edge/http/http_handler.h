// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_HTTP_HANDLER_H_
#define EDGE_HTTP_HTTP_HANDLER_H_

#include <functional>
#include <memory>
#include <optional>

#include "edge/auth/authenticator.h"
#include "edge/auth/peer_connection.h"
#include "edge/http/event_stream.h"
#include "edge/http/http_message.h"

namespace banyan::edge {

// What a head alone decides.
struct Admission {
  std::optional<HttpResponse> answer;  // Set: this is the answer already.
  Authenticated caller;                // Who may come in.
};

// One admitted request with its whole body, and what belongs to it while it is
// answered. The references live as long as Handle() runs; `events` and
// `is_peer_gone` may outlive it and are thread-safe.
struct HttpExchange {
  const HttpRequest& request;
  const Authenticated& caller;
  // Opens at its first event; then the response's body is its last event. Kept
  // beyond Handle() when it was opened to stay.
  const std::shared_ptr<EventStream> events;
  // True as soon as the client has closed its end, and when it is withdrawn.
  std::function<bool()> is_peer_gone;
  // True as soon as the caller's credential ends, and when the server gives up
  // waiting for the handler: what no disconnection ends has to end too.
  std::function<bool()> is_withdrawn = [] { return false; };
  // False: the caller has as many streams that stay as one may have.
  std::function<bool()> may_stay = [] { return true; };
};

// What a listener serves. Thread-safe: called from many connections at once.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  // Judges the head before any of the body is read. Must be quick.
  virtual Admission Admit(const HttpRequest& head,
                          PeerConnection& connection) = 0;

  // Goes with every answer to a request whose head was read, refusals of the
  // server's own included (CORS).
  virtual HttpHeaders CommonHeaders(const HttpRequest& head) = 0;

  // Blocks as long as the answer takes. An exception is answered by 500
  // without its text.
  virtual HttpResponse Handle(HttpExchange& exchange) = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_HTTP_HANDLER_H_
