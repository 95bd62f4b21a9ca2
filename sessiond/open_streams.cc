// SPDX-License-Identifier: Apache-2.0
#include "sessiond/open_streams.h"

#include <memory>
#include <utility>

namespace banyan::sessiond {

OpenStreams::Lease::~Lease() {
  const std::lock_guard<std::mutex> lock(streams_->mutex_);
  streams_->ends_.erase(number_);
}

std::unique_ptr<OpenStreams::Lease> OpenStreams::Add(
    std::function<void()> end) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_over_) return nullptr;
  const int64_t number = next_number_++;
  ends_.emplace(number, std::move(end));
  return std::make_unique<Lease>(this, number);
}

void OpenStreams::EndAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_over_ = true;
  for (const auto& [number, end] : ends_) end();
  ends_.clear();
}

}  // namespace banyan::sessiond
