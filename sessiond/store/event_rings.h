// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_EVENT_RINGS_H_
#define SESSIOND_STORE_EVENT_RINGS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sessiond/store/record_store.h"

namespace banyan::sessiond {

// The newest events of each session, so that a stream that broke is taken up
// again on any edge. Not durable: a stream whose events are lost is unknown,
// and its client gets a fresh one.
//
// Events carry ids that rise within a session, over all its streams and over a
// loss of the ring. Sessions go by the key of their record.
//
// Thread-safe. Calls can fail with STORE_UNREACHABLE.
class EventRings {
 public:
  struct Limits {
    size_t events = 256;  // Of one session; the oldest go.
    size_t bytes = 1 << 20;
    size_t total_bytes = 256 << 20;  // Past it whole rings go, idlest first.
  };

  struct Event {
    int64_t id = 0;
    std::string data;
  };

  struct Reading {
    bool is_known = false;      // Something of this stream is kept.
    bool is_complete = false;   // Everything after the asked id is here.
    bool has_ended = false;     // Nothing more will come.
    std::vector<Event> events;  // Oldest first.
  };

  // The session's key, the stream that has grown, its newest id. From any
  // thread; must be quick and must not call the rings.
  using GrowthListener =
      std::function<void(absl::string_view, absl::string_view, int64_t)>;

  virtual ~EventRings() = default;

  // Their ids, in order.
  virtual absl::StatusOr<std::vector<int64_t>> Append(
      absl::string_view session_key, absl::string_view stream,
      std::vector<std::string> events, bool ends_stream) = 0;

  // Events of one stream after an id; 0 = all that is kept.
  virtual absl::StatusOr<Reading> Read(absl::string_view session_key,
                                       absl::string_view stream,
                                       int64_t after) = 0;

  // The session is over.
  virtual void Forget(absl::string_view session_key) = 0;

  // One listener; null takes it away, and then it is not running.
  virtual void SetGrowthListener(GrowthListener listener) = 0;
};

// `now` sets where the ids of a new ring begin; null = the system's clock.
std::unique_ptr<EventRings> NewMemoryEventRings(EventRings::Limits limits,
                                                Clock now = nullptr);

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_EVENT_RINGS_H_
