// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_TRANSPORT_MESSAGE_FRAMING_H_
#define LSPD_TRANSPORT_MESSAGE_FRAMING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace banyan::lspd {

// Cuts a byte stream into messages as the base protocol of LSP says: header
// fields, an empty line, `Content-Length` bytes. Does no I/O.
//
//   reader.Feed(bytes);
//   while (auto message = reader.Next()) Handle(*std::move(message));
//   if (!reader.status().ok()) ...
//
// Tolerates what servers do: field names in any case, other fields, lines that
// end in a bare LF, and text before a header (a stray print), which is skipped
// up to the next `Content-Length:`. Not thread-safe.
class MessageReader {
 public:
  struct Limits {
    size_t header_bytes = 8 << 10;    // Of one header.
    size_t body_bytes = 64u << 20;    // Of one message.
    size_t garbage_bytes = 64 << 10;  // Skipped in a row before giving up.
  };

  MessageReader() : MessageReader(Limits()) {}
  explicit MessageReader(const Limits& limits) : limits_(limits) {}

  // Where the caller may put up to `size` bytes, followed by
  // CommitWrite(count): saves a copy. Feed() is the same in one step.
  char* PrepareWrite(size_t size);
  void CommitWrite(size_t count);
  void Feed(absl::string_view bytes);

  // The next complete body, or nothing yet. Nothing ever again once status()
  // is an error.
  std::optional<std::string> Next();

  // kResourceExhausted: a limit of the above is passed.
  // kInvalidArgument:   a header without a usable Content-Length.
  const absl::Status& status() const { return status_; }

  // How much was skipped because it belonged to no message.
  int64_t skipped_bytes() const { return skipped_bytes_; }

  // True between messages: an end of the stream here loses nothing.
  bool IsAtBoundary() const { return !in_body_ && begin_ == buffer_.size(); }

 private:
  bool ReadHeader();
  bool ParseHeader(absl::string_view header);
  void Skip(size_t count);
  void Fail(absl::Status status);

  const Limits limits_;
  absl::Status status_;
  std::string buffer_;  // Unread bytes are [begin_, buffer_.size()).
  size_t begin_ = 0;
  size_t prepared_ = 0;  // Size of the buffer before PrepareWrite().
  size_t scanned_ = 0;   // No end of header before this offset.
  bool in_body_ = false;
  std::string body_;  // While in_body_: what has come of it.
  size_t body_size_ = 0;
  size_t garbage_in_a_row_ = 0;
  int64_t skipped_bytes_ = 0;
};

// "Content-Length: 17\r\n\r\n"
std::string MessageHeader(size_t body_bytes);

}  // namespace banyan::lspd

#endif  // LSPD_TRANSPORT_MESSAGE_FRAMING_H_
