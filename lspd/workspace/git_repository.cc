// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/git_repository.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lspd/workspace/relative_path.h"
#include "lspd/workspace/unique_fd.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr size_t kMaxSmallFile = 64 << 10;
constexpr size_t kMaxPackedRefs = 16 << 20;

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string RealPathOfFile(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(
      ::realpath(path.c_str(), nullptr), ::free);
  return real == nullptr ? "" : real.get();
}

std::string Resolve(absl::string_view path, const std::string& folder) {
  return RealPathOfFile(absl::StartsWith(path, "/")
                            ? std::string(path)
                            : absl::StrCat(folder, "/", path));
}

// Empty when it is not there, no regular file or too large. Never waits.
std::string ReadSmall(const std::string& path, size_t limit = kMaxSmallFile) {
  const UniqueFd fd(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info;
  if (!fd.is_open() || ::fstat(fd.get(), &info) != 0 ||
      !S_ISREG(info.st_mode) || info.st_size > static_cast<off_t>(limit)) {
    return "";
  }
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
  bytes.resize(got < 0 ? 0 : static_cast<size_t>(got));
  return bytes;
}

std::string FirstLineOf(const std::string& path) {
  const std::string text = ReadSmall(path);
  return std::string(absl::StripTrailingAsciiWhitespace(
      absl::string_view(text).substr(0, text.find('\n'))));
}

bool IsCommit(absl::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
}

// The folder that a `.git` file names, if that folder names the file's folder
// in turn: a worktree's by its file `gitdir`, a submodule's by core.worktree.
std::string LinkedGitDir(const std::string& folder) {
  const std::string line = FirstLineOf(folder + "/.git");
  absl::string_view named = line;
  if (!absl::ConsumePrefix(&named, "gitdir: ")) return "";
  const std::string git_dir = Resolve(named, folder);
  if (git_dir.empty()) return "";

  const std::string back = FirstLineOf(git_dir + "/gitdir");
  if (!back.empty()) {
    return Resolve(back, git_dir) == folder + "/.git" ? git_dir : "";
  }
  const std::string config = ReadSmall(git_dir + "/config");
  for (absl::string_view entry : absl::StrSplit(config, '\n')) {
    entry = absl::StripAsciiWhitespace(entry);
    if (absl::ConsumePrefix(&entry, "worktree = ") &&
        Resolve(entry, git_dir) == folder) {
      return git_dir;
    }
  }
  return "";
}

// Of one who may say what a root is part of.
bool IsOfTrustedOwner(const std::string& path, uid_t root_owner) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0 &&
         (info.st_uid == root_owner || info.st_uid == ::geteuid() ||
          info.st_uid == 0);
}

// The git folder of a work tree whose top is `folder`; nothing when there is
// none, "" when there is one that is not believed.
std::optional<std::string> GitDirOf(const std::string& folder) {
  const std::string path = folder + "/.git";
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
  if (S_ISREG(info.st_mode)) return LinkedGitDir(folder);
  const bool is_repository =
      S_ISDIR(info.st_mode) && !FirstLineOf(path + "/HEAD").empty();
  return is_repository ? path : "";
}

std::string CommitOf(const std::string& common_dir, absl::string_view ref) {
  const std::string loose = FirstLineOf(absl::StrCat(common_dir, "/", ref));
  if (IsCommit(loose)) return loose;
  const std::string packed =
      ReadSmall(common_dir + "/packed-refs", kMaxPackedRefs);
  for (const absl::string_view line : absl::StrSplit(packed, '\n')) {
    const std::pair<absl::string_view, absl::string_view> entry =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    if (entry.second == ref && IsCommit(entry.first)) {
      return std::string(entry.first);
    }
  }
  return "";
}

}  // namespace

GitRepository::GitRepository(std::string top, std::string git_dir)
    : top_(std::move(top)), git_dir_(std::move(git_dir)) {
  const std::string common = FirstLineOf(git_dir_ + "/commondir");
  common_dir_ = common.empty() ? git_dir_ : Resolve(common, git_dir_);
}

