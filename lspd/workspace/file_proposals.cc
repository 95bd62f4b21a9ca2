// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/file_proposals.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "lspd/workspace/glob.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// Of paths on one command line.
constexpr size_t kMaxBatchBytes = 1'000'000;

std::vector<std::string> RuleFlags(Breadth breadth, bool has_repository) {
  if (breadth == Breadth::kEverything) return {"--no-ignore", "--binary"};
  if (breadth == Breadth::kWithIgnored) return {"--no-ignore"};
  std::vector<std::string> flags = {"--no-ignore-global", "--no-ignore-dot"};
  // Without a repository, rules above the root are of somebody else.
  if (!has_repository) {
    flags.insert(flags.end(), {"--no-require-git", "--no-ignore-parent"});
  }
  return flags;
}

std::vector<Glob> CompileAll(const std::vector<std::string>& patterns) {
  std::vector<Glob> globs;
  for (const std::string& pattern : patterns) {
    absl::StatusOr<Glob> glob = Glob::Compile(pattern);
    if (glob.ok()) globs.push_back(*std::move(glob));
  }
  return globs;
}

bool MatchesAName(const std::vector<Glob>& globs, absl::string_view path) {
  return globs.empty() ||
         std::any_of(globs.begin(), globs.end(), [path](const Glob& glob) {
           return glob.MatchesNameOrPath(path);
         });
}

// Cuts `paths` into command lines.
std::vector<std::vector<std::string>> Batches(
    const std::vector<std::string>& paths) {
  std::vector<std::vector<std::string>> batches;
  size_t bytes = kMaxBatchBytes;
  for (const std::string& path : paths) {
    bytes += path.size() + 3;
    if (bytes > kMaxBatchBytes) {
      batches.emplace_back();
      bytes = path.size() + 3;
    }
    batches.back().push_back(path);
  }
  return batches;
}

// ripgrep says 0 for something found, 1 for nothing, more for a fault.
int Worse(int one, int other) {
  return one > 1 || other > 1 ? std::max(one, other) : std::min(one, other);
}

int64_t CountUnreadable(absl::string_view errors) {
  int64_t count = 0;
  for (const absl::string_view line : absl::StrSplit(errors, '\n')) {
    // What is gone by now (error 2) was nothing to read.
    if (absl::StrContains(line, "(os error ") &&
        !absl::StrContains(line, "(os error 2)")) {
      ++count;
    }
  }
  return count;
}

void Append(const ProgramResult& result, Proposals* to) {
  to->output += result.output;
  to->errors += result.errors;
  // Past 2 ripgrep itself says nothing: it panicked, or could not be run.
  const bool is_beyond_a_fault =
      result.end == ProgramEnd::kExited && result.exit_code > 2;
  to->end = is_beyond_a_fault ? ProgramEnd::kDied : result.end;
  to->exit_code = Worse(to->exit_code, result.exit_code);
  to->unreadable += CountUnreadable(result.errors);
}

// A fault that is not one of single files.
absl::Status FaultOf(const Proposals& proposals) {
  const bool is_fault = proposals.exit_code > 1 &&
                        proposals.end == ProgramEnd::kExited &&
                        !absl::StrContains(proposals.errors, "(os error ");
  if (!is_fault) return absl::OkStatus();
  return rpc::Error(rpc::v1::ERROR_REASON_INTERNAL, proposals.errors);
}

// What lies at a path itself, no link followed; only kFile is worth opening by
// path.
FileKind KindAt(int root_fd, const std::string& path) {
  struct stat info;
  if (::fstatat(root_fd, path.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return FileKind::kOther;
  }
  if (S_ISREG(info.st_mode)) return FileKind::kFile;
  return S_ISLNK(info.st_mode) ? FileKind::kLink : FileKind::kOther;
}

// The names in a list that ends each with NUL; the last may be cut in two.
std::vector<std::string> SplitNames(absl::string_view list) {
  std::vector<std::string> names;
  for (const absl::string_view name : absl::StrSplit(
           list.substr(0, list.rfind('\0') + 1), '\0', absl::SkipEmpty())) {
    names.emplace_back(absl::StripPrefix(name, "./"));
  }
  return names;
}

void SortOnce(std::vector<std::string>* paths) {
  std::sort(paths->begin(), paths->end());
  paths->erase(std::unique(paths->begin(), paths->end()), paths->end());
}

}  // namespace

