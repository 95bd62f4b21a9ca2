// SPDX-License-Identifier: Apache-2.0
#include "edge/http/request_reader.h"

namespace banyan::edge {

RequestReader::RequestReader(const ReadLimits& limits) : limits_(limits) {
  Restart();
}

RequestReader::Event RequestReader::Next() {
  if (refusal_.has_value()) return Event::kRefused;
  if (!head_->IsComplete()) {
    pending_.erase(0, head_->Feed(pending_));
    refusal_ = head_->refusal();
    if (refusal_.has_value()) return Event::kRefused;
    if (!head_->IsComplete()) return Event::kNeedBytes;
  }
  if (!is_head_told_) {
    is_head_told_ = true;
    body_.emplace(head_->request(), limits_);
    return Event::kHead;
  }
  if (!body_->IsComplete()) {
    pending_.erase(0, body_->Feed(pending_, head_->request().body));
    refusal_ = body_->refusal();
    if (refusal_.has_value()) return Event::kRefused;
  }
  return body_->IsComplete() ? Event::kRequest : Event::kNeedBytes;
}

void RequestReader::Restart() {
  head_.emplace(limits_);
  body_.reset();
  is_head_told_ = false;
}

RequestReader::Phase RequestReader::phase() const {
  if (is_head_told_) return Phase::kBody;
  return head_->HasBegun() ? Phase::kHead : Phase::kIdle;
}

uint64_t RequestReader::body_bytes() const {
  return is_head_told_ ? head_->request().body.size() : 0;
}

}  // namespace banyan::edge
