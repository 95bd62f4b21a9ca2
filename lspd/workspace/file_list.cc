// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/file_list.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lspd/protocol/text_position.h"
#include "lspd/workspace/glob.h"
#include "lspd/workspace/relative_path.h"
#include "lspd/workspace/search_limits.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

std::string Join(absl::string_view folder, absl::string_view name) {
  return folder.empty() ? std::string(name) : absl::StrCat(folder, "/", name);
}

absl::string_view ParentOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? "" : path.substr(0, slash);
}

// All folders between `folder` and its `files`.
std::set<std::string> FoldersOf(const std::vector<std::string>& files,
                                absl::string_view folder) {
  std::set<std::string> folders;
  for (const std::string& file : files) {
    for (absl::string_view parent = ParentOf(file);
         parent.size() > folder.size(); parent = ParentOf(parent)) {
      if (!folders.emplace(parent).second) break;
    }
  }
  return folders;
}

absl::Status OverStatus(const rpc::CallContext& call) {
  return ErrorOf(
      call.is_cancelled() ? ProgramEnd::kCancelled : ProgramEnd::kDeadline,
      false);
}

// Takes away what cannot be said in an answer.
void DropUnspeakable(std::vector<std::string>* paths, int64_t* dropped) {
  const auto kept = std::remove_if(
      paths->begin(), paths->end(),
      [](const std::string& path) { return !IsValidUtf8(path); });
  *dropped += paths->end() - kept;
  paths->erase(kept, paths->end());
}

void Finish(size_t max_entries, Listing* listing) {
  int64_t dropped = 0;
  DropUnspeakable(&listing->directories, &dropped);
  DropUnspeakable(&listing->files, &dropped);
  AddFilesNotSearched(dropped, &listing->incomplete);
  for (std::vector<std::string>* const paths :
       {&listing->directories, &listing->files}) {
    std::sort(paths->begin(), paths->end());
    if (paths->size() > max_entries) {
      AddIncomplete(lsp::v1::INCOMPLETE_REASON_RESULT_CAP,
                    static_cast<int64_t>(paths->size() - max_entries),
                    &listing->incomplete);
      paths->resize(max_entries);
    }
  }
}

}  // namespace

FileList::FileList(const RootDirectory& root, FileProposals& proposals,
                   Options options)
    : root_(root), proposals_(proposals), options_(options) {}

absl::StatusOr<Listing> FileList::ListDirectory(
    absl::string_view relative_path, bool is_recursive, bool skip_ignored_files,
    const rpc::CallContext& call) const {
  ASSIGN_OR_RETURN(const std::string folder, root_.RealPath(relative_path));
  if (!skip_ignored_files) return Walk(folder, is_recursive, call);

  RETURN_IF_ERROR(root_.ListDirectory(folder).status());
  ASSIGN_OR_RETURN(Listing listing, AllFiles(folder, call));
  // A folder counts when git knows of something in it.
  const std::set<std::string> parents = FoldersOf(listing.files, folder);
  listing.directories.insert(listing.directories.end(), parents.begin(),
                             parents.end());
  std::sort(listing.directories.begin(), listing.directories.end());
  if (!is_recursive) {
    const auto is_deeper = [&folder](const std::string& path) {
      return ParentOf(path) != folder;
    };
    for (std::vector<std::string>* const paths :
         {&listing.directories, &listing.files}) {
      paths->erase(std::remove_if(paths->begin(), paths->end(), is_deeper),
                   paths->end());
    }
  }
  return listing;
}

absl::StatusOr<Listing> FileList::Walk(const std::string& folder,
                                       bool is_recursive,
                                       const rpc::CallContext& caller) const {
  const rpc::CallContext call = WithTimeToAnswer(caller);
  Listing listing;
  std::deque<std::string> folders = {folder};
  while (!folders.empty()) {
    if (call.IsOver()) {
      if (listing.files.empty() || call.is_cancelled()) {
        return OverStatus(call);
      }
      AddIncomplete(lsp::v1::INCOMPLETE_REASON_DEADLINE, 0,
                    &listing.incomplete);
      break;
    }
    const std::string current = std::move(folders.front());
    folders.pop_front();
    const absl::StatusOr<std::vector<DirectoryEntry>> entries =
        root_.ListDirectory(current);
    if (!entries.ok()) {
      if (current == folder) return entries.status();
      AddFilesNotSearched(1, &listing.incomplete);
      continue;
    }
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = Join(current, entry.name);
      if (entry.kind != FileKind::kDirectory) {
        if (entry.kind != FileKind::kOther) listing.files.push_back(path);
        continue;
      }
      listing.directories.push_back(path);
      if (is_recursive && !entry.is_link) folders.push_back(path);
    }
    if (listing.files.size() > options_.max_entries) break;
  }
  Finish(options_.max_entries, &listing);
  return listing;
}

