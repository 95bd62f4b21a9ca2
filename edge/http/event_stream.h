// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_EVENT_STREAM_H_
#define EDGE_HTTP_EVENT_STREAM_H_

#include <functional>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"
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
  };

  // `write` puts bytes on the wire, all or none; false when the client is
  // gone. It is called under this stream's lock.
  EventStream(Options options, std::function<bool(absl::string_view)> write);

  bool Open() override;
  bool Send(absl::string_view id, absl::string_view data) override;

  bool is_open() const;

  // Sends `last` unless it is empty, and ends the answer. Later events are
  // dropped: false. REQUIRES: is_open()
  bool Finish(absl::string_view last);

 private:
  bool OpenLocked();
  bool SendLocked(absl::string_view id, absl::string_view data);
  bool WriteLocked(absl::string_view bytes);

  const Options options_;
  const std::function<bool(absl::string_view)> write_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  bool is_open_ = false;
  bool is_finished_ = false;
  bool is_broken_ = false;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_EVENT_STREAM_H_
