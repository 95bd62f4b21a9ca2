// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/file_proposals.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "lspd/workspace/glob.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// Of paths on one command line.
constexpr size_t kMaxBatchBytes = 100'000;

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
    if (absl::StrContains(line, "(os error ")) ++count;
  }
  return count;
}

void Append(const ProgramResult& result, Proposals* to) {
  to->output += result.output;
  to->errors += result.errors;
  to->end = result.end;
  to->exit_code = Worse(to->exit_code, result.exit_code);
  to->unreadable += CountUnreadable(result.errors);
}

bool HasRules(const std::string& exclude_file) {
  for (const absl::string_view line : absl::StrSplit(exclude_file, '\n')) {
    if (!absl::StripAsciiWhitespace(line).empty() && line[0] != '#') {
      return true;
    }
  }
  return false;
}

}  // namespace

// One of the places for a running ripgrep; given back at the end.
class FileProposals::Place {
 public:
  explicit Place(FileProposals& owner) : owner_(owner) {}
  ~Place() {
    if (!is_taken_) return;
    const std::lock_guard<std::mutex> lock(owner_.mutex_);
    --owner_.running_;
    owner_.place_freed_.notify_one();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  absl::Status Take(const rpc::CallContext& call) {
    std::unique_lock<std::mutex> lock(owner_.mutex_);
    while (owner_.running_ >= owner_.options_.max_parallel) {
      owner_.place_freed_.wait_for(lock, std::chrono::milliseconds(20));
      if (call.is_cancelled()) {
        return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, "cancelled");
      }
      if (absl::Now() >= call.deadline) {
        return rpc::Error(rpc::v1::ERROR_REASON_DEADLINE,
                          "too many searches run on this workspace; try again");
      }
    }
    ++owner_.running_;
    is_taken_ = true;
    return absl::OkStatus();
  }

 private:
  FileProposals& owner_;
  bool is_taken_ = false;
};

FileProposals::FileProposals(const RootDirectory& root,
                             std::optional<GitRepository> repository,
                             Options options)
    : root_(root),
      repository_(std::move(repository)),
      options_(std::move(options)) {}

absl::StatusOr<ProgramResult> FileProposals::RunRipgrep(
    const std::vector<std::string>& arguments, const SearchScope& scope,
    const std::vector<std::string>& paths, const rpc::CallContext& call) {
  ProgramRun run;
  run.arguments = {options_.ripgrep, "--no-config", "--no-ignore-messages",
                   "--hidden",       "--iglob",     "!.git"};
  const std::vector<std::string> flags =
      RuleFlags(scope.breadth, repository_.has_value());
  run.arguments.insert(run.arguments.end(), flags.begin(), flags.end());
  for (const std::string& glob : scope.name_globs) {
    run.arguments.insert(run.arguments.end(), {"--type-add", "banyan:" + glob});
  }
  if (!scope.name_globs.empty()) run.arguments.push_back("--type=banyan");
  run.arguments.insert(run.arguments.end(), arguments.begin(), arguments.end());
  run.arguments.push_back("--");
  for (const std::string& path : paths) run.arguments.push_back("./" + path);
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
  Place place(*this);
  RETURN_IF_ERROR(place.Take(call));

  const bool asks_git =
      repository_.has_value() && scope.breadth == Breadth::kAsGit;
  std::future<std::optional<std::vector<std::string>>> tracked;
  if (asks_git) {
    tracked = std::async(std::launch::async, [this, &scope, &call] {
      return TrackedThoughIgnored(scope, call);
    });
  }
  // A folder that is named is searched by ripgrep though a rule ignores it.
  Proposals proposals;
  const bool is_scope_ignored = asks_git && !scope.relative_path.empty() &&
                                !Ignored({scope.relative_path}, call).empty();
  if (!is_scope_ignored) {
    ASSIGN_OR_RETURN(const ProgramResult result,
                     RunRipgrep(arguments, scope, {scope.relative_path}, call));
    Append(result, &proposals);
  }
  if (!asks_git) return proposals;

  const std::optional<std::vector<std::string>> more = tracked.get();
  proposals.is_tracked_unknown = !more.has_value();
  if (!more.has_value()) return proposals;
  for (const std::vector<std::string>& batch : Batches(*more)) {
    if (proposals.end != ProgramEnd::kExited) break;
    ASSIGN_OR_RETURN(const ProgramResult result,
                     RunRipgrep(arguments, scope, batch, call));
    Append(result, &proposals);
  }
  return proposals;
}

