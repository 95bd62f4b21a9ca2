// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_FILE_LIST_H_
#define LSPD_WORKSPACE_FILE_LIST_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/lsp/v1/completeness.pb.h"
#include "lspd/workspace/file_proposals.h"
#include "lspd/workspace/root_directory.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

struct Listing {
  std::vector<std::string> directories;  // Relative to the root, sorted.
  std::vector<std::string>
      files;  // Links that lead nowhere or out are files, as in git.
  std::vector<lsp::v1::Incompleteness> incomplete;
};

// Which files there are. Names that are not UTF-8 cannot be asked for and are
// counted as files_not_searched.
//
// Errors: those of RootDirectory; DEADLINE, CANCELLED, SERVER_MISSING as
// TextSearch. Thread-safe.
class FileList {
 public:
  struct Options {
    size_t max_entries = 100'000;  // Then `result_cap`.
  };

  // Both must outlive this.
  FileList(const RootDirectory& root, FileProposals& proposals,
           Options options);

  // Does not go into links while it recurses.
  absl::StatusOr<Listing> ListDirectory(absl::string_view relative_path,
                                        bool is_recursive,
                                        bool skip_ignored_files,
                                        const rpc::CallContext& call) const;

  // `file_mask` is a glob on the name, or on the path (from the root or from
  // `relative_path`) if it has a slash. Ignored files are left out; when only
  // they fit, the answer says how many.
  //   PATTERN_INVALID
  absl::StatusOr<Listing> FindFiles(absl::string_view file_mask,
                                    absl::string_view relative_path,
                                    const rpc::CallContext& call) const;

  // Every file that git does not ignore, beneath `relative_path`.
  absl::StatusOr<Listing> AllFiles(absl::string_view relative_path,
                                   const rpc::CallContext& call) const;

 private:
  absl::StatusOr<Listing> Walk(const std::string& folder, bool is_recursive,
                               const rpc::CallContext& call) const;
  // What is proposed, fits and is there.
  absl::StatusOr<Listing> Proposed(
      const SearchScope& scope,
      const std::function<bool(const std::string&)>& fits,
      const rpc::CallContext& call) const;
  // The links in `folder` and in the folders of `files`.
  std::vector<std::string> LinksBeside(const std::vector<std::string>& files,
                                       const std::string& folder) const;

  const RootDirectory& root_;
  FileProposals& proposals_;
  const Options options_;
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_FILE_LIST_H_
