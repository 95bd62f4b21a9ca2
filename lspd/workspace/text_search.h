// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_TEXT_SEARCH_H_
#define LSPD_WORKSPACE_TEXT_SEARCH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/lsp/v1/completeness.pb.h"
#include "lspd/workspace/file_proposals.h"
#include "lspd/workspace/ripgrep_output.h"
#include "lspd/workspace/root_directory.h"
#include "lspd/workspace/text_blocks.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

struct TextQuery {
  std::string pattern;  // Of ripgrep's default engine.
  int context_lines_before = 0;
  int context_lines_after = 0;
  std::vector<std::string>
      include_globs;  // On the name, or the path if there is a slash.
  std::vector<std::string> exclude_globs;
  std::string relative_path;  // File or folder; "" = everywhere.
  bool is_multiline = false;
  bool is_case_insensitive = false;
  bool include_ignored_files = false;
};

struct TextHits {
  std::string relative_path;
  std::vector<TextBlock> blocks;
};

struct TextResult {
  std::vector<TextHits> files;  // By path.
  int64_t match_count = 0;
  std::vector<lsp::v1::Incompleteness> incomplete;
};

struct WordQuery {
  std::string word;           // Literal text.
  bool is_whole_word = true;  // Else anywhere inside a word.
  std::vector<std::string>
      name_globs;             // "*.cc", "Makefile"; none = every file.
  std::string relative_path;  // File or folder; "" = everywhere.
};

struct WordResult {
  std::vector<std::string> files;  // Relative to the root, sorted.
  // No file: files_not_searched tells of hits that only ignored or binary
  // files have. `deadline`: the list may lack some.
  std::vector<lsp::v1::Incompleteness> incomplete;
};

// Finds text beneath one root. ripgrep proposes, we read: each proposed file is
// opened through RootDirectory, and lines and text are taken from what was read
// there; what does not stand there is dropped. Ignored is what git ignores.
//
// Errors: those of RootDirectory for relative_path; and
//   PATTERN_INVALID  ripgrep's own words, or the pattern is too long
//   DEADLINE, CANCELLED  nothing is known yet
//   SERVER_MISSING   ripgrep is not installed
//
// Blocks while ripgrep runs; only so many run at once. Thread-safe.
class TextSearch {
 public:
  struct Options {
    size_t max_pattern_bytes = 4096;
    int64_t max_matches = 20'000;   // Lines; then `result_cap`.
    size_t max_line_bytes = 2'000;  // Longer ones are cut around the match.
  };

  // Both must outlive this.
  TextSearch(const RootDirectory& root, FileProposals& proposals,
             Options options);

  absl::StatusOr<TextResult> Search(const TextQuery& query,
                                    const rpc::CallContext& call) const;

  // The files that may contain the word: what to ask a language server about.
  absl::StatusOr<WordResult> FilesContaining(
      const WordQuery& query, const rpc::CallContext& call) const;

 private:
  void ReadHits(const TextQuery& query,
                const std::map<std::string, std::vector<RipgrepMatch>>& claims,
                TextResult* result) const;

  // Adds how many files with a match the search passed by; also when that cannot
  // be told.
  void CountElsewhere(std::vector<std::string> arguments,
                      const SearchScope& scope,
                      const std::function<bool(const std::string&)>& counts,
                      const rpc::CallContext& call,
                      std::vector<lsp::v1::Incompleteness>* incomplete) const;

  const RootDirectory& root_;
  FileProposals& proposals_;
  const Options options_;
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_TEXT_SEARCH_H_
