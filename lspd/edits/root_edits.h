// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_EDITS_ROOT_EDITS_H_
#define LSPD_EDITS_ROOT_EDITS_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/lsp/v1/edit_service.pb.h"
#include "lspd/workspace/workspace.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

class RootEdits;

// The right to write to one root, given back at the end. Must not outlive its
// RootEdits. Move-only.
class WriteTurn {
 public:
  WriteTurn(WriteTurn&& other) noexcept
      : edits_(std::exchange(other.edits_, nullptr)) {}
  WriteTurn& operator=(WriteTurn&&) = delete;
  ~WriteTurn();

 private:
  friend class RootEdits;
  explicit WriteTurn(RootEdits* edits) : edits_(edits) {}

  RootEdits* edits_;
};

// Somebody changed a file.
struct FileActivity {
  std::string path;
  lsp::v1::FileChangeKind kind = lsp::v1::FILE_CHANGE_KIND_CHANGED;
  std::string session_public_id;  // Empty: not through these tools.
  std::string handle_hash;
  std::string transaction;
  absl::Time at;
  std::string hash;  // Empty: gone, or not read.
};

// What edits of one root share: whose turn it is, what was done lately, and
// what came of a call that may be made again.
//
// Thread-safe. Lives as long as its Workspace.
class RootEdits {
 public:
  struct Options {
    absl::Duration repeat_window = absl::Minutes(10);
    size_t max_repeats = 1'000;
    size_t max_activity = 2'000;
  };

  static std::shared_ptr<RootEdits> Of(const Workspace& workspace);

  explicit RootEdits(Options options) : options_(options) {}

  // Writers of one root go one by one, in the order in which they came.
  //   DEADLINE, CANCELLED
  absl::StatusOr<WriteTurn> AwaitTurn(const rpc::CallContext& call);
  bool is_writing() const;

  // What the same call (by its digest) of the same handle answered lately.
  std::optional<lsp::v1::ApplyEditResponse> FindRepeat(
      absl::string_view handle_hash, absl::string_view digest,
      absl::Time now) const;
  void KeepForRepeat(absl::string_view handle_hash, absl::string_view digest,
                     absl::Time now, lsp::v1::ApplyEditResponse response);

  // From here on changes from outside are noticed; does nothing when they are.
  void Watch(const Workspace& workspace);

  void NoteActivity(FileActivity activity);

  // Looks for changes that were not made through these tools, then returns all
  // since a time, newest first.
  std::vector<FileActivity> Activity(const Workspace& workspace,
                                     absl::Time since);

  // Files that recovery could not settle.
  void NoteUnsettled(const std::vector<std::string>& paths);
  std::vector<std::string> unsettled() const;

 private:
  friend class WriteTurn;

  struct Repeat {
    absl::Time at;
    lsp::v1::ApplyEditResponse response;
  };
  using RepeatKey = std::pair<std::string, std::string>;

  void EndTurn();
  void NoteOutside(const Workspace& workspace, const std::string& path,
                   lsp::v1::FileChangeKind kind);

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable turn_ended_;
  // All guarded by mutex_.
  uint64_t next_ticket_ = 0;
  std::deque<uint64_t> waiting_;  // Tickets; the first one writes.
  std::map<RepeatKey, Repeat> repeats_;
  std::deque<FileActivity> activity_;   // Newest first.
  std::optional<uint64_t> seen_count_;  // Of the change counter.
  std::vector<std::string> unsettled_;
};

}  // namespace banyan::lspd

#endif  // LSPD_EDITS_ROOT_EDITS_H_
