// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_TRANSPORT_MESSAGE_FRAMING_H_
#define LSPD_TRANSPORT_MESSAGE_FRAMING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace banyan::lspd {

// Cuts a byte stream into messages as LSP's "Base Protocol" says: header
// fields, an empty line, `Content-Length` bytes. Does no I/O.
//
//   reader.Feed(bytes);
//   while (auto message = reader.Next()) Handle(*std::move(message));
//   if (!reader.status().ok()) ...
//
// Tolerates what servers do: field names in any case, other fields, lines that
// end in a bare LF, and text that belongs to no message (a stray print, a
// message without a length), which is skipped up to the next
// `Content-Length:`. Not thread-safe.
class MessageReader {
 public:
  struct Limits {
    size_t header_bytes = 8 << 10;    // Of one header.
    size_t body_bytes = 64u << 20;    // Of one message.
    size_t garbage_bytes = 64 << 10;  // Skipped in a row before giving up.
  };

  MessageReader() : MessageReader(Limits()) {}
  explicit MessageReader(const Limits& limits) : limits_(limits) {}

  // Where to put the next bytes of the stream, and how many of them came. The
  // space is never empty and valid until the next call of anything here.
  absl::Span<char> Space();
  void Commit(size_t count);

  // Space() and Commit() for bytes that are somewhere already.
  void Feed(absl::string_view bytes);

  // The next complete body, or nothing yet. Nothing ever again once status()
  // is an error.
  std::optional<std::string> Next();

  // kResourceExhausted: a header or a body is larger than allowed.
  // kInvalidArgument:   too much in a row that belongs to no message.
  const absl::Status& status() const { return status_; }

  // How much was skipped because it belonged to no message.
  int64_t skipped_bytes() const { return skipped_bytes_; }

  // True between messages: the end of the stream here cuts nothing off.
  bool IsAtBoundary() const;

 private:
  bool ReadHeader();
  bool ReadLine(absl::string_view* line);
  void TakeLine(absl::string_view line, size_t size);
  void Skip(size_t count);
  void StartBody();
  void FillBody();

  const Limits limits_;
  absl::Status status_;
  int64_t skipped_bytes_ = 0;
  size_t garbage_in_a_row_ = 0;

  std::string buffer_;  // Bytes [begin_, end_) are not looked at yet.
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t searched_ = 0;  // No line end in so many bytes after begin_.

  // The header that is being read.
  size_t header_bytes_ = 0;
  std::optional<size_t> content_length_;

  // The body that is being read; body_end_ bytes of it are here.
  bool is_in_body_ = false;
  std::string body_;
  size_t body_end_ = 0;
};

// "Content-Length: 17\r\n\r\n"
std::string MessageHeader(size_t body_bytes);

}  // namespace banyan::lspd

#endif  // LSPD_TRANSPORT_MESSAGE_FRAMING_H_