absl::StatusOr<Listing> FileList::AllFiles(
    absl::string_view relative_path, const rpc::CallContext& caller) const {
  const rpc::CallContext call = WithTimeToAnswer(caller);
  ASSIGN_OR_RETURN(const SearchScope scope,
                   proposals_.ScopeOf(relative_path, Breadth::kAsGit));
  const auto any = [](const std::string&) { return true; };
  ASSIGN_OR_RETURN(Listing listing, Proposed(scope, any, call));
  Finish(options_.max_entries, &listing);
  return listing;
}

absl::StatusOr<Listing> FileList::Proposed(
    const SearchScope& scope,
    const std::function<bool(const std::string&)>& fits,
    const rpc::CallContext& call) const {
  ASSIGN_OR_RETURN(ProposedFiles proposed, proposals_.Files(scope, call));
  RETURN_IF_ERROR(ErrorOf(proposed.end, !proposed.files.empty()));
  Listing listing;
  for (std::string& file : proposed.files) {
    if (!fits(file)) continue;
    const absl::StatusOr<FileState> state = root_.Stat(file);
    // What cannot be asked for by name is kept to be counted.
    if ((state.ok() && state->kind == FileKind::kFile) || !IsValidUtf8(file)) {
      listing.files.push_back(file);
    }
  }
  if (!proposals_.repository().has_value()) {
    proposed.links = LinksBeside(proposed.files, scope.relative_path);
  }
  for (std::string& link : proposed.links) {
    if (!fits(link)) continue;
    const absl::StatusOr<FileState> target = root_.Stat(link);
    if (target.ok() && target->kind == FileKind::kDirectory) {
      listing.directories.push_back(std::move(link));
    } else if (target.ok() || rpc::ReasonOf(target.status()) !=
                                  rpc::v1::ERROR_REASON_PATH_FORBIDDEN) {
      listing.files.push_back(std::move(link));
    }
  }
  AddIncompleteness(proposed.end, proposed.unreadable, proposed.is_git_unknown,
                    &listing.incomplete);
  return listing;
}

std::vector<std::string> FileList::LinksBeside(
    const std::vector<std::string>& files, const std::string& folder) const {
  std::set<std::string> folders = FoldersOf(files, folder);
  folders.insert(folder);
  std::vector<std::string> links;
  for (const std::string& parent : folders) {
    const absl::StatusOr<std::vector<DirectoryEntry>> entries =
        root_.ListDirectory(parent);
    if (!entries.ok()) continue;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.is_link) links.push_back(Join(parent, entry.name));
    }
  }
  return links;
}

absl::StatusOr<Listing> FileList::FindFiles(
    absl::string_view file_mask, absl::string_view relative_path,
    const rpc::CallContext& caller) const {
  if (file_mask.empty()) {
    return rpc::Error(rpc::v1::ERROR_REASON_PATTERN_INVALID,
                      "the mask is empty; \"*\" fits every file");
  }
  ASSIGN_OR_RETURN(const Glob mask, Glob::Compile(file_mask));
  ASSIGN_OR_RETURN(SearchScope scope,
                   proposals_.ScopeOf(relative_path, Breadth::kAsGit));
  const auto fits = [&mask, &scope](const std::string& path) {
    const absl::string_view below =
        absl::StripPrefix(absl::StripPrefix(path, scope.relative_path), "/");
    return mask.MatchesNameOrPath(path) || mask.Matches(below);
  };
  const rpc::CallContext call = WithTimeToAnswer(caller);
  ASSIGN_OR_RETURN(Listing found, Proposed(scope, fits, call));
  found.directories.clear();
  Finish(options_.max_entries, &found);
  if (!found.files.empty()) return found;

  scope.breadth = Breadth::kWithIgnored;
  const absl::StatusOr<Listing> ignored = Proposed(scope, fits, call);
  const bool is_known = ignored.ok() && ignored->incomplete.empty();
  const auto count =
      ignored.ok() ? static_cast<int64_t>(ignored->files.size()) : 0;
  if (count > 0 || !is_known) {
    AddIncomplete(lsp::v1::INCOMPLETE_REASON_FILES_NOT_SEARCHED, count,
                  &found.incomplete);
  }
  return found;
}

}  // namespace banyan::lspd
