// SPDX-License-Identifier: Apache-2.0
#include "sessiond/watch/watcher.h"

#include <limits>
#include <string>
#include <utility>

#include "proto/rpc/status_macros.h"

namespace banyan::sessiond {
namespace {

using session::v1::WatchResponse;

WatchResponse ToProto(const RecordChange& change) {
  WatchResponse response;
  response.set_revision(change.revision);
  if (change.kind == RecordKind::kSession) {
    auto* event = response.mutable_session();
    event->set_session_hash(change.key);
    event->set_version(change.version);
    event->set_is_terminated(change.is_over);
  } else {
    auto* event = response.mutable_workspace();
    event->set_handle_hash(change.key);
    event->set_version(change.version);
    event->set_is_revoked(change.is_over);
  }
  return response;
}

}  // namespace

Watcher::Watcher(ChangeFeed& feed, RingFeed& rings)
    : feed_(feed),
      outbox_(kCapacity),
      follower_(rings.NewFollower(
          [this](absl::string_view session_key, absl::string_view stream,
                 int64_t newest) { OnGrowth(session_key, stream, newest); })) {}

absl::Status Watcher::Start(int64_t from_revision) {
  subscription_ =
      feed_.Subscribe([this](const RecordChange& change) { OnChange(change); });
  // From now on: nothing of what was.
  const int64_t since =
      from_revision == 0 ? std::numeric_limits<int64_t>::max() : from_revision;
  ASSIGN_OR_RETURN(const History history, feed_.ChangesSince(since));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (from_revision == 0) {
    sent_ = history.newest_revision;
  } else if (!history.is_complete) {
    sent_ = history.newest_revision;
    SendResync();
  } else {
    sent_ = from_revision;
    for (const RecordChange& change : history.changes) Send(change);
  }
  for (const RecordChange& change : early_) Send(change);
  early_.clear();
  is_started_ = true;
  SendSynced();
  return absl::OkStatus();
}

void Watcher::Hear(const session::v1::WatchRequest& request) {
  for (const std::string& key : request.unfollow_session_hashes()) {
    follower_->Unfollow(key);
  }
  for (const std::string& key : request.follow_session_hashes()) {
    follower_->Follow(key);
  }
  if (request.ping() != 0) Ping(request.ping());
}

void Watcher::Ping(int64_t number) {
  // No echo tells the edge that it is out of sync.
  if (!feed_.CatchUp().ok()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  WatchResponse echo;
  echo.set_revision(sent_);
  echo.set_pong(number);
  outbox_.Push(std::move(echo));
}

void Watcher::OnChange(const RecordChange& change) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_started_) {
    Send(change);
  } else {
    early_.push_back(change);
  }
}

void Watcher::OnGrowth(absl::string_view session_key, absl::string_view stream,
                       int64_t newest) {
  WatchResponse response;
  auto* growth = response.mutable_ring_growth();
  growth->set_session_hash(std::string(session_key));
  growth->set_stream(std::string(stream));
  growth->set_newest_event_id(newest);
  const std::lock_guard<std::mutex> lock(mutex_);
  response.set_revision(sent_);
  outbox_.PushHint(std::move(response));
}

// The history and the feed may both name a change: it is sent once.
void Watcher::Send(const RecordChange& change) {
  if (change.revision <= sent_ && !change.is_gap) return;
  sent_ = change.revision;
  if (change.is_gap) {
    SendResync();
    SendSynced();
    return;
  }
  // Writers are between sessiond and lspd.
  if (change.kind != RecordKind::kWriter) outbox_.Push(ToProto(change));
}

void Watcher::SendResync() {
  WatchResponse resync;
  resync.set_revision(sent_);
  resync.mutable_resync();
  outbox_.Push(std::move(resync));
}

void Watcher::SendSynced() {
  WatchResponse synced;
  synced.set_revision(sent_);
  synced.mutable_synced();
  outbox_.Push(std::move(synced));
}

}  // namespace banyan::sessiond