FileProposals::FileProposals(const RootDirectory& root,
                             std::optional<GitRepository> repository,
                             Options options)
    : root_(root),
      repository_(std::move(repository)),
      options_(std::move(options)),
      places_(options_.max_parallel) {}

absl::StatusOr<SearchScope> FileProposals::ScopeOf(
    absl::string_view relative_path, Breadth breadth) const {
  SearchScope scope;
  scope.breadth = breadth;
  ASSIGN_OR_RETURN(scope.relative_path, root_.RealPath(relative_path));
  ASSIGN_OR_RETURN(const FileState state, root_.Stat(scope.relative_path));
  // A path that is named is opened by ripgrep whatever it is.
  if (state.kind != FileKind::kFile && state.kind != FileKind::kDirectory) {
    return rpc::Error(rpc::v1::ERROR_REASON_NOT_A_FILE,
                      absl::StrCat(relative_path,
                                   " is a pipe, socket or device; name a file "
                                   "or folder"));
  }
  return scope;
}

absl::StatusOr<ProgramResult> FileProposals::RunRipgrep(
    const std::vector<std::string>& arguments, const SearchScope& scope,
    const std::vector<std::string>& paths, const rpc::CallContext& call) {
  ProgramRun run;
  run.arguments = {options_.ripgrep, "--no-config", "--no-ignore-messages",
                   "--hidden",       "--iglob",     "!.git"};
  const std::vector<std::string> flags =
      RuleFlags(scope.breadth, repository_.has_value());
  run.arguments.insert(run.arguments.end(), flags.begin(), flags.end());
  run.arguments.insert(run.arguments.end(), arguments.begin(), arguments.end());
  run.arguments.push_back("--");
  for (const std::string& path : paths) run.arguments.push_back("./" + path);
  // Nothing to look at: an empty input, so that a bad pattern is told all the
  // same.
  if (paths.empty()) run.arguments.push_back("-");
  run.folder_fd = root_.fd();
  run.max_output_bytes = options_.max_output_bytes;

  absl::StatusOr<ProgramResult> result = RunProgram(run, call);
  if (absl::IsNotFound(result.status())) {
    return rpc::Error(rpc::v1::ERROR_REASON_SERVER_MISSING,
                      "files are searched with ripgrep, which is not "
                      "installed; on Debian: apt-get install ripgrep");
  }
  return result;
}

absl::StatusOr<Proposals> FileProposals::Run(
    const std::vector<std::string>& arguments, const SearchScope& scope,
    const rpc::CallContext& call) {
  ASSIGN_OR_RETURN(const SearchPlaces::Place place, places_.Take(call));
  Proposals proposals;
  const std::optional<ProposedFiles> listed = AskGit(scope, call);
  if (!listed.has_value()) {
    ASSIGN_OR_RETURN(const ProgramResult result,
                     RunRipgrep(arguments, scope, {scope.relative_path}, call));
    Append(result, &proposals);
    proposals.is_git_unknown = asks_git(scope);
    return proposals;
  }
  std::vector<std::vector<std::string>> batches = Batches(listed->files);
  if (batches.empty()) batches.emplace_back();
  for (const std::vector<std::string>& batch : batches) {
    ASSIGN_OR_RETURN(const ProgramResult result,
                     RunRipgrep(arguments, scope, batch, call));
    Append(result, &proposals);
    if (proposals.end != ProgramEnd::kExited) break;
  }
  return proposals;
}

absl::StatusOr<ProposedFiles> FileProposals::FilesMatching(
    std::vector<std::string> arguments, const SearchScope& scope,
    const rpc::CallContext& call) {
  arguments.insert(arguments.end(), {"--files-with-matches", "--null"});
  ASSIGN_OR_RETURN(const Proposals proposals, Run(arguments, scope, call));
  RETURN_IF_ERROR(FaultOf(proposals));
  ProposedFiles matching;
  matching.files = SplitNames(proposals.output);
  matching.end = proposals.end;
  matching.unreadable = proposals.unreadable;
  matching.is_git_unknown = proposals.is_git_unknown;
  SortOnce(&matching.files);
  return matching;
}

