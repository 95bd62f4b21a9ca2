// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/root_edits.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "absl/time/clock.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(50);

lsp::v1::FileChangeKind KindOf(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kCreated:
      return lsp::v1::FILE_CHANGE_KIND_CREATED;
    case ChangeKind::kDeleted:
      return lsp::v1::FILE_CHANGE_KIND_DELETED;
    case ChangeKind::kChanged:
      break;
  }
  return lsp::v1::FILE_CHANGE_KIND_CHANGED;
}

absl::Status GivenUp(const rpc::CallContext& call) {
  if (call.is_cancelled()) {
    return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED,
                      "The call was cancelled; nothing was changed.");
  }
  return rpc::Error(rpc::v1::ERROR_REASON_DEADLINE,
                    "Other edits of this workspace took all the time of this "
                    "call; nothing was changed. Try again.");
}

}  // namespace

WriteTurn::~WriteTurn() {
  if (edits_ != nullptr) edits_->EndTurn();
}

std::shared_ptr<RootEdits> RootEdits::Of(const Workspace& workspace) {
  return workspace.State<RootEdits>(
      [] { return std::make_shared<RootEdits>(Options{}); });
}

absl::StatusOr<WriteTurn> RootEdits::AwaitTurn(const rpc::CallContext& call) {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t ticket = next_ticket_++;
  waiting_.push_back(ticket);
  while (waiting_.front() != ticket) {
    turn_ended_.wait_for(lock, kPoll);
    if (!call.IsOver()) continue;
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), ticket));
    turn_ended_.notify_all();
    return GivenUp(call);
  }
  return WriteTurn(this);
}

void RootEdits::EndTurn() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.pop_front();
  }
  turn_ended_.notify_all();
}

bool RootEdits::is_writing() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !waiting_.empty();
}

std::optional<lsp::v1::ApplyEditResponse> RootEdits::FindRepeat(
    absl::string_view handle_hash, absl::string_view digest,
    absl::Time now) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found =
      repeats_.find({std::string(handle_hash), std::string(digest)});
  if (found == repeats_.end() ||
      now - found->second.at > options_.repeat_window) {
    return std::nullopt;
  }
  return found->second.response;
}

void RootEdits::KeepForRepeat(absl::string_view handle_hash,
                              absl::string_view digest, absl::Time now,
                              lsp::v1::ApplyEditResponse response) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (repeats_.size() >= options_.max_repeats) {
    for (auto each = repeats_.begin(); each != repeats_.end();) {
      const bool is_old = now - each->second.at > options_.repeat_window;
      each = is_old ? repeats_.erase(each) : std::next(each);
    }
    if (repeats_.size() >= options_.max_repeats) repeats_.clear();
  }
  repeats_[{std::string(handle_hash), std::string(digest)}] = {
      .at = now, .response = std::move(response)};
}

void RootEdits::Watch(const Workspace& workspace) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (seen_count_) return;
  }
  const uint64_t count = workspace.changes().Read();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!seen_count_) seen_count_ = count;
}

void RootEdits::NoteActivity(FileActivity activity) {
  const std::lock_guard<std::mutex> lock(mutex_);
  activity_.push_front(std::move(activity));
  if (activity_.size() > options_.max_activity) activity_.pop_back();
}

std::vector<FileActivity> RootEdits::Activity(const Workspace& workspace,
                                              absl::Time since) {
  const uint64_t now_count = workspace.changes().Read();
  uint64_t from = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    from = seen_count_.value_or(ChangeCounter::kBeginning);
    seen_count_ = now_count;
  }
  const FileChanges changes = workspace.changes().ChangesSince(from);
  for (const auto& change : changes.changes) {
    NoteOutside(workspace, change.relative_path, KindOf(change.kind));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<FileActivity> recent;
  for (const FileActivity& each : activity_) {
    if (each.at >= since) recent.push_back(each);
  }
  std::stable_sort(
      recent.begin(), recent.end(),
      [](const FileActivity& a, const FileActivity& b) { return a.at > b.at; });
  return recent;
}

void RootEdits::NoteOutside(const Workspace& workspace, const std::string& path,
                            lsp::v1::FileChangeKind kind) {
  FileActivity activity{.path = path, .kind = kind, .at = absl::Now()};
  const absl::StatusOr<FileContent> content = workspace.root().ReadFile(path);
  if (content.ok()) {
    activity.hash = content->hash;
    activity.at = absl::FromUnixNanos(content->state.modified_ns);
  } else if (kind != lsp::v1::FILE_CHANGE_KIND_DELETED) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const FileActivity& known : activity_) {
    if (known.path != path) continue;
    // What we wrote, or told before.
    if (known.hash == activity.hash) return;
    break;
  }
  activity_.push_front(std::move(activity));
  if (activity_.size() > options_.max_activity) activity_.pop_back();
}

void RootEdits::NoteUnsettled(const std::vector<std::string>& paths) {
  const std::lock_guard<std::mutex> lock(mutex_);
  unsettled_.insert(unsettled_.end(), paths.begin(), paths.end());
}

std::vector<std::string> RootEdits::unsettled() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return unsettled_;
}

}  // namespace banyan::lspd
