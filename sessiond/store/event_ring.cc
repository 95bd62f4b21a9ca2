// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/event_ring.h"

#include <string>
#include <utility>
#include <vector>

namespace banyan::sessiond {
namespace {

// Of an entry's own fields and its place in the containers.
constexpr size_t kEntryBytes = 128;

}  // namespace

std::vector<int64_t> EventRing::Append(absl::string_view stream,
                                       std::vector<std::string> events,
                                       bool ends_stream,
                                       const EventRings::Limits& limits) {
  std::vector<int64_t> ids;
  for (std::string& data : events) {
    const int64_t id = ++last_id_;
    ids.push_back(id);
    Stream& state = streams_[std::string(stream)];
    if (state.kept++ == 0) state.first = id;
    state.newest = id;
    bytes_ += data.size() + stream.size() + kEntryBytes;
    entries_.push_back({id, std::string(stream), std::move(data)});
  }
  const auto ended = streams_.find(stream);
  if (ends_stream && ended != streams_.end()) ended->second.has_ended = true;
  while (!entries_.empty() &&
         (entries_.size() > limits.events || bytes_ > limits.bytes)) {
    DropOldest();
  }
  return ids;
}

EventRings::Reading EventRing::Read(absl::string_view stream,
                                    int64_t after) const {
  EventRings::Reading reading;
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return reading;
  const Stream& state = found->second;
  reading.is_known = true;
  reading.has_ended = state.has_ended;
  const bool is_ours =
      after == 0 || (after >= state.first && after <= state.newest);
  reading.is_complete = is_ours && after >= state.dropped;
  for (const Entry& entry : entries_) {
    if (entry.stream == stream && entry.id > after) {
      reading.events.push_back({entry.id, entry.data});
    }
  }
  return reading;
}

void EventRing::DropOldest() {
  const Entry& oldest = entries_.front();
  const auto stream = streams_.find(oldest.stream);
  stream->second.dropped = oldest.id;
  if (--stream->second.kept == 0) streams_.erase(stream);
  bytes_ -= oldest.data.size() + oldest.stream.size() + kEntryBytes;
  entries_.pop_front();
}

}  // namespace banyan::sessiond