absl::StatusOr<ProposedFiles> FileProposals::Files(
    const SearchScope& scope, const rpc::CallContext& call) {
  std::optional<ProposedFiles> listed = AskGit(scope, call);
  if (listed.has_value()) return *std::move(listed);
  return Walk(scope, call);
}

absl::StatusOr<ProposedFiles> FileProposals::Walk(
    const SearchScope& scope, const rpc::CallContext& call) {
  ASSIGN_OR_RETURN(const Proposals proposals,
                   Run({"--files", "--null"}, scope, call));
  RETURN_IF_ERROR(FaultOf(proposals));
  ProposedFiles walked;
  walked.files = SplitNames(proposals.output);
  walked.end = proposals.end;
  walked.unreadable = proposals.unreadable;
  walked.is_git_unknown = proposals.is_git_unknown;
  SortOnce(&walked.files);
  return walked;
}

std::optional<ProposedFiles> FileProposals::AskGit(
    const SearchScope& scope, const rpc::CallContext& call) const {
  if (!asks_git(scope)) return std::nullopt;
  const absl::StatusOr<ProgramResult> listed = repository_->Run(
      root_,
      {"--literal-pathspecs", "ls-files", "-z", "--cached", "--others",
       "--exclude-standard", "--",
       scope.relative_path.empty() ? "." : scope.relative_path},
      "", GitCall(call));
  if (!listed.ok() || listed->end != ProgramEnd::kExited ||
      listed->exit_code != 0) {
    return std::nullopt;
  }
  const std::vector<Glob> globs = CompileAll(scope.name_globs);
  ProposedFiles proposed;
  for (std::string& path : SplitNames(listed->output)) {
    if (!MatchesAName(globs, path)) continue;
    const FileKind kind = KindAt(root_.fd(), path);
    if (kind == FileKind::kFile) proposed.files.push_back(std::move(path));
    if (kind == FileKind::kLink) proposed.links.push_back(std::move(path));
  }
  SortOnce(&proposed.files);
  SortOnce(&proposed.links);
  return proposed;
}

bool FileProposals::asks_git(const SearchScope& scope) const {
  return repository_.has_value() && scope.breadth == Breadth::kAsGit;
}

std::vector<std::string> FileProposals::Ignored(
    const std::vector<std::string>& paths, const rpc::CallContext& call) const {
  if (!repository_.has_value() || paths.empty()) return {};
  std::string input;
  for (const std::string& path : paths) {
    // Else a name that begins with a colon would be an instruction to git.
    absl::StrAppend(&input, "./", path, absl::string_view("\0", 1));
  }
  const absl::StatusOr<ProgramResult> result =
      repository_->Run(root_, {"check-ignore", "-z", "--stdin", "--no-index"},
                       std::move(input), GitCall(call));
  if (!result.ok() || result->exit_code != 0) return {};
  std::vector<std::string> ignored;
  for (const absl::string_view path :
       absl::StrSplit(result->output, '\0', absl::SkipEmpty())) {
    ignored.emplace_back(absl::StripPrefix(path, "./"));
  }
  return ignored;
}

std::optional<std::vector<std::string>> FileProposals::TrackedThoughIgnored(
    const rpc::CallContext& call) const {
  if (!repository_.has_value()) return std::vector<std::string>();
  const absl::StatusOr<ProgramResult> listed = repository_->Run(
      root_, {"ls-files", "-z", "--cached", "--ignored", "--exclude-standard"},
      "", GitCall(call));
  if (!listed.ok() || listed->end != ProgramEnd::kExited ||
      listed->exit_code != 0) {
    return std::nullopt;
  }
  return SplitNames(listed->output);
}

rpc::CallContext FileProposals::GitCall(const rpc::CallContext& call) const {
  rpc::CallContext shorter = call;
  shorter.deadline = std::min(call.deadline, absl::Now() + options_.git_limit);
  return shorter;
}

}  // namespace banyan::lspd
