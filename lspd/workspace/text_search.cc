// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/text_search.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "lspd/workspace/glob.h"
#include "lspd/workspace/search_limits.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using lsp::v1::Incompleteness;

// The part of a search that only asks whether ignored files would have had
// something.
constexpr absl::Duration kUnrestrictedLimit = absl::Seconds(5);

absl::Status InvalidPattern(absl::string_view what) {
  return rpc::Error(rpc::v1::ERROR_REASON_PATTERN_INVALID, what);
}

// ripgrep's own words, without its name in front.
absl::Status RefusedPattern(absl::string_view errors) {
  absl::ConsumePrefix(&errors, "rg: ");
  // Its next words are about a switch that nobody here can set.
  errors = errors.substr(0, errors.find("\nConsider enabling PCRE2"));
  return InvalidPattern(absl::StripAsciiWhitespace(errors.substr(0, 1000)));
}

absl::StatusOr<std::vector<Glob>> CompileAll(
    const std::vector<std::string>& patterns) {
  std::vector<Glob> globs;
  for (const std::string& pattern : patterns) {
    ASSIGN_OR_RETURN(Glob glob, Glob::Compile(pattern));
    globs.push_back(std::move(glob));
  }
  return globs;
}

class PathFilter {
 public:
  static absl::StatusOr<PathFilter> Create(
      const std::vector<std::string>& included,
      const std::vector<std::string>& excluded) {
    PathFilter filter;
    ASSIGN_OR_RETURN(filter.included_, CompileAll(included));
    ASSIGN_OR_RETURN(filter.excluded_, CompileAll(excluded));
    return filter;
  }

  bool Passes(absl::string_view path) const {
    const auto matches = [path](const Glob& glob) {
      return glob.MatchesNameOrPath(path);
    };
    return (included_.empty() ||
            std::any_of(included_.begin(), included_.end(), matches)) &&
           std::none_of(excluded_.begin(), excluded_.end(), matches);
  }

 private:
  std::vector<Glob> included_;
  std::vector<Glob> excluded_;
};

std::vector<std::string> PatternFlags(const TextQuery& query) {
  std::vector<std::string> flags = {"--crlf"};
  flags.push_back(query.is_case_insensitive ? "--ignore-case"
                                            : "--case-sensitive");
  if (query.is_multiline) flags.push_back("--multiline");
  flags.insert(flags.end(), {"-e", query.pattern});
  return flags;
}

bool IsAscii(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), absl::ascii_isascii);
}

// Finds files that are not UTF-8: a pattern with other characters than those of
// ASCII misses what it means there.
std::vector<std::string> NotUtf8Flags() {
  return {"-e",
          "(?-u)(?:[\\xC0-\\xFF](?:[^\\x80-\\xBF]|$)|"
          "(?:^|[\\x00-\\x7F])[\\x80-\\xBF])"};
}

// A file of ours that cannot be looked into. What is gone, no file any more, or
// leads out of the root, is none.
bool IsUnreadable(const absl::Status& status) {
  const rpc::ErrorReason reason = rpc::ReasonOf(status);
  return reason != rpc::v1::ERROR_REASON_FILE_NOT_FOUND &&
         reason != rpc::v1::ERROR_REASON_NOT_A_FILE &&
         reason != rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT &&
         reason != rpc::v1::ERROR_REASON_PATH_FORBIDDEN;
}

int64_t CountOf(const std::map<std::string, std::vector<RipgrepMatch>>& files) {
  int64_t count = 0;
  for (const auto& [path, matches] : files) {
    count += static_cast<int64_t>(matches.size());
  }
  return count;
}

}  // namespace

TextSearch::TextSearch(const RootDirectory& root, FileProposals& proposals,
                       Options options)
    : root_(root), proposals_(proposals), options_(options) {}

absl::StatusOr<TextResult> TextSearch::Search(
    const TextQuery& query, const rpc::CallContext& caller) const {
  if (query.pattern.empty() || absl::StrContains(query.pattern, '\0')) {
    return InvalidPattern("the pattern is empty or holds a NUL byte");
  }
  if (query.pattern.size() > options_.max_pattern_bytes) {
    return InvalidPattern(absl::StrCat("the pattern is longer than ",
                                       options_.max_pattern_bytes, " bytes"));
  }
  ASSIGN_OR_RETURN(
      const PathFilter filter,
      PathFilter::Create(query.include_globs, query.exclude_globs));
  ASSIGN_OR_RETURN(
      SearchScope scope,
      proposals_.ScopeOf(query.relative_path, query.include_ignored_files
                                                  ? Breadth::kWithIgnored
                                                  : Breadth::kAsGit));
  scope.name_globs = query.include_globs;

  const rpc::CallContext call = WithTimeToAnswer(caller);
  std::vector<std::string> arguments = PatternFlags(query);
  arguments.push_back("--json");
  ASSIGN_OR_RETURN(const Proposals proposals,
                   proposals_.Run(arguments, scope, call));
  RipgrepReport report = ParseRipgrep(proposals.output);
  if (proposals.exit_code == 2 && proposals.end == ProgramEnd::kExited &&
      !report.has_summary) {
    return RefusedPattern(proposals.errors);
  }
  RETURN_IF_ERROR(ErrorOf(proposals.end, !report.files.empty()));

  std::map<std::string, std::vector<RipgrepMatch>> claims;
  for (auto& [path, matches] : report.files) {
    if (filter.Passes(path)) claims[path] = std::move(matches);
  }

  TextResult result;
  AddIncompleteness(proposals.end, proposals.unreadable,
                    proposals.is_git_unknown, &result.incomplete);
  ReadHits(query, claims, &result);
  if (!IsAscii(query.pattern)) {
    CountElsewhere(
        NotUtf8Flags(), scope,
        [&](const std::string& path) {
          return filter.Passes(path) && claims.count(path) == 0;
        },
        call, &result.incomplete);
  }
  if (result.files.empty()) {
    scope.breadth = Breadth::kEverything;
    CountElsewhere(
        PatternFlags(query), scope,
        [&filter](const std::string& path) { return filter.Passes(path); },
        call, &result.incomplete);
  }
  return result;
}

