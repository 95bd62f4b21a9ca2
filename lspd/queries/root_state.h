// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_ROOT_STATE_H_
#define LSPD_QUERIES_ROOT_STATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/workspace/root_directory.h"
#include "lspd/workspace/text_search.h"
#include "lspd/workspace/workspace.h"

namespace banyan::lspd {

// What questions about one root remember for the next question. Nothing here is
// believed without a look at the disk or at the root's change counter.
//
// Thread-safe. Lives as long as its Workspace.
class RootState {
 public:
  static std::shared_ptr<RootState> Of(const Workspace& workspace);

  // The change counter, read through here so that changes of headers are seen:
  // what C and C++ files mean depends on them.
  uint64_t ReadCounter(ChangeCounter& changes);
  uint64_t header_generation() const;

  // What the same search found last, and at which count.
  struct KnownWord {
    uint64_t count = 0;
    WordResult result;
  };
  std::optional<KnownWord> FindWord(const WordQuery& query) const;
  void KeepWord(const WordQuery& query, uint64_t count, WordResult result);

  // The hash of a file that still looks as it did when it was read.
  std::optional<std::string> HashOf(const std::string& relative_path,
                                    const FileState& state) const;
  // A file changed so shortly before `read_at` that a second change could look
  // the same is not remembered.
  void KeepHash(const std::string& relative_path, const FileState& state,
                const std::string& hash, absl::Time read_at);

  // How far one server generation has been told of changes. Hold the mutex
  // while telling, so that two questions do not tell twice.
  struct SyncPoint {
    std::mutex mutex;
    int64_t generation = -1;                     // Guarded by mutex.
    uint64_t count = ChangeCounter::kBeginning;  // Guarded by mutex.
  };
  std::shared_ptr<SyncPoint> SyncPointOf(const std::string& language);

 private:
  using WordKey =
      std::tuple<std::string, bool, std::string, std::vector<std::string>>;
  struct Known {
    FileState state;
    std::string hash;
  };

  RootState() = default;
  static WordKey KeyOf(const WordQuery& query);

  mutable std::mutex mutex_;
  uint64_t observed_count_ = ChangeCounter::kBeginning;  // Guarded by mutex_.
  uint64_t header_generation_ = 0;                       // Guarded by mutex_.
  std::map<WordKey, KnownWord> words_;                   // Guarded by mutex_.
  std::unordered_map<std::string, Known> known_;         // Guarded by mutex_.
  std::map<std::string, std::shared_ptr<SyncPoint>>
      sync_points_;  // Guarded by mutex_.
};

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_ROOT_STATE_H_
