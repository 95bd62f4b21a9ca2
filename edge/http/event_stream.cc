// SPDX-License-Identifier: Apache-2.0
#include "edge/http/event_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "edge/http/response_text.h"

namespace banyan::edge {
namespace {

constexpr char kLineBreaks[] = "\r\n";

// One event of the HTML standard's "Server-sent events".
std::string EventText(absl::string_view id, absl::string_view data) {
  std::string text = "event: message\n";
  // An id ends at its line; data goes on in the next.
  id = id.substr(0, id.find_first_of(kLineBreaks));
  if (!id.empty()) absl::StrAppend(&text, "id: ", id, "\n");
  for (const absl::string_view line :
       absl::StrSplit(data, absl::ByAnyChar(kLineBreaks))) {
    absl::StrAppend(&text, "data: ", line, "\n");
  }
  return text + "\n";
}

}  // namespace

EventStream::EventStream(Options options,
                         std::function<bool(absl::string_view)> write)
    : options_(std::move(options)), write_(std::move(write)) {}

bool EventStream::Open() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return OpenLocked();
}

bool EventStream::Send(absl::string_view id, absl::string_view data) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return SendLocked(id, data);
}

bool EventStream::is_open() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_open_;
}

bool EventStream::Finish(absl::string_view last) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!last.empty()) SendLocked("", last);
  is_finished_ = true;
  if (options_.is_chunked && !is_broken_) is_broken_ = !write_("0\r\n\r\n");
  return !is_broken_;
}

bool EventStream::OpenLocked() {
  if (is_finished_ || is_broken_) return false;
  if (is_open_) return true;
  is_open_ = true;
  is_broken_ = !write_(EventStreamHead(options_.headers, options_.is_chunked,
                                       options_.keep_alive));
  return !is_broken_;
}

bool EventStream::SendLocked(absl::string_view id, absl::string_view data) {
  return OpenLocked() && WriteLocked(EventText(id, data));
}

bool EventStream::WriteLocked(absl::string_view bytes) {
  is_broken_ = options_.is_chunked
                   ? !write_(absl::StrCat(absl::Hex(bytes.size()), "\r\n",
                                          bytes, "\r\n"))
                   : !write_(bytes);
  return !is_broken_;
}

}  // namespace banyan::edge
