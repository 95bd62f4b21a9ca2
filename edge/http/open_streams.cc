// SPDX-License-Identifier: Apache-2.0
#include "edge/http/open_streams.h"

#include <chrono>
#include <utility>
#include <vector>

namespace banyan::edge {

void OpenStreams::Start() {
  rounds_ = std::thread([this] { RunRounds(); });
  ends_ = std::thread([this] { RunEnds(); });
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
                       std::shared_ptr<EventStream> stream,
                       std::string reader) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_stopping_) {
      ++by_reader_[reader];
      kept_[connection] = {std::move(stream), std::move(reader)};
      return;
    }
  }
  stream->End();
}

int OpenStreams::CountOf(const std::string& reader) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_reader_.find(reader);
  return found == by_reader_.end() ? 0 : found->second;
}

bool OpenStreams::End(const Connection* connection) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = kept_.find(connection);
    if (found == kept_.end()) return false;
    const auto count = by_reader_.find(found->second.reader);
    if (--count->second == 0) by_reader_.erase(count);
    ending_streams_.push_back(std::move(found->second.stream));
    kept_.erase(found);
  }
  ending_.notify_one();
  return true;
}

void OpenStreams::LookAtAll() {
  std::vector<std::shared_ptr<EventStream>> streams;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    streams.reserve(attended_.size() + kept_.size());
    for (const auto& [key, stream] : attended_) streams.push_back(stream);
    for (const auto& [key, kept] : kept_) streams.push_back(kept.stream);
  }
  const absl::Time quiet_since = options_.now() - options_.comment_after;
  for (const auto& stream : streams) {
    if (!stream->IsAllowed()) stream->CutOff();
    stream->Comment(quiet_since);
  }
}

void OpenStreams::Stop() {
  std::unordered_map<const Connection*, Kept> kept;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
    kept.swap(kept_);
    by_reader_.clear();
  }
  stop_.notify_all();
  ending_.notify_all();
  if (rounds_.joinable()) rounds_.join();
  if (ends_.joinable()) ends_.join();
  for (const auto& [connection, one] : kept) one.stream->End();
}

void OpenStreams::RunRounds() {
  const auto pause = absl::ToChronoMilliseconds(options_.round_every);
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_.wait_for(lock, pause, [this] { return is_stopping_; })) {
    lock.unlock();
    LookAtAll();
    lock.lock();
  }
}

void OpenStreams::RunEnds() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    ending_.wait(lock,
                 [this] { return is_stopping_ || !ending_streams_.empty(); });
    if (ending_streams_.empty()) return;
    const auto stream = std::move(ending_streams_.front());
    ending_streams_.pop_front();
    lock.unlock();
    stream->End();
    lock.lock();
  }
}

}  // namespace banyan::edge
