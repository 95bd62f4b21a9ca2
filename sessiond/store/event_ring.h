// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_EVENT_RING_H_
#define SESSIOND_STORE_EVENT_RING_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sessiond/store/event_rings.h"

namespace banyan::sessiond {

// One session's ring, in memory. Not thread-safe.
class EventRing {
 public:
  // Ids rise from the one after `last_id`.
  explicit EventRing(int64_t last_id) : last_id_(last_id) {}

  // Then drops what is past the limits, oldest first.
  std::vector<int64_t> Append(absl::string_view stream,
                              std::vector<std::string> events, bool ends_stream,
                              const EventRings::Limits& limits);

  EventRings::Reading Read(absl::string_view stream, int64_t after) const;

  // What it takes, with an estimate of what surrounds the data.
  size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    int64_t id;
    std::string stream;
    std::string data;
  };
  // Lives as long as an entry of it does.
  struct Stream {
    size_t kept = 0;
    int64_t first = 0;
    int64_t newest = 0;
    int64_t dropped = 0;  // The newest one that is not kept any more.
    bool has_ended = false;
  };

  void DropOldest();

  std::deque<Entry> entries_;
  std::map<std::string, Stream, std::less<>> streams_;
  size_t bytes_ = 0;
  int64_t last_id_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_EVENT_RING_H_
