// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_GIT_REPOSITORY_H_
#define LSPD_WORKSPACE_GIT_REPOSITORY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/workspace/program_run.h"
#include "lspd/workspace/root_directory.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

struct GitHead {
  std::string branch;  // Empty when detached.
  std::string commit;  // Empty before the first one.
};

// The git repository that a root belongs to. Its folder is found as git finds
// it, but a `.git` file is believed only when what it names points back, else
// a file in one project could show another's branches.
//
// git itself is run so that nothing of the repository's configuration is
// executed: no hook, no monitor, no filter, no pager. Thread-safe.
class GitRepository {
 public:
  // Looks from the root upwards, never above `highest` (absolute, canonical).
  // Above the root a repository counts only when it belongs to the root's owner,
  // to us or to uid 0: anybody could have put one into /tmp.
  static std::optional<GitRepository> Find(const RootDirectory& root,
                                           absl::string_view highest);

  const std::string& top() const {
    return top_;
  }  // Of the work tree, absolute.
  const std::string& git_dir() const {
    return git_dir_;
  }  // Of this work tree: HEAD and index.
  const std::string& common_dir() const {
    return common_dir_;
  }  // Refs, info/exclude.

  // From files alone.
  GitHead ReadHead() const;

  // Changed and untracked files beneath the root; -1 when `call` ends first.
  int CountUncommitted(const RootDirectory& root,
                       const rpc::CallContext& call) const;

  // Runs git on this repository in the root's folder. `emptied` are
  // configuration keys to be set to nothing.
  //   kNotFound  git is not installed
  absl::StatusOr<ProgramResult> Run(
      const RootDirectory& root, const std::vector<std::string>& arguments,
      std::string input, const rpc::CallContext& call,
      const std::vector<std::string>& emptied = {}) const;

 private:
  GitRepository(std::string top, std::string git_dir);

  // Keys of the configuration that name programs to pass files through.
  absl::StatusOr<std::vector<std::string>> FilterKeys(
      const RootDirectory& root, const rpc::CallContext& call) const;

  std::string top_;
  std::string git_dir_;
  std::string common_dir_;
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_GIT_REPOSITORY_H_
