// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_FILE_PROPOSALS_H_
#define LSPD_WORKSPACE_FILE_PROPOSALS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/workspace/git_repository.h"
#include "lspd/workspace/program_run.h"
#include "lspd/workspace/root_directory.h"
#include "lspd/workspace/search_places.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

enum class Breadth {
  kAsGit,        // What git does not ignore; hidden files too.
  kWithIgnored,  // Ignored files too.
  kEverything,   // Binary files too.
};

// What of a tree is looked at.
struct SearchScope {
  std::string relative_path;  // Clean, links resolved; "" = the root.
  Breadth breadth = Breadth::kAsGit;
  std::vector<std::string> name_globs;  // As Glob; none = every name.
};

// What ripgrep said.
struct Proposals {
  std::string output;
  std::string errors;
  ProgramEnd end = ProgramEnd::kExited;
  int exit_code = 1;  // 0 something, 1 nothing, 2 a fault, perhaps of one file.
  int64_t unreadable = 0;  // Files and folders that it could not open.
  // git did not answer, and ripgrep judged by itself: some may be missing.
  bool is_git_unknown = false;
};

struct ProposedFiles {
  std::vector<std::string> files;  // Relative to the root, sorted.
  std::vector<std::string> links;  // Known to git; a walk passes by them.
  ProgramEnd end = ProgramEnd::kExited;
  int64_t unreadable = 0;
  bool is_git_unknown = false;
};

// Runs ripgrep over one root. As git: what it looks at is what git lists,
// tracked or not ignored (every .gitignore from the repository's top down and
// info/exclude; no global and no .ignore file; nothing of a repository inside).
// Without a repository ripgrep walks, by the .gitignore files beneath the root.
// What comes back is a proposal by a program that follows paths, not
// descriptors: open each file through RootDirectory before a word of it is
// believed.
//
// Errors of all: SERVER_MISSING (no ripgrep), DEADLINE or CANCELLED while
// waiting for one of the places. Thread-safe.
class FileProposals {
 public:
  struct Options {
    std::string ripgrep = "rg";  // Looked up on PATH.
    int max_parallel = 4;        // Runs at once; others wait.
    size_t max_output_bytes = 64 << 20;
    absl::Duration git_limit = absl::Seconds(10);
  };

  // `root` must outlive this.
  FileProposals(const RootDirectory& root,
                std::optional<GitRepository> repository, Options options);

  // The scope of a path that anybody may have named.
  //   those of RootDirectory; NOT_A_FILE  neither a file nor a folder
  absl::StatusOr<SearchScope> ScopeOf(absl::string_view relative_path,
                                      Breadth breadth) const;

  // `arguments` say what to look for, a pattern behind -e.
  absl::StatusOr<Proposals> Run(const std::vector<std::string>& arguments,
                                const SearchScope& scope,
                                const rpc::CallContext& call);

  // The files in which Run(arguments) finds something.
  absl::StatusOr<ProposedFiles> FilesMatching(
      std::vector<std::string> arguments, const SearchScope& scope,
      const rpc::CallContext& call);

  // Every file.
  absl::StatusOr<ProposedFiles> Files(const SearchScope& scope,
                                      const rpc::CallContext& call);

  // Those of `paths` that git ignores. None without a repository.
  std::vector<std::string> Ignored(const std::vector<std::string>& paths,
                                   const rpc::CallContext& call) const;

  // The tracked files that a rule names all the same. Nothing when git did not
  // say; none without a repository.
  std::optional<std::vector<std::string>> TrackedThoughIgnored(
      const rpc::CallContext& call) const;

  const std::optional<GitRepository>& repository() const { return repository_; }

 private:
  absl::StatusOr<ProgramResult> RunRipgrep(
      const std::vector<std::string>& arguments, const SearchScope& scope,
      const std::vector<std::string>& paths, const rpc::CallContext& call);
  absl::StatusOr<ProposedFiles> Walk(const SearchScope& scope,
                                     const rpc::CallContext& call);
  // Nothing when there is no repository, or git did not say.
  std::optional<ProposedFiles> AskGit(const SearchScope& scope,
                                      const rpc::CallContext& call) const;
  bool asks_git(const SearchScope& scope) const;
  rpc::CallContext GitCall(const rpc::CallContext& call) const;

  const RootDirectory& root_;
  const std::optional<GitRepository> repository_;
  const Options options_;
  SearchPlaces places_;
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_FILE_PROPOSALS_H_
