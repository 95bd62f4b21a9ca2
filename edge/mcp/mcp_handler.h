// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_MCP_HANDLER_H_
#define EDGE_MCP_MCP_HANDLER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/session/v1/session_service.pb.h"

namespace banyan::edge {

// One HTTP exchange on the MCP endpoint, after Host, Origin, limits and
// authentication held (mcp-protocol: ladder step 0).
struct McpRequest {
  std::string
      method;  // "POST", "GET" or "DELETE"; anything else never comes here.
  std::string default_project;  // From /mcp/p/<project>, decoded; else empty.
  std::string default_access;   // From ?access=; else empty.
  std::vector<std::pair<std::string, std::string>>
      headers;  // Names lower case, values trimmed, in order.
  std::string body;
  session::v1::Principal principal;
  std::string traceparent;  // HTTP header, as sent.
  // True once the client has closed the connection, or it is withdrawn. None of
  // these is null; the first two are thread-safe.
  std::function<bool()> is_peer_gone = [] { return false; };
  // True once nobody may see the answer any more: the caller's credential
  // ended, or the server stops waiting.
  std::function<bool()> is_withdrawn = [] { return false; };
  // False: the caller has as many streams as one may keep open.
  std::function<bool()> may_stay = [] { return true; };

  // First header of that name (lower case).
  std::optional<absl::string_view> Header(absl::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return absl::string_view(value);
    }
    return std::nullopt;
  }
};

// What to answer when no event was sent before.
struct McpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;  // JSON, or empty.
  // The stream was opened by OpenToStay() and lives on after Handle().
  bool stays_open = false;
};

// Events before the answer. The first one commits the exchange to 200 and
// text/event-stream; the response's body then becomes the last event and its
// status is lost. Comments keep an open stream from looking dead. Thread-safe.
class EventSink {
 public:
  virtual ~EventSink() = default;

  // Opens the stream (headers flushed at once) without an event.
  virtual bool Open() = 0;

  // The same for a stream that outlives Handle(): whoever keeps the sink writes
  // to it until Close() or until the client goes. The connection ends with it.
  virtual bool OpenToStay() = 0;

  // `id` may be empty. False: the client is gone.
  virtual bool Send(absl::string_view id, absl::string_view data) = 0;

  // An event without data that gives an id to resume from, and how long to
  // wait before (MCP 2025-11-25, "priming event").
  virtual bool Prime(absl::string_view id, absl::Duration retry) = 0;

  // Sends `last` unless it is empty and ends the stream; later calls do
  // nothing. The response of Handle() is then not sent any more.
  virtual void Close(absl::string_view last) = 0;

  // Runs `on_end` once when a stream that stayed has ended, whoever ended it;
  // at once when it already has. It must not block, nor call the sink.
  virtual void OnEnd(std::function<void()> on_end) = 0;
};

// The protocol behind the endpoint. Thread-safe: called from many connections
// at once; blocks as long as the call takes.
class McpHandler {
 public:
  virtual ~McpHandler() = default;

  virtual McpResponse Handle(const McpRequest& request,
                             const std::shared_ptr<EventSink>& events) = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_MCP_MCP_HANDLER_H_
