// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_REQUEST_READER_H_
#define EDGE_HTTP_REQUEST_READER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "edge/http/body_reader.h"
#include "edge/http/head_reader.h"
#include "edge/http/http_message.h"
#include "edge/http/read_limits.h"
#include "edge/http/refusal.h"

namespace banyan::edge {

// The requests of one connection, one after the other: what came after one is
// kept for the next. Does no I/O.
class RequestReader {
 public:
  enum class Event {
    kNeedBytes,  // Feed() more.
    kHead,       // Once per request: request() is there without its body.
    kRequest,    // request() is whole. Next() stays here until Restart().
    kRefused,    // What comes after this cannot be read; see refusal().
  };
  // What the next byte would belong to.
  enum class Phase { kIdle, kHead, kBody };

  // `limits` must outlive the reader.
  explicit RequestReader(const ReadLimits& limits);

  void Feed(absl::string_view bytes) {
    pending_.append(bytes.data(), bytes.size());
  }

  // Reads on in what was fed.
  Event Next();

  // Not all of that is read.
  bool HasMore() const { return !pending_.empty(); }

  // Forgets the request that was answered and begins with the next.
  void Restart();

  Phase phase() const;
  uint64_t body_bytes() const;

  // All header lines of the request are there, even if it was then refused.
  bool HasHead() const { return head_->HasAllLines(); }
  HttpRequest& request() { return head_->request(); }
  const Refusal& refusal() const { return *refusal_; }

 private:
  const ReadLimits& limits_;
  std::string pending_;
  std::optional<HeadReader> head_;
  std::optional<BodyReader> body_;
  std::optional<Refusal> refusal_;
  bool is_head_told_ = false;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_REQUEST_READER_H_
