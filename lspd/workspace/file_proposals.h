// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_FILE_PROPOSALS_H_
#define LSPD_WORKSPACE_FILE_PROPOSALS_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/workspace/git_repository.h"
#include "lspd/workspace/program_run.h"
#include "lspd/workspace/root_directory.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// Runs ripgrep over one root so that it passes by what git passes by: every
// .gitignore from the repository's top down and info/exclude, no global or
// .ignore file; tracked files count though a rule names them. What comes back
// is a proposal by a program that follows paths, not descriptors: open each
// file through RootDirectory before a word of it is believed.
//
// Thread-safe.
class FileProposals {
 public:
  struct Options {
    std::string ripgrep = "rg";  // Looked up on PATH.
    size_t max_output_bytes = 64 << 20;
    absl::Duration git_limit = absl::Seconds(10);
  };

  // What of a tree is looked at.
  struct Scope {
    std::string relative_path;  // Clean, links resolved; "" = the root.
    bool include_ignored = false;
    std::vector<std::string> name_globs;  // None = every name.
  };

  // `root` must outlive this. No repository: .gitignore files beneath the root
  // are all there is.
  FileProposals(const RootDirectory& root,
                std::optional<GitRepository> repository, Options options);

  // Runs `rg` with our ignore rules, `arguments`, and the scope. The pattern,
  // if any, is in `arguments` behind -e.
  //   SERVER_MISSING  no ripgrep
  absl::StatusOr<ProgramResult> Run(const std::vector<std::string>& arguments,
                                    const Scope& scope,
                                    const rpc::CallContext& call);

  // Every file of the scope, relative to the root, sorted. Unverified.
  absl::StatusOr<std::vector<std::string>> Files(const Scope& scope,
                                                 const rpc::CallContext& call);

  // Those of `paths` that git would pass by. None without a repository.
  std::vector<std::string> Ignored(const std::vector<std::string>& paths,
                                   const rpc::CallContext& call);

  const std::optional<GitRepository>& repository() const { return repository_; }

 private:
  std::vector<std::string> TrackedThoughIgnored(const rpc::CallContext& call);

  const RootDirectory& root_;
  const std::optional<GitRepository> repository_;
  const Options options_;
  std::mutex mutex_;
  std::string index_stamp_;  // Guarded by mutex_.
  std::vector<std::string>
      tracked_ignored_;  // Guarded by mutex_. As of index_stamp_.
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_FILE_PROPOSALS_H_
