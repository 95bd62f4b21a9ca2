// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_BODY_READER_H_
#define EDGE_HTTP_BODY_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "edge/http/http_message.h"
#include "edge/http/read_limits.h"
#include "edge/http/refusal.h"

namespace banyan::edge {

// Reads the body that a head announced (RFC 9112 sections 6 and 7) out of
// bytes that may be split anywhere, and not one byte of what follows it.
// Trailers and chunk extensions are dropped.
class BodyReader {
 public:
  // `limits` must outlive the reader.
  BodyReader(const HttpRequest& head, const ReadLimits& limits);

  // Appends what is body to `body`; returns how many bytes were taken: all of
  // them unless the body is complete or refused. Refuses before a body beyond
  // the limit is kept.
  size_t Feed(absl::string_view bytes, std::string& body);

  bool IsComplete() const { return state_ == State::kDone; }
  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  enum class State { kData, kChunkSize, kChunkEnd, kTrailer, kDone };

  void TakeData(absl::string_view data, std::string& body);
  void TakeLine(absl::string_view line, uint64_t body_bytes);
  void TakeChunkSize(absl::string_view line, uint64_t body_bytes);
  void RefuseMalformed(absl::string_view message);

  const ReadLimits& limits_;
  const bool is_chunked_;
  State state_;
  uint64_t left_;  // Of the body, or of this chunk.
  std::string line_;
  size_t trailer_bytes_ = 0;
  std::optional<Refusal> refusal_;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_BODY_READER_H_
