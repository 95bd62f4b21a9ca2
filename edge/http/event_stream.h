// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_EVENT_STREAM_H_
#define EDGE_HTTP_EVENT_STREAM_H_

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "edge/http/http_message.h"
#include "edge/mcp/mcp_handler.h"

namespace banyan::edge {

// Server-Sent Events as the answer to one request, written as they come.
// Thread-safe.
class EventStream : public EventSink {
 public:
  struct Options {
    bool is_chunked = true;  // Else the end of the connection is the end.
    bool keep_alive = true;  // Whether the connection lives on afterwards.
    HttpHeaders headers;     // Besides those of every event stream.
    // How long a write waits for the client to take bytes, while a thread
    // answers the request and after it has left.
    absl::Duration write_timeout = absl::Seconds(30);
    absl::Duration stayed_write_timeout = absl::Milliseconds(200);
    std::function<absl::Time()> now = absl::Now;
  };

  // What a stream needs of its connection. Called under the stream's lock.
  struct Wire {
    // Puts bytes out, all or none; false when the client is gone or takes
    // nothing for that long.
    std::function<bool(absl::string_view, absl::Duration)> write;
    // Nothing more will be written: lets the client see the end.
    std::function<void()> end = [] {};
    // Cuts the connection, so that its owner notices and whoever writes gives
    // up. Also called without the lock.
    std::function<void()> abort = [] {};
    // False: whoever reads it may not any more. Called without the lock.
    std::function<bool()> is_allowed = [] { return true; };
  };

  EventStream(Options options, Wire wire)
      : options_(std::move(options)), wire_(std::move(wire)) {}

  bool Open() override;
  bool OpenToStay() override;
  bool Send(absl::string_view id, absl::string_view data) override;
  bool Prime(absl::string_view id, absl::Duration retry) override;
  void Close(absl::string_view last) override;
  void OnEnd(std::function<void()> on_end) override;

  bool is_open() const;
  bool stays_open() const;

  // What is left to write: `last` unless it is empty, and the end of the answer.
  // Later events are dropped. nullopt: the connection is of no more use.
  // REQUIRES: is_open()
  std::optional<std::string> TakeEnd(absl::string_view last);

  // From here on nobody waits for long in a write. REQUIRES: stays_open()
  void Leave();

  // Writes a comment when nothing was written since `quiet_since`; never
  // waits. A client that takes nothing any more is cut off.
  void Comment(absl::Time quiet_since);

  // Whether its reader may still read it.
  bool IsAllowed() const { return wire_.is_allowed(); }

  // Ends it as Close() does, or cuts it off where somebody is writing; never
  // waits.
  void CutOff();

  // The client went, or the server stops: ends without another byte. Whoever is
  // writing gives up.
  void End();

 private:
  bool OpenLocked(bool keep_alive);
  bool SendLocked(absl::string_view text);
  bool WriteLocked(absl::string_view bytes);
  bool WriteLocked(absl::string_view bytes, absl::Duration timeout);
  std::string EndTextLocked(absl::string_view last);
  std::function<void()> CloseLocked(absl::string_view last,
                                    absl::Duration timeout);
  std::function<void()> TakeOnEndLocked();

  const Options options_;
  const Wire wire_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  bool is_open_ = false;
  bool stays_open_ = false;
  bool has_left_ = false;
  bool is_finished_ = false;
  bool is_broken_ = false;
  bool has_ended_ = false;
  absl::Time last_write_;
  std::function<void()> on_end_;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_EVENT_STREAM_H_