std::optional<GitRepository> GitRepository::Find(const RootDirectory& root,
                                                 absl::string_view highest) {
  for (std::string folder = root.path(); IsBeneath(folder, highest);
       folder = ParentOf(folder)) {
    const std::optional<std::string> git_dir = GitDirOf(folder);
    if (git_dir.has_value()) {
      const bool is_believed =
          !git_dir->empty() &&
          (folder == root.path() ||
           IsOfTrustedOwner(folder + "/.git", root.owner_uid()));
      if (!is_believed) return std::nullopt;
      return GitRepository(folder, *git_dir);
    }
    if (folder == "/") break;
  }
  return std::nullopt;
}

GitHead GitRepository::ReadHead() const {
  const std::string head = FirstLineOf(git_dir_ + "/HEAD");
  absl::string_view ref = head;
  if (!absl::ConsumePrefix(&ref, "ref: ")) {
    return {.branch = "", .commit = IsCommit(head) ? head : ""};
  }
  // A reference is a path beneath the git folder, and must stay one.
  if (!absl::StartsWith(ref, "refs/") || absl::StrContains(ref, "..")) {
    return {};
  }
  return {.branch = std::string(absl::StripPrefix(ref, "refs/heads/")),
          .commit = CommitOf(common_dir_, ref)};
}

absl::StatusOr<ProgramResult> GitRepository::Run(
    const RootDirectory& root, const std::vector<std::string>& arguments,
    std::string input, const rpc::CallContext& call,
    const std::vector<std::string>& emptied) const {
  // What a repository's own configuration could run or read elsewhere.
  std::vector<std::pair<std::string, std::string>> settings = {
      {"core.fsmonitor", "false"},
      {"core.hooksPath", "/dev/null"},
      {"core.excludesFile", "/dev/null"},
      {"core.attributesFile", "/dev/null"},
      {"core.pager", "cat"},
      {"core.sshCommand", "false"},
      {"submodule.recurse", "false"}};
  for (const std::string& key : emptied) settings.emplace_back(key, "");

  ProgramRun run;
  run.arguments = {"git",
                   "--git-dir=" + git_dir_,
                   "--work-tree=" + top_,
                   "--no-optional-locks",
                   "--no-pager",
                   "--no-replace-objects"};
  run.arguments.insert(run.arguments.end(), arguments.begin(), arguments.end());
  // Settings go by environment: there a key may hold any character.
  run.environment = {"GIT_CONFIG_NOSYSTEM=1",
                     "GIT_ATTR_NOSYSTEM=1",
                     "GIT_CONFIG_GLOBAL=/dev/null",
                     "GIT_TERMINAL_PROMPT=0",
                     "GIT_ALLOW_PROTOCOL=none",
                     absl::StrCat("GIT_CONFIG_COUNT=", settings.size())};
  for (size_t i = 0; i < settings.size(); ++i) {
    run.environment.push_back(
        absl::StrCat("GIT_CONFIG_KEY_", i, "=", settings[i].first));
    run.environment.push_back(
        absl::StrCat("GIT_CONFIG_VALUE_", i, "=", settings[i].second));
  }
  run.folder_fd = root.fd();
  run.input = std::move(input);
  return RunProgram(run, call);
}

absl::StatusOr<std::vector<std::string>> GitRepository::FilterKeys(
    const RootDirectory& root, const rpc::CallContext& call) const {
  ASSIGN_OR_RETURN(
      const ProgramResult listed,
      Run(root, {"config", "-z", "--name-only", "--get-regexp", "^filter\\."},
          "", call));
  const bool is_known = listed.end == ProgramEnd::kExited &&
                        (listed.exit_code == 0 || listed.exit_code == 1);
  if (!is_known) return absl::UnavailableError("git config did not end well");
  return std::vector<std::string>(
      absl::StrSplit(listed.output, '\0', absl::SkipEmpty()));
}

int GitRepository::CountUncommitted(const RootDirectory& root,
                                    const rpc::CallContext& call) const {
  // To compare a file with the index, git would run its filter.
  const absl::StatusOr<std::vector<std::string>> filters =
      FilterKeys(root, call);
  if (!filters.ok()) return -1;
  const absl::StatusOr<ProgramResult> status =
      Run(root,
          {"status", "--porcelain=v1", "-z", "--no-renames",
           "--untracked-files=all", "--ignore-submodules=all", "--", "."},
          "", call, *filters);
  if (!status.ok() || status->end != ProgramEnd::kExited ||
      status->exit_code != 0) {
    return -1;
  }
  return static_cast<int>(
      std::count(status->output.begin(), status->output.end(), '\0'));
}

}  // namespace banyan::lspd
