// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/compile_database.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "lspd/server/compile_entries.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;

constexpr char kCommands[] = "compile_commands.json";
constexpr char kFlags[] = "compile_flags.txt";
constexpr int64_t kMostBytes = 256 << 20;
constexpr size_t kMostSources = 20'000;  // That compile_flags.txt is for.

// A file that may be the database.
struct Source {
  std::string path;  // Relative to the root, links resolved.
  FileState state;
};

std::optional<Source> FileAt(const RootDirectory& root,
                             const std::string& path) {
  const absl::StatusOr<std::string> real = root.RealPath(path);
  if (!real.ok()) return std::nullopt;
  const absl::StatusOr<FileState> state = root.Stat(*real);
  if (!state.ok() || state->kind != FileKind::kFile) return std::nullopt;
  return Source{*real, *state};
}

std::vector<std::string> FoldersIn(const RootDirectory& root,
                                   const std::string& folder) {
  std::vector<std::string> folders;
  const auto entries = root.ListDirectory(folder);
  if (!entries.ok()) return folders;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.kind != FileKind::kDirectory) continue;
    folders.push_back(folder.empty() ? entry.name
                                     : absl::StrCat(folder, "/", entry.name));
  }
  return folders;
}

// The root itself, then its folders, and those of the usual build folders: of
// several the newest.
std::optional<Source> FindCommands(const RootDirectory& root) {
  if (auto found = FileAt(root, kCommands)) return found;
  std::vector<std::string> folders;
  for (const std::string& folder : FoldersIn(root, "")) {
    folders.push_back(folder);
    if (!absl::StartsWith(folder, "build") && folder != "out") continue;
    for (std::string& inner : FoldersIn(root, folder)) {
      folders.push_back(std::move(inner));
    }
  }
  std::optional<Source> newest;
  for (const std::string& folder : folders) {
    auto found = FileAt(root, absl::StrCat(folder, "/", kCommands));
    if (found &&
        (!newest || found->state.modified_ns > newest->state.modified_ns)) {
      newest = std::move(found);
    }
  }
  return newest;
}

std::optional<Source> FindSource(const RootDirectory& root) {
  if (auto commands = FindCommands(root)) return commands;
  return FileAt(root, kFlags);
}

bool IsSource(const fs::path& path) {
  for (const char* extension :
       {".c", ".cc", ".cpp", ".cxx", ".c++", ".m", ".mm"}) {
    if (path.extension() == extension) return true;
  }
  return false;
}

// The copy as it is made, and what is told of it.
class CopyText {
 public:
  // Relative folders are taken from `base`, where the database lies.
  CopyText(fs::path base, CompileDatabase* summary)
      : base_(std::move(base)), summary_(*summary) {}

  void Add(CompileEntry entry) {
    std::error_code error;
    const fs::path directory = fs::canonical(base_ / entry.directory, error);
    std::error_code no_file;
    const fs::path file = fs::canonical(directory / entry.file, no_file);
    if (error || no_file || !fs::is_regular_file(file, no_file)) {
      ++summary_.unresolved;
      return;
    }
    entry.directory = directory.string();
    entry.file = file.string();
    absl::StrAppend(&entries_, entries_.empty() ? "" : ",\n",
                    ToJsonText(entry));
    ++summary_.entries;
    if (summary_.seed_file.empty()) summary_.seed_file = file.string();
  }

  // Of a text that ends in the middle nothing is believed.
  void Clear() {
    entries_.clear();
    summary_.entries = 0;
    summary_.seed_file.clear();
  }

  std::string Text() const { return absl::StrCat("[", entries_, "]\n"); }

 private:
  const fs::path base_;
  CompileDatabase& summary_;
  std::string entries_;
};

// One entry for each source file: clangd reads compile_flags.txt only where it
// lies, and then keeps its index there.
void AddFromFlags(const std::string& root, absl::string_view flags,
                  CopyText* copy) {
  CompileEntry entry = {.directory = root,
                        .file = "",
                        .command = "",
                        .arguments = {"clang"},
                        .output = ""};
  for (const absl::string_view line : absl::StrSplit(flags, '\n')) {
    if (!line.empty()) entry.arguments.emplace_back(line);
  }
  entry.arguments.emplace_back();
  size_t sources = 0;
  std::error_code error;
  fs::recursive_directory_iterator file(
      root, fs::directory_options::skip_permission_denied, error);
  for (; !error && file != fs::recursive_directory_iterator() &&
         sources < kMostSources;
       file.increment(error)) {
    const std::string name = file->path().filename().string();
    std::error_code ignored;
    if (file->is_directory(ignored)) {
      if (name == ".git" || name == "node_modules") {
        file.disable_recursion_pending();
      }
      continue;
    }
    if (!IsSource(file->path())) continue;
    ++sources;
    entry.file = file->path().string();
    entry.arguments.back() = entry.file;
    copy->Add(entry);
  }
}

// The text of the copy; empty when there is no database.
std::string ReadSource(const RootDirectory& root,
                       const std::optional<Source>& source,
                       CompileDatabase* summary) {
  if (!source) return "";
  const fs::path path = fs::path(root.path()) / source->path;
  summary->source = path.string();
  summary->source_state = source->state;
  CopyText copy(path.parent_path(), summary);
  const absl::StatusOr<FileContent> content = root.ReadBytes(source->path);
  if (content.ok()) {
    // What was read counts, not what was looked at before.
    summary->source_state = content->state;
    if (path.filename() == kFlags) {
      AddFromFlags(root.path(), content->bytes, &copy);
    } else if (!ReadCompileEntries(content->bytes, [&copy](CompileEntry entry) {
                 copy.Add(std::move(entry));
               })) {
      copy.Clear();
    }
  }
  std::string text = copy.Text();
  summary->digest = HashOf(text);
  return text;
}

absl::Status WriteWhole(const fs::path& path, const std::string& content) {
  const fs::path temporary = absl::StrCat(path.string(), ".new");
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << content;
    if (!file.flush()) {
      return absl::InternalError(absl::StrCat("cannot write ", path.string()));
    }
  }
  std::error_code error;
  fs::rename(temporary, path, error);
  if (error) return absl::InternalError(error.message());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompileDatabase> CopyCompileDatabase(
    const std::string& root, const std::string& private_dir) {
  const fs::path target = fs::path(private_dir) / kCommands;
  ASSIGN_OR_RETURN(const std::shared_ptr<RootDirectory> folder,
                   RootDirectory::Open(root, {.max_file_bytes = kMostBytes}));
  CompileDatabase summary;
  const std::string text = ReadSource(*folder, FindSource(*folder), &summary);
  std::error_code error;
  fs::create_directories(private_dir, error);
  if (text.empty()) {
    fs::remove(target, error);
    return summary;
  }
  RETURN_IF_ERROR(WriteWhole(target, text));
  return summary;
}

bool IsCompileDatabaseStale(const std::string& root, CompileDatabase* copy) {
  const auto folder = RootDirectory::Open(root, {.max_file_bytes = kMostBytes});
  if (!folder.ok()) return false;  // The root is gone, and its server soon.
  const std::optional<Source> source = FindSource(**folder);
  const std::string path =
      source ? absl::StrCat((*folder)->path(), "/", source->path) : "";
  if (path == copy->source &&
      (!source || source->state == copy->source_state)) {
    return false;
  }
  CompileDatabase now;
  ReadSource(**folder, source, &now);
  if (now.digest != copy->digest) return true;
  *copy = std::move(now);
  return false;
}

}  // namespace banyan::lspd
