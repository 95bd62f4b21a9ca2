// SPDX-License-Identifier: Apache-2.0
#include "edge/http/open_streams.h"

#include <chrono>
#include <utility>
#include <vector>

namespace banyan::edge {

void OpenStreams::Start() {
  thread_ = std::thread([this] { Run(); });
}

OpenStreams::Lease OpenStreams::Add(std::shared_ptr<EventStream> stream) {
  EventStream* const key = stream.get();
  const std::lock_guard<std::mutex> lock(mutex_);
  attended_.emplace(key, std::move(stream));
  return Lease(this, key);
}

void OpenStreams::Remove(EventStream* stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  attended_.erase(stream);
}

void OpenStreams::Keep(const Connection* connection,
                       std::shared_ptr<EventStream> stream) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_stopping_) {
      kept_.emplace(connection, std::move(stream));
      return;
    }
  }
  stream->End();
}

bool OpenStreams::End(const Connection* connection) {
  std::shared_ptr<EventStream> stream;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = kept_.find(connection);
    if (found == kept_.end()) return false;
    stream = std::move(found->second);
    kept_.erase(found);
  }
  stream->End();
  return true;
}

void OpenStreams::LookAtAll() {
  std::vector<std::shared_ptr<EventStream>> streams;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    streams.reserve(attended_.size() + kept_.size());
    for (const auto& [key, stream] : attended_) streams.push_back(stream);
    for (const auto& [key, stream] : kept_) streams.push_back(stream);
  }
  const absl::Time quiet_since = options_.now() - options_.comment_after;
  for (const auto& stream : streams) {
    if (stream->is_open() && !stream->IsAllowed()) stream->Close("");
    stream->Comment(quiet_since);
  }
}

void OpenStreams::Stop() {
  std::unordered_map<const Connection*, std::shared_ptr<EventStream>> kept;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
    kept.swap(kept_);
  }
  stop_.notify_all();
  if (thread_.joinable()) thread_.join();
  for (const auto& [connection, stream] : kept) stream->End();
}

void OpenStreams::Run() {
  const auto pause = absl::ToChronoMilliseconds(options_.round_every);
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_.wait_for(lock, pause, [this] { return is_stopping_; })) {
    lock.unlock();
    LookAtAll();
    lock.lock();
  }
}

}  // namespace banyan::edge
