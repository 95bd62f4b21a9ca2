// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_WORKSPACE_H_
#define LSPD_WORKSPACE_WORKSPACE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/completeness.pb.h"
#include "lspd/workspace/change_counter.h"
#include "lspd/workspace/file_list.h"
#include "lspd/workspace/file_proposals.h"
#include "lspd/workspace/git_repository.h"
#include "lspd/workspace/root_directory.h"
#include "lspd/workspace/text_search.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// One root that this process owns, and all that is known of it. Everybody who
// works on the root shares the one Workspace; whoever holds the pointer may go
// on with it, though the registry has closed it.
//
// Thread-safe.
class Workspace {
 public:
  struct FileCounts {
    // By ending: {".cc": 12, "Makefile": 1}; in lower case, a name without a
    // dot counts as itself.
    std::map<std::string, int> endings;
    std::vector<lsp::v1::Incompleteness> incomplete;
  };

  struct Options {
    RootDirectory::Options root;
    FileProposals::Options proposals;
    TextSearch::Options text;
    FileList::Options files;
    ChangeCounter::Options changes;
  };

  // `highest` is where the search for a repository ends (absolute).
  Workspace(std::shared_ptr<RootDirectory> root, const std::string& highest,
            int64_t lease_epoch, Options options);
  ~Workspace();

  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const RootDirectory& root() const { return *root_; }
  const TextSearch& text() const { return text_; }
  const FileList& files() const { return files_; }
  ChangeCounter& changes() const { return *changes_; }
  const std::optional<GitRepository>& repository() const {
    return proposals_.repository();
  }
  int64_t lease_epoch() const { return lease_epoch_; }

  // What kinds of files there are. Kept until the tree changes.
  absl::StatusOr<FileCounts> ExtensionCounts(
      const rpc::CallContext& call) const;

  // State of other layers that lives and dies with the root: one object per
  // type, made at the first call. `make` must not come back here.
  //
  //   auto cache = workspace.State<SymbolCache>([] { return
  //   std::make_shared<SymbolCache>(); });
  template <typename T>
  std::shared_ptr<T> State(
      const std::function<std::shared_ptr<T>()>& make) const {
    return std::static_pointer_cast<T>(
        StateOf(std::type_index(typeid(T)),
                [&make]() -> std::shared_ptr<void> { return make(); }));
  }

 private:
  std::shared_ptr<void> StateOf(
      std::type_index type,
      const std::function<std::shared_ptr<void>()>& make) const;

  const std::shared_ptr<RootDirectory> root_;
  const int64_t lease_epoch_;
  mutable FileProposals proposals_;
  const TextSearch text_;
  const FileList files_;
  const std::unique_ptr<ChangeCounter> changes_;

  mutable std::mutex mutex_;
  mutable uint64_t counted_at_ = 0;  // Guarded by mutex_.
  mutable FileCounts counts_;        // Guarded by mutex_. As of counted_at_.

  mutable std::mutex state_mutex_;
  // Guarded by state_mutex_.
  mutable std::map<std::type_index, std::shared_ptr<void>> states_;
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_WORKSPACE_H_
