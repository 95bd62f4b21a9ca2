// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/compile_database.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char kCommands[] = "compile_commands.json";
constexpr char kFlags[] = "compile_flags.txt";
constexpr uintmax_t kMostBytes = 256u << 20;
constexpr size_t kMostSources = 20'000;  // That compile_flags.txt is for.

// Of size and modification time; 0 if it is no regular file.
int64_t StampOf(const fs::path& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  return info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec +
         info.st_size;
}

std::optional<fs::path> RealFileBeneath(const std::string& root,
                                        const fs::path& path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  if (error || !fs::is_regular_file(real, error)) return std::nullopt;
  if (!absl::StartsWith(real.string(), absl::StrCat(root, "/"))) {
    return std::nullopt;
  }
  return real;
}

// The root itself, then the usual build folders and theirs, then the other
// folders of the root: of several the newest.
std::optional<fs::path> FindCommands(const std::string& root) {
  if (auto found = RealFileBeneath(root, fs::path(root) / kCommands))
    return found;
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator folder(root, error);
       !error && folder != fs::directory_iterator(); folder.increment(error)) {
    std::error_code ignored;
    if (folder->path().filename() == ".git" || !folder->is_directory(ignored)) {
      continue;
    }
    folders.push_back(folder->path());
    const std::string name = folder->path().filename().string();
    if (!absl::StartsWith(name, "build") && name != "out") continue;
    for (fs::directory_iterator inner(folder->path(), ignored);
         !ignored && inner != fs::directory_iterator();
         inner.increment(ignored)) {
      std::error_code no_folder;
      if (inner->is_directory(no_folder)) folders.push_back(inner->path());
    }
  }
  std::optional<fs::path> newest;
  for (const fs::path& folder : folders) {
    std::optional<fs::path> found = RealFileBeneath(root, folder / kCommands);
    if (found && (!newest || StampOf(*found) > StampOf(*newest)))
      newest = found;
  }
  return newest;
}

std::string ReadFile(const fs::path& path) {
  std::error_code error;
  if (fs::file_size(path, error) > kMostBytes || error) return "";
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

std::string TextMember(const json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string()
             ? member->get<std::string>()
             : "";
}

// Relative folders are taken from where the database lies.
json AbsoluteEntries(const json& entries, const fs::path& base,
                     CompileDatabase* summary) {
  json copies = json::array();
  for (const json& entry : entries) {
    if (!entry.is_object()) continue;
    std::error_code error;
    const fs::path directory =
        fs::canonical(base / TextMember(entry, "directory"), error);
    std::error_code no_file;
    const fs::path file =
        fs::canonical(directory / TextMember(entry, "file"), no_file);
    if (error || no_file || !fs::is_regular_file(file, no_file)) {
      ++summary->unresolved;
      continue;
    }
    json copy = entry;
    copy["directory"] = directory.string();
    copy["file"] = file.string();
    copies.push_back(std::move(copy));
    ++summary->entries;
    if (summary->seed_file.empty()) summary->seed_file = file.string();
  }
  return copies;
}

bool IsSource(const fs::path& path) {
  for (const char* extension :
       {".c", ".cc", ".cpp", ".cxx", ".c++", ".m", ".mm"}) {
    if (path.extension() == extension) return true;
  }
  return false;
}

// One entry for each source file: clangd reads compile_flags.txt only where it
// lies, and then keeps its index there.
json EntriesFromFlags(const std::string& root, const std::string& flags,
                      CompileDatabase* summary) {
  json arguments = {"clang"};
  for (const absl::string_view line : absl::StrSplit(flags, '\n')) {
    if (!line.empty()) arguments.push_back(std::string(line));
  }
  json entries = json::array();
  std::error_code error;
  fs::recursive_directory_iterator file(
      root, fs::directory_options::skip_permission_denied, error);
  for (; !error && file != fs::recursive_directory_iterator() &&
         entries.size() < kMostSources;
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
    json command = arguments;
    command.push_back(file->path().string());
    entries.push_back({{"directory", root},
                       {"file", file->path().string()},
                       {"arguments", std::move(command)}});
  }
  return AbsoluteEntries(entries, root, summary);
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

fs::path FindSource(const std::string& root) {
  if (const auto commands = FindCommands(root)) return *commands;
  return RealFileBeneath(root, fs::path(root) / kFlags).value_or(fs::path());
}

}  // namespace

absl::StatusOr<CompileDatabase> CopyCompileDatabase(
    const std::string& root, const std::string& private_dir) {
  CompileDatabase summary;
  const fs::path target = fs::path(private_dir) / kCommands;
  const fs::path source = FindSource(root);
  std::error_code error;
  fs::create_directories(private_dir, error);
  if (source.empty()) {
    fs::remove(target, error);
    return summary;
  }
  summary.source = source.string();
  summary.source_stamp = StampOf(source);
  json entries;
  if (source.filename() == kFlags) {
    entries = EntriesFromFlags(root, ReadFile(source), &summary);
  } else {
    const json original = json::parse(ReadFile(source), nullptr, false);
    entries = AbsoluteEntries(original.is_array() ? original : json::array(),
                              source.parent_path(), &summary);
  }
  RETURN_IF_ERROR(WriteWhole(
      target, entries.dump(1, ' ', false, json::error_handler_t::replace)));
  return summary;
}

bool IsCompileDatabaseStale(const std::string& root,
                            const CompileDatabase& copy) {
  if (copy.source.empty()) return !FindSource(root).empty();
  return StampOf(copy.source) != copy.source_stamp;
}

}  // namespace banyan::lspd
