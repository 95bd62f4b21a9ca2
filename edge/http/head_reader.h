// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_HEAD_READER_H_
#define EDGE_HTTP_HEAD_READER_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "edge/http/http_message.h"
#include "edge/http/read_limits.h"
#include "edge/http/refusal.h"

namespace banyan::edge {

// Reads one request head (RFC 9112 sections 2 to 6) out of bytes that may be
// split anywhere. Strict where a proxy in front could read the same bytes in
// another way: lines end with CR LF, nothing stands before a colon, and there
// is exactly one statement about the length of the body.
class HeadReader {
 public:
  // `limits` must outlive the reader.
  explicit HeadReader(const ReadLimits& limits) : limits_(limits) {}

  // Takes bytes up to the end of the head and returns how many it took: all
  // of them unless the head is complete or refused. Never keeps more than the
  // limit. REQUIRES: not complete, not refused.
  size_t Feed(absl::string_view bytes);

  // A byte of the head has arrived (empty lines before it do not count).
  bool HasBegun() const { return head_bytes_ > 0; }
  // Every line was read; CheckHead may still have refused them.
  bool HasAllLines() const { return has_all_lines_; }
  bool IsComplete() const { return has_all_lines_ && !refusal_.has_value(); }
  const std::optional<Refusal>& refusal() const { return refusal_; }

  // The request without its body. REQUIRES: HasAllLines()
  HttpRequest& request() { return request_; }
  const HttpRequest& request() const { return request_; }

 private:
  void TakeLine(absl::string_view line);
  void TakeRequestLine(absl::string_view line);
  void TakeTarget(absl::string_view target);
  void TakeHeaderLine(absl::string_view line);
  void RefuseLongLine();
  void Refuse(RefusalReason reason, int status, absl::string_view message);

  const ReadLimits& limits_;
  std::string line_;  // The beginning of a line whose end is not here yet.
  size_t head_bytes_ = 0;
  size_t lines_ = 0;
  size_t empty_lines_ = 0;
  bool has_all_lines_ = false;
  std::optional<Refusal> refusal_;
  HttpRequest request_;
  std::string authority_;  // Of a target in absolute form.
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_HEAD_READER_H_
