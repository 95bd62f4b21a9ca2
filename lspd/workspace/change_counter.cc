// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/change_counter.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lspd/workspace/change_history.h"
#include "lspd/workspace/folder_watches.h"

namespace banyan::lspd {
namespace {

// The name under which the watches know the repository's own folder. No tool
// ever sees a folder of that name.
constexpr char kGitFolder[] = ".git";

// For asking git and ripgrep; past it, what they would have said is unknown.
constexpr absl::Duration kPatience = absl::Seconds(20);

constexpr size_t kMaxRememberedVerdicts = 100'000;

std::string Join(absl::string_view folder, absl::string_view name) {
  return folder.empty() ? std::string(name) : absl::StrCat(folder, "/", name);
}

absl::string_view ParentOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? "" : path.substr(0, slash);
}

rpc::CallContext Patiently() {
  rpc::CallContext call;
  call.deadline = absl::Now() + kPatience;
  return call;
}

// What tells whether a file of the repository's folder was replaced.
std::string StampOf(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return "";
  return absl::StrCat(info.st_ino, " ", info.st_size, " ", info.st_mtim.tv_sec,
                      " ", info.st_mtim.tv_nsec);
}

ChangeKind KindOf(FolderNotice::Kind kind) {
  switch (kind) {
    case FolderNotice::Kind::kCreated:
      return ChangeKind::kCreated;
    case FolderNotice::Kind::kDeleted:
      return ChangeKind::kDeleted;
    default:
      return ChangeKind::kChanged;
  }
}

class TreeChangeCounter : public ChangeCounter {
 public:
  TreeChangeCounter(const RootDirectory& root, FileProposals& proposals,
                    Options options)
      : root_(root),
        proposals_(proposals),
        options_(std::move(options)),
        history_(options_.remembered_changes) {}

  uint64_t Read() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    BringUpToDate();
    return history_.count();
  }

