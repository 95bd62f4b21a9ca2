// SPDX-License-Identifier: Apache-2.0
#include "edge/http/event_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "edge/http/response_text.h"

namespace banyan::edge {
namespace {

constexpr char kLineBreaks[] = "\r\n";

// An id ends at its line.
absl::string_view OneLine(absl::string_view id) {
  return id.substr(0, id.find_first_of(kLineBreaks));
}

// One event of the HTML standard's "Server-sent events".
std::string EventText(absl::string_view id, absl::string_view data) {
  std::string text = "event: message\n";
  id = OneLine(id);
  if (!id.empty()) absl::StrAppend(&text, "id: ", id, "\n");
  for (const absl::string_view line :
       absl::StrSplit(data, absl::ByAnyChar(kLineBreaks))) {
    absl::StrAppend(&text, "data: ", line, "\n");
  }
  return text + "\n";
}

std::string Framed(absl::string_view text, bool is_chunked) {
  if (!is_chunked) return std::string(text);
  return absl::StrCat(absl::Hex(text.size()), "\r\n", text, "\r\n");
}

}  // namespace

bool EventStream::Open() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return OpenLocked(options_.keep_alive);
}

bool EventStream::OpenToStay() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stays_open_ = true;
  return OpenLocked(/*keep_alive=*/false);
}

bool EventStream::Send(absl::string_view id, absl::string_view data) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return SendLocked(EventText(id, data));
}

bool EventStream::Prime(absl::string_view id, absl::Duration retry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return SendLocked(absl::StrCat("id: ", OneLine(id),
                                 "\nretry: ", absl::ToInt64Milliseconds(retry),
                                 "\ndata: \n\n"));
}

void EventStream::Close(absl::string_view last) {
  std::function<void()> on_end;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // A server that stops does not wait for every client in turn.
    on_end = CloseLocked(
        last, has_left_ ? absl::ZeroDuration() : options_.write_timeout);
  }
  if (on_end) on_end();
}

void EventStream::CutOff() {
  std::function<void()> on_end;
  {
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return wire_.abort();
    on_end = CloseLocked("", absl::ZeroDuration());
  }
  if (on_end) on_end();
}

void EventStream::OnEnd(std::function<void()> on_end) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!has_ended_) {
      on_end_ = std::move(on_end);
      return;
    }
  }
  on_end();
}

bool EventStream::is_open() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_open_;
}

bool EventStream::stays_open() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stays_open_;
}

std::optional<std::string> EventStream::TakeEnd(absl::string_view last) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_broken_) return std::nullopt;
  return is_finished_ ? std::string() : EndTextLocked(last);
}

void EventStream::Leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  has_left_ = true;
  if (is_broken_) wire_.abort();
}

void EventStream::Comment(absl::Time quiet_since) {
  // Somebody is writing just now.
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !is_open_ || is_broken_) return;
  if (last_write_ > quiet_since) return;
  if (is_finished_) {
    // A client that has not closed its end by now never will.
    if (stays_open_) wire_.abort();
    return;
  }
  constexpr char kComment[] = ": keep-alive\n\n";
  if (!wire_.write(Framed(kComment, options_.is_chunked),
                   absl::ZeroDuration())) {
    is_broken_ = true;
    wire_.abort();
  }
  last_write_ = options_.now();
}

void EventStream::End() {
  wire_.abort();
  std::function<void()> on_end;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_broken_ = true;
    on_end = TakeOnEndLocked();
  }
  if (on_end) on_end();
}

bool EventStream::OpenLocked(bool keep_alive) {
  if (is_finished_ || is_broken_) return false;
  if (is_open_) return true;
  is_open_ = true;
  return WriteLocked(
      EventStreamHead(options_.headers, options_.is_chunked, keep_alive));
}

bool EventStream::SendLocked(absl::string_view text) {
  return OpenLocked(options_.keep_alive) &&
         WriteLocked(Framed(text, options_.is_chunked));
}

bool EventStream::WriteLocked(absl::string_view bytes) {
  return WriteLocked(bytes, has_left_ ? options_.stayed_write_timeout
                                      : options_.write_timeout);
}

bool EventStream::WriteLocked(absl::string_view bytes, absl::Duration timeout) {
  is_broken_ = !wire_.write(bytes, timeout);
  last_write_ = options_.now();
  // Nobody waits for this connection but its owner, who has to be told.
  if (is_broken_ && has_left_) wire_.abort();
  return !is_broken_;
}

std::string EventStream::EndTextLocked(absl::string_view last) {
  is_finished_ = true;
  std::string text;
  if (!last.empty()) text = Framed(EventText("", last), options_.is_chunked);
  if (options_.is_chunked) text += "0\r\n\r\n";
  return text;
}

// What has to run once the lock is free; may be null.
std::function<void()> EventStream::CloseLocked(absl::string_view last,
                                               absl::Duration timeout) {
  if (!is_open_ || is_finished_) return nullptr;
  const std::string end = EndTextLocked(last);
  if (!is_broken_ && !end.empty()) WriteLocked(end, timeout);
  if (!stays_open_) return nullptr;
  if (is_broken_) {
    wire_.abort();
  } else {
    wire_.end();
  }
  return TakeOnEndLocked();
}

std::function<void()> EventStream::TakeOnEndLocked() {
  has_ended_ = true;
  return std::exchange(on_end_, nullptr);
}

}  // namespace banyan::edge
