// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/standing_streams.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "edge/mcp/protocol_versions.h"
#include "proto/rpc/grant.h"

namespace banyan::edge {

struct StandingStreams::State {
  struct Stream {
    RingSession session;
    bool is_standing = true;  // Else the rest of an answer.
    std::shared_ptr<EventSink> sink;
    std::set<std::string> subscriptions;
    std::unique_ptr<EventRing::Following> following;
  };

  std::mutex mutex;
  // Guarded by mutex.
  std::map<uint64_t, Stream> streams;
  uint64_t opened = 0;

  uint64_t Add(Stream stream) {
    const std::lock_guard lock(mutex);
    streams[++opened] = std::move(stream);
    return opened;
  }

  void MakeStanding(uint64_t key) {
    const std::lock_guard lock(mutex);
    const auto found = streams.find(key);
    if (found != streams.end()) found->second.is_standing = true;
  }

  void SetFollowing(uint64_t key,
                    std::unique_ptr<EventRing::Following> following) {
    const std::lock_guard lock(mutex);
    const auto found = streams.find(key);
    if (found != streams.end()) found->second.following = std::move(following);
  }

  // Outside the lock, since it waits for a reader that is being told.
  void Remove(uint64_t key) {
    Stream removed;
    const std::lock_guard lock(mutex);
    const auto found = streams.find(key);
    if (found == streams.end()) return;
    removed = std::move(found->second);
    streams.erase(found);
  }
};

StandingStreams::StandingStreams(EventRing& ring)
    : ring_(ring), state_(std::make_shared<State>()) {}

StandingStreams::~StandingStreams() { EndAll(); }

McpResponse StandingStreams::Open(Request request,
                                  const std::shared_ptr<EventSink>& sink) {
  // Where a fresh stream begins is fixed, and the stream known, before the
  // client sees that it is open: nothing is lost in between.
  const auto fresh = ring_.Position(request.session, kStandingStream);
  if (!fresh.ok()) {
    sink->OpenToStay();
    sink->Close("");
    return {.status = 200, .headers = {}, .body = "", .stays_open = true};
  }
  const std::string resumed = StreamOfEvent(request.last_event_id);
  const RingSession session = request.session;
  const uint64_t key =
      state_->Add({.session = session,
                   .is_standing = resumed.empty() || resumed == kStandingStream,
                   .sink = sink,
                   .subscriptions = std::move(request.subscriptions)});
  sink->OpenToStay();
  const auto prime = [&](const std::string& id) {
    if (IsPrimed(request.version)) sink->Prime(id, kRetryAfter);
  };
  prime(resumed.empty() ? *fresh : request.last_event_id);
  const EventRing::Reader reader = {.on_event =
                                        [sink](const EventRing::Event& event) {
                                          if (!event.data.empty())
                                            sink->Send(event.id, event.data);
                                          if (event.is_last) sink->Close("");
                                        },
                                    .on_replaced = [sink] { sink->Close(""); }};
  absl::StatusOr<std::unique_ptr<EventRing::Following>> following =
      absl::NotFoundError("nothing to resume");
  if (!resumed.empty()) {
    following = ring_.Follow(session, resumed, request.last_event_id, reader);
  }
  if (!following.ok()) {
    state_->MakeStanding(key);
    // An id that leads nowhere is not what the client should come back with.
    if (!resumed.empty()) prime(*fresh);
    following = ring_.Follow(session, kStandingStream, *fresh, reader);
  }
  if (following.ok()) {
    state_->SetFollowing(key, *std::move(following));
  } else {
    sink->Close("");
  }
  sink->OnEnd([state = state_, key] { state->Remove(key); });
  return {.status = 200, .headers = {}, .body = "", .stays_open = true};
}

void StandingStreams::Subscribe(const std::string& session_id,
                                const std::string& uri) {
  const std::lock_guard lock(state_->mutex);
  for (auto& [key, stream] : state_->streams) {
    if (stream.session.id == session_id) stream.subscriptions.insert(uri);
  }
}

void StandingStreams::Unsubscribe(const std::string& session_id,
                                  const std::string& uri) {
  const std::lock_guard lock(state_->mutex);
  for (auto& [key, stream] : state_->streams) {
    if (stream.session.id == session_id) stream.subscriptions.erase(uri);
  }
}

void StandingStreams::SendToAll(const std::string& notification) {
  std::vector<RingSession> sessions;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [key, stream] : state_->streams) {
      if (stream.is_standing) sessions.push_back(stream.session);
    }
  }
  Send(sessions, notification);
}

void StandingStreams::SendToSubscribers(const std::string& uri,
                                        const std::string& notification) {
  std::vector<RingSession> sessions;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [key, stream] : state_->streams) {
      if (stream.is_standing && stream.subscriptions.count(uri) > 0) {
        sessions.push_back(stream.session);
      }
    }
  }
  Send(sessions, notification);
}

std::set<std::string> StandingStreams::SubscribedUris() const {
  std::set<std::string> uris;
  const std::lock_guard lock(state_->mutex);
  for (const auto& [key, stream] : state_->streams) {
    uris.insert(stream.subscriptions.begin(), stream.subscriptions.end());
  }
  return uris;
}

void StandingStreams::EndSession(const std::string& session_id) {
  std::vector<std::shared_ptr<EventSink>> sinks;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [key, stream] : state_->streams) {
      if (stream.session.id == session_id) sinks.push_back(stream.sink);
    }
  }
  for (const auto& sink : sinks) sink->Close("");
}

void StandingStreams::EndSessionByHash(const std::string& session_hash) {
  std::set<std::string> ended;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [key, stream] : state_->streams) {
      if (rpc::HashId(stream.session.id) == session_hash) {
        ended.insert(stream.session.id);
      }
    }
  }
  for (const std::string& session_id : ended) EndSession(session_id);
}

void StandingStreams::EndAll() {
  std::vector<std::shared_ptr<EventSink>> sinks;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [key, stream] : state_->streams) {
      sinks.push_back(stream.sink);
    }
  }
  for (const auto& sink : sinks) sink->Close("");
}

void StandingStreams::Send(const std::vector<RingSession>& sessions,
                           const std::string& notification) {
  for (const RingSession& session : sessions) {
    // A ring that does not answer has its own metric.
    ring_.Append(session, kStandingStream, notification, false)
        .status()
        .IgnoreError();
  }
}

}  // namespace banyan::edge