void TextSearch::ReadHits(
    const TextQuery& query,
    const std::map<std::string, std::vector<RipgrepMatch>>& claims,
    TextResult* result) const {
  int64_t untrue = 0;
  int64_t unreadable = 0;
  for (const auto& [path, matches] : claims) {
    if (result->match_count >= options_.max_matches) {
      AddIncomplete(lsp::v1::INCOMPLETE_REASON_RESULT_CAP,
                    CountOf(claims) - result->match_count, &result->incomplete);
      break;
    }
    const absl::StatusOr<FileContent> content = root_.ReadBytes(path);
    if (!content.ok()) {
      if (IsUnreadable(content.status())) ++unreadable;
      continue;
    }
    // Binary files are no text.
    if (absl::StrContains(content->bytes, '\0')) continue;
    const int64_t untrue_before = untrue;
    const std::vector<std::pair<size_t, size_t>> spans =
        TrueSpans(content->bytes, matches, &untrue);
    if (spans.empty()) continue;
    result->match_count +=
        static_cast<int64_t>(matches.size()) - (untrue - untrue_before);
    result->files.push_back(
        {.relative_path = path,
         .blocks =
             BlocksOf(content->bytes, spans, query.context_lines_before,
                      query.context_lines_after, options_.max_line_bytes)});
  }
  // With nothing to show, all files that have it are counted anyway.
  if (!result->files.empty()) {
    AddFilesNotSearched(unreadable, &result->incomplete);
  }
  if (untrue > 0) {
    AddIncomplete(lsp::v1::INCOMPLETE_REASON_CHANGED_WHILE_READING, untrue,
                  &result->incomplete);
  }
}

absl::StatusOr<WordResult> TextSearch::FilesContaining(
    const WordQuery& query, const rpc::CallContext& caller) const {
  if (query.word.empty() || query.word.size() > options_.max_pattern_bytes ||
      query.word.find_first_of("\n\r\0", 0, 3) != std::string::npos) {
    return InvalidPattern("a word is not empty and stands on one line");
  }
  ASSIGN_OR_RETURN(const PathFilter filter,
                   PathFilter::Create(query.name_globs, {}));
  ASSIGN_OR_RETURN(SearchScope scope,
                   proposals_.ScopeOf(query.relative_path, Breadth::kAsGit));
  scope.name_globs = query.name_globs;
  std::vector<std::string> arguments = {"--fixed-strings", "--case-sensitive"};
  if (query.is_whole_word) arguments.push_back("--word-regexp");
  arguments.insert(arguments.end(), {"-e", query.word});

  const rpc::CallContext call = WithTimeToAnswer(caller);
  ASSIGN_OR_RETURN(ProposedFiles proposed,
                   proposals_.FilesMatching(arguments, scope, call));
  RETURN_IF_ERROR(ErrorOf(proposed.end, !proposed.files.empty()));

  WordResult result;
  for (std::string& file : proposed.files) {
    const absl::StatusOr<FileState> state = root_.Stat(file);
    if (state.ok() && state->kind == FileKind::kFile && filter.Passes(file)) {
      result.files.push_back(std::move(file));
    }
  }
  AddIncompleteness(proposed.end, proposed.unreadable, proposed.is_git_unknown,
                    &result.incomplete);
  if (result.files.empty()) {
    scope.breadth = Breadth::kEverything;
    CountElsewhere(
        std::move(arguments), scope, [](const std::string&) { return true; },
        call, &result.incomplete);
  }
  return result;
}

void TextSearch::CountElsewhere(
    std::vector<std::string> arguments, const SearchScope& scope,
    const std::function<bool(const std::string&)>& counts,
    const rpc::CallContext& call,
    std::vector<lsp::v1::Incompleteness>* incomplete) const {
  rpc::CallContext shorter = call;
  shorter.deadline = std::min(call.deadline, absl::Now() + kUnrestrictedLimit);
  const absl::StatusOr<ProposedFiles> proposed =
      proposals_.FilesMatching(std::move(arguments), scope, shorter);
  int64_t count = 0;
  if (proposed.ok()) {
    count = std::count_if(
        proposed->files.begin(), proposed->files.end(),
        [&](const std::string& path) {
          const absl::StatusOr<FileState> state = root_.Stat(path);
          return state.ok() && state->kind == FileKind::kFile && counts(path);
        });
  }
  const bool is_known = proposed.ok() && proposed->end == ProgramEnd::kExited;
  if (count > 0 || !is_known) {
    AddIncomplete(lsp::v1::INCOMPLETE_REASON_FILES_NOT_SEARCHED, count,
                  incomplete);
  }
}

}  // namespace banyan::lspd