  FileChanges ChangesSince(uint64_t count) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    BringUpToDate();
    return history_.Since(count);
  }

  void NoteOwnWrite(absl::string_view relative_path, ChangeKind kind) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    history_.Note(std::string(relative_path), kind);
  }

  bool has_notices() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return watches_ != nullptr;
  }

 private:
  // All with mutex_ held.

  void BringUpToDate() {
    if (!is_started_) {
      is_started_ = true;
      StartNotices();
    } else if (watches_ != nullptr) {
      TakeNotices();
      if (must_start_again_) StartNotices();
    }
    if (watches_ == nullptr) SweepWhenDue();
  }

  // Watches the whole tree anew; on failure there are no watches.
  void StartNotices() {
    must_start_again_ = false;
    verdicts_.clear();
    watches_ =
        options_.may_use_notices ? FolderWatches::Create(root_) : nullptr;
    if (watches_ == nullptr) return;
    ReadTrackedThoughIgnored();
    std::vector<std::string> folders = {""};
    for (const std::string& file : tracked_ignored_) {
      folders.emplace_back(ParentOf(file));
    }
    WatchBeneath(std::move(folders), nullptr);
    if (watches_ != nullptr && proposals_.repository().has_value()) {
      watches_->AddOutside(proposals_.repository()->git_dir(), kGitFolder);
    }
  }

  // Watches `folders` and all beneath that git does not ignore. A watch stands
  // before its folder is read, so nothing new is missed. Files go to `found`.
  void WatchBeneath(std::vector<std::string> folders,
                    std::vector<std::string>* found) {
    while (!folders.empty()) {
      std::vector<std::string> next;
      for (const std::string& folder : folders) {
        if (watches_->Add(folder) == FolderWatches::Added::kNotTrusted ||
            watches_->size() > options_.max_watches) {
          watches_ = nullptr;
          return;
        }
        const absl::StatusOr<std::vector<DirectoryEntry>> entries =
            root_.ListDirectory(folder);
        if (!entries.ok()) continue;
        for (const DirectoryEntry& entry : *entries) {
          const bool is_folder =
              entry.kind == FileKind::kDirectory && !entry.is_link;
          if (is_folder) {
            next.push_back(Join(folder, entry.name));
          } else if (found != nullptr) {
            found->push_back(Join(folder, entry.name));
          }
        }
      }
      DropIgnored(&next);
      folders = std::move(next);
    }
  }

  void TakeNotices() {
    using Kind = FolderNotice::Kind;
    std::map<std::string, ChangeKind> changed;
    std::vector<std::string> new_folders;
    for (const FolderNotice& notice : watches_->Take()) {
      if (notice.kind == Kind::kLost || notice.kind == Kind::kFolderMoved) {
        must_start_again_ = true;
      } else if (notice.folder == kGitFolder) {
        NoteGitChange(notice.name);
      } else if (notice.kind == Kind::kFolderCreated) {
        if (notice.name != kGitFolder) {
          new_folders.push_back(Join(notice.folder, notice.name));
        }
      } else {
        const ChangeKind kind = KindOf(notice.kind);
        const auto [known, is_new] =
            changed.emplace(Join(notice.folder, notice.name), kind);
        if (!is_new) known->second = Joined(known->second, kind);
        if (notice.name == ".gitignore") must_start_again_ = true;
      }
    }
    if (must_start_again_) {
      history_.Forget();
      return;
    }
    DropIgnored(&new_folders);
    std::vector<std::string> found;
    if (!new_folders.empty()) {
      history_.Move();
      WatchBeneath(std::move(new_folders), &found);
    }
    for (std::string& file : found) {
      changed.emplace(std::move(file), ChangeKind::kCreated);
    }
    std::vector<std::string> paths;
    for (const auto& [path, kind] : changed) paths.push_back(path);
    DropIgnored(&paths);
    for (const std::string& path : paths) {
      ChangeKind kind = changed[path];
      // Two files that change places are reported as come and then gone.
      if (kind == ChangeKind::kDeleted && root_.Stat(path).ok()) {
        kind = ChangeKind::kChanged;
      }
      history_.Note(path, kind);
    }
  }

  void NoteGitChange(absl::string_view name) {
    if (name != "HEAD" && name != "index") return;
    history_.Move();
    // Another index, other tracked files.
    if (name == "index") ReadTrackedThoughIgnored();
  }

  void ReadTrackedThoughIgnored() {
    std::optional<std::vector<std::string>> tracked =
        proposals_.TrackedThoughIgnored(Patiently());
    tracked_ignored_.clear();
    if (!tracked.has_value()) return;
    tracked_ignored_.insert(tracked->begin(), tracked->end());
  }

  // Asks git once per path.
  void DropIgnored(std::vector<std::string>* paths) {
    std::vector<std::string> unknown;
    for (const std::string& path : *paths) {
      if (!verdicts_.contains(path)) unknown.push_back(path);
    }
    if (verdicts_.size() > kMaxRememberedVerdicts) verdicts_.clear();
    const std::vector<std::string> ignored =
        proposals_.Ignored(unknown, Patiently());
    for (const std::string& path : unknown) verdicts_[path] = false;
    for (const std::string& path : ignored) verdicts_[path] = true;
    paths->erase(std::remove_if(paths->begin(), paths->end(),
                                [this](const std::string& path) {
                                  const auto verdict = verdicts_.find(path);
                                  return verdict != verdicts_.end() &&
                                         verdict->second &&
                                         !tracked_ignored_.contains(path);
                                }),
                 paths->end());
  }

  void SweepWhenDue() {
    const absl::Time now = options_.now ? options_.now() : absl::Now();
    if (now < next_sweep_) return;
    next_sweep_ = now + options_.sweep_interval;
    const absl::StatusOr<ProposedFiles> files =
        proposals_.Files({}, Patiently());
    if (!files.ok() || files->end != ProgramEnd::kExited) {
      history_.Forget();
      return;
    }
    std::map<std::string, FileState> states;
    for (const std::string& file : files->files) {
      const absl::StatusOr<FileState> state = root_.Stat(file);
      if (state.ok()) states.emplace(file, *state);
    }
    std::string git_stamp;
    if (proposals_.repository().has_value()) {
      const std::string& git_dir = proposals_.repository()->git_dir();
      git_stamp = absl::StrCat(StampOf(git_dir + "/HEAD"), "; ",
                               StampOf(git_dir + "/index"));
    }
    if (has_swept_) NoteDifferences(states, git_stamp);
    has_swept_ = true;
    states_ = std::move(states);
    git_stamp_ = std::move(git_stamp);
  }

  void NoteDifferences(const std::map<std::string, FileState>& states,
                       const std::string& git_stamp) {
    for (const auto& [path, state] : states) {
      const auto before = states_.find(path);
      if (before == states_.end()) {
        history_.Note(path, ChangeKind::kCreated);
      } else if (before->second != state) {
        history_.Note(path, ChangeKind::kChanged);
      }
    }
    for (const auto& [path, state] : states_) {
      if (states.find(path) == states.end()) {
        history_.Note(path, ChangeKind::kDeleted);
      }
    }
    if (git_stamp != git_stamp_) history_.Move();
  }

  const RootDirectory& root_;
  FileProposals& proposals_;
  const Options options_;

  mutable std::mutex mutex_;
  // Everything below: guarded by mutex_.
  ChangeHistory history_;
  bool is_started_ = false;
  bool must_start_again_ = false;
  std::unique_ptr<FolderWatches> watches_;  // Null: sweeps.
  absl::flat_hash_set<std::string> tracked_ignored_;
  absl::flat_hash_map<std::string, bool> verdicts_;  // git ignores this path.

  absl::Time next_sweep_ = absl::InfinitePast();
  bool has_swept_ = false;
  std::map<std::string, FileState> states_;
  std::string git_stamp_;
};

}  // namespace

std::unique_ptr<ChangeCounter> NewChangeCounter(
    const RootDirectory& root, FileProposals& proposals,
    ChangeCounter::Options options) {
  return std::make_unique<TreeChangeCounter>(root, proposals,
                                             std::move(options));
}

}  // namespace banyan::lspd