absl::StatusOr<ProposedFiles> FileProposals::ListFiles(
    std::vector<std::string> arguments, const SearchScope& scope,
    const rpc::CallContext& call) {
  arguments.push_back("--null");
  ASSIGN_OR_RETURN(const Proposals proposals, Run(arguments, scope, call));
  if (proposals.exit_code > 1 && proposals.end == ProgramEnd::kExited &&
      proposals.unreadable == 0) {
    return rpc::Error(rpc::v1::ERROR_REASON_INTERNAL, proposals.errors);
  }
  ProposedFiles listed = {.files = {},
                          .end = proposals.end,
                          .unreadable = proposals.unreadable,
                          .is_tracked_unknown = proposals.is_tracked_unknown};
  for (const absl::string_view path :
       absl::StrSplit(proposals.output, '\0', absl::SkipEmpty())) {
    listed.files.emplace_back(absl::StripPrefix(path, "./"));
  }
  // The last name may be cut in two.
  if (!proposals.output.empty() && proposals.output.back() != '\0') {
    listed.files.pop_back();
  }
  listed.files = WithoutMissedRules(std::move(listed.files), scope, call);
  std::sort(listed.files.begin(), listed.files.end());
  listed.files.erase(std::unique(listed.files.begin(), listed.files.end()),
                     listed.files.end());
  return listed;
}

absl::StatusOr<ProposedFiles> FileProposals::FilesMatching(
    std::vector<std::string> arguments, const SearchScope& scope,
    const rpc::CallContext& call) {
  arguments.push_back("--files-with-matches");
  return ListFiles(std::move(arguments), scope, call);
}

absl::StatusOr<ProposedFiles> FileProposals::Files(
    const SearchScope& scope, const rpc::CallContext& call) {
  return ListFiles({"--files"}, scope, call);
}

std::vector<std::string> FileProposals::Ignored(
    const std::vector<std::string>& paths, const rpc::CallContext& call) const {
  if (!repository_.has_value() || paths.empty()) return {};
  const absl::StatusOr<ProgramResult> result = repository_->Run(
      root_, {"check-ignore", "-z", "--stdin", "--no-index"},
      absl::StrCat(absl::StrJoin(paths, absl::string_view("\0", 1)),
                   absl::string_view("\0", 1)),
      GitCall(call));
  if (!result.ok() || result->exit_code != 0) return {};
  return absl::StrSplit(result->output, '\0', absl::SkipEmpty());
}

std::vector<std::string> FileProposals::WithoutMissedRules(
    std::vector<std::string> paths, const SearchScope& scope,
    const rpc::CallContext& call) const {
  const bool may_miss_some =
      scope.breadth == Breadth::kAsGit && repository_.has_value() &&
      repository_->common_dir() != repository_->git_dir() &&
      HasRules(repository_->ReadExcludes());
  if (!may_miss_some) return paths;
  std::vector<std::string> ignored = Ignored(paths, call);
  const std::optional<std::vector<std::string>> tracked =
      TrackedThoughIgnored(scope, call);
  absl::flat_hash_set<std::string> dropped(ignored.begin(), ignored.end());
  for (const std::string& path : tracked.value_or(std::vector<std::string>())) {
    dropped.erase(path);
  }
  paths.erase(std::remove_if(paths.begin(), paths.end(),
                             [&dropped](const std::string& path) {
                               return dropped.contains(path);
                             }),
              paths.end());
  return paths;
}

std::optional<std::vector<std::string>> FileProposals::TrackedThoughIgnored(
    const SearchScope& scope, const rpc::CallContext& call) const {
  if (!repository_.has_value()) return std::vector<std::string>();
  const absl::StatusOr<ProgramResult> listed = repository_->Run(
      root_, {"ls-files", "-z", "--cached", "--ignored", "--exclude-standard"},
      "", GitCall(call));
  if (!listed.ok() || listed->end != ProgramEnd::kExited ||
      listed->exit_code != 0) {
    return std::nullopt;
  }
  std::vector<Glob> globs;
  for (const std::string& glob : scope.name_globs) {
    absl::StatusOr<Glob> compiled = Glob::Compile(glob);
    if (compiled.ok()) globs.push_back(*std::move(compiled));
  }
  std::vector<std::string> files;
  for (const std::string& path : std::vector<std::string>(
           absl::StrSplit(listed->output, '\0', absl::SkipEmpty()))) {
    if (!IsBeneath(path, scope.relative_path) || !MatchesAName(globs, path)) {
      continue;
    }
    const absl::StatusOr<FileState> state = root_.Stat(path);
    if (state.ok() && state->kind == FileKind::kFile) files.push_back(path);
  }
  return files;
}

rpc::CallContext FileProposals::GitCall(const rpc::CallContext& call) const {
  rpc::CallContext shorter = call;
  shorter.deadline = std::min(call.deadline, absl::Now() + options_.git_limit);
  return shorter;
}

}  // namespace banyan::lspd
