// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/root_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMostWords = 128;
constexpr size_t kMostFilesOfWord = 5'000;
constexpr size_t kMostHashes = 100'000;
// The clock that stamps files is coarser than the one we read.
constexpr absl::Duration kStampGrain = absl::Milliseconds(50);

// Whose text other files include; and what says how they are compiled.
bool ChangesWhatOthersMean(absl::string_view relative_path) {
  const std::string path = absl::AsciiStrToLower(relative_path);
  for (const absl::string_view ending :
       {".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".tcc",
        ".tpp", ".def", "compile_commands.json", "compile_flags.txt",
        ".clangd"}) {
    if (absl::EndsWith(path, ending)) return true;
  }
  return false;
}

}  // namespace

RootState::WordKey RootState::KeyOf(const WordQuery& query) {
  return {query.word, query.is_whole_word, query.relative_path,
          query.name_globs};
}

std::shared_ptr<RootState> RootState::Of(const Workspace& workspace) {
  return workspace.State<RootState>(
      [] { return std::shared_ptr<RootState>(new RootState()); });
}

uint64_t RootState::ReadCounter(ChangeCounter& changes) {
  const uint64_t count = changes.Read();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (count == observed_count_) return count;
  const FileChanges since = changes.ChangesSince(observed_count_);
  bool is_header_changed = since.is_everything_unknown;
  for (const FileChange& change : since.changes) {
    is_header_changed |= ChangesWhatOthersMean(change.relative_path);
  }
  if (is_header_changed) ++header_generation_;
  observed_count_ = since.count;
  return count;
}

uint64_t RootState::header_generation() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return header_generation_;
}

std::optional<RootState::KnownWord> RootState::FindWord(
    const WordQuery& query) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = words_.find(KeyOf(query));
  if (found == words_.end()) return std::nullopt;
  return found->second;
}

void RootState::KeepWord(const WordQuery& query, uint64_t count,
                         WordResult result) {
  if (result.files.size() > kMostFilesOfWord) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (words_.size() >= kMostWords) words_.clear();
  words_[KeyOf(query)] = {.count = count, .result = std::move(result)};
}

std::optional<std::string> RootState::HashOf(const std::string& relative_path,
                                             const FileState& state) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = known_.find(relative_path);
  if (found == known_.end() || found->second.state != state) {
    return std::nullopt;
  }
  return found->second.hash;
}

void RootState::KeepHash(const std::string& relative_path,
                         const FileState& state, const std::string& hash,
                         absl::Time read_at) {
  const absl::Time modified =
      absl::FromUnixNanos(std::max(state.modified_ns, state.changed_ns));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (read_at - modified < kStampGrain) {
    known_.erase(relative_path);
    return;
  }
  if (known_.size() >= kMostHashes) known_.clear();
  known_[relative_path] = {.state = state, .hash = hash};
}

std::shared_ptr<RootState::SyncPoint> RootState::SyncPointOf(
    const std::string& language) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<SyncPoint>& point = sync_points_[language];
  if (point == nullptr) point = std::make_shared<SyncPoint>();
  return point;
}

}  // namespace banyan::lspd
