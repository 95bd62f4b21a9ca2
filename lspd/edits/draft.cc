// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/draft.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lspd/protocol/text_position.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

absl::Status NotThere(absl::string_view path) {
  return rpc::Error(rpc::v1::ERROR_REASON_FILE_NOT_FOUND,
                    absl::StrCat("no such file: ", path,
                                 "; find_file or list_dir say what there is"));
}

absl::Status IsThere(absl::string_view path) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_CONFLICT,
      absl::StrCat(path,
                   " is there already; read_file shows it. Change it "
                   "with an edit, or choose another name."));
}

// Says what a project is: an agent must not change that for all others.
bool IsSettings(absl::string_view real_path) {
  return absl::EqualsIgnoreCase(real_path, ".banyan/project.json") ||
         absl::EndsWithIgnoreCase(real_path, "/.banyan/project.json");
}

}  // namespace

bool IsWritablePath(absl::string_view real_path) {
  const absl::StatusOr<std::string> clean = CleanRelativePath(real_path);
  return clean.ok() && *clean == real_path && !IsSettings(real_path) &&
         !absl::StrContains(absl::StrCat("/", real_path, "/"), "/../");
}

absl::StatusOr<std::string> Draft::RealPath(absl::string_view path) const {
  ASSIGN_OR_RETURN(const std::string clean, CleanRelativePath(path));
  absl::StatusOr<std::string> real = root_.RealPath(clean);
  if (real.ok() ||
      rpc::ReasonOf(real.status()) != rpc::v1::ERROR_REASON_FILE_NOT_FOUND) {
    return real;
  }
  const size_t slash = clean.rfind('/');
  const std::string name =
      slash == std::string::npos ? clean : clean.substr(slash + 1);
  if (name == "..") return real.status();
  if (slash == std::string::npos) return name;
  ASSIGN_OR_RETURN(const std::string folder, RealPath(clean.substr(0, slash)));
  return CleanRelativePath(folder.empty() ? name
                                          : absl::StrCat(folder, "/", name));
}

absl::Status Draft::CheckNoLink(absl::string_view path) const {
  ASSIGN_OR_RETURN(const std::string clean, CleanRelativePath(path));
  ASSIGN_OR_RETURN(const std::string real, RealPath(clean));
  const size_t slash = clean.rfind('/');
  ASSIGN_OR_RETURN(
      const std::string folder,
      RealPath(slash == std::string::npos ? "" : clean.substr(0, slash)));
  const std::string name =
      slash == std::string::npos ? clean : clean.substr(slash + 1);
  if (real == name || real == absl::StrCat(folder, "/", name)) {
    return absl::OkStatus();
  }
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                    absl::StrCat(path, " is a link to ", real,
                                 ". Nothing was changed: name that file if it "
                                 "is meant."));
}

absl::StatusOr<Draft::Entry*> Draft::At(absl::string_view path) {
  ASSIGN_OR_RETURN(const std::string real, RealPath(path));
  if (real.empty()) {
    return rpc::Error(rpc::v1::ERROR_REASON_NOT_A_FILE,
                      "the root is a folder; name a file in it");
  }
  if (IsSettings(real)) {
    return rpc::Error(rpc::v1::ERROR_REASON_PATH_FORBIDDEN,
                      "`.banyan/project.json` is for people to change, not for "
                      "tools");
  }
  if (!IsWritablePath(real)) {
    return rpc::Error(rpc::v1::ERROR_REASON_PATH_FORBIDDEN,
                      absl::StrCat(path, " leads where no edit may write"));
  }
  const auto known = entries_.find(real);
  if (known != entries_.end()) return &known->second;
  Entry entry;
  absl::StatusOr<FileContent> content = root_.ReadFile(real);
  if (content.ok()) {
    entry.before = std::move(content->bytes);
    entry.before_hash = std::move(content->hash);
    entry.now = entry.before;
  } else if (rpc::ReasonOf(content.status()) !=
             rpc::v1::ERROR_REASON_FILE_NOT_FOUND) {
    return content.status();
  }
  return &entries_.emplace(real, std::move(entry)).first->second;
}

absl::StatusOr<Draft::Entry*> Draft::Existing(absl::string_view path) {
  ASSIGN_OR_RETURN(Entry* const entry, At(path));
  if (!entry->now) return NotThere(path);
  return entry;
}

absl::StatusOr<absl::string_view> Draft::Read(absl::string_view path) {
  ASSIGN_OR_RETURN(Entry* const entry, Existing(path));
  return absl::string_view(*entry->now);
}

absl::StatusOr<absl::string_view> Draft::ReadText(absl::string_view path) {
  ASSIGN_OR_RETURN(const absl::string_view text, Read(path));
  if (IsValidUtf8(text) && !absl::StrContains(text, '\0')) return text;
  return rpc::Error(rpc::v1::ERROR_REASON_NOT_UTF8,
                    absl::StrCat(path,
                                 " is not UTF-8 text, so these tools read it "
                                 "but do not edit it: bytes that cannot be "
                                 "shown could be lost"));
}

absl::StatusOr<std::optional<std::string>> Draft::DiskHash(
    absl::string_view path) {
  ASSIGN_OR_RETURN(const Entry* const entry, At(path));
  if (!entry->before) return std::optional<std::string>();
  return std::optional<std::string>(entry->before_hash);
}

absl::Status Draft::Write(absl::string_view path, std::string text) {
  ASSIGN_OR_RETURN(Entry* const entry, Existing(path));
  entry->now = std::move(text);
  return absl::OkStatus();
}

absl::Status Draft::Create(absl::string_view path, std::string text,
                           bool may_overwrite) {
  ASSIGN_OR_RETURN(Entry* const entry, At(path));
  if (entry->now && !may_overwrite) return IsThere(path);
  entry->now = std::move(text);
  return absl::OkStatus();
}

absl::Status Draft::Delete(absl::string_view path) {
  RETURN_IF_ERROR(CheckNoLink(path));
  ASSIGN_OR_RETURN(Entry* const entry, Existing(path));
  entry->now = std::nullopt;
  return absl::OkStatus();
}

absl::Status Draft::Move(absl::string_view from, absl::string_view to) {
  RETURN_IF_ERROR(CheckNoLink(from));
  ASSIGN_OR_RETURN(Entry* const source, Existing(from));
  ASSIGN_OR_RETURN(Entry* const target, At(to));
  if (target->now) return IsThere(to);
  if (source->before) {
    ASSIGN_OR_RETURN(target->attributes_of, RealPath(from));
  } else {
    target->attributes_of = source->attributes_of;
  }
  target->now = std::move(source->now);
  source->now = std::nullopt;
  return absl::OkStatus();
}

void Draft::Forget(absl::string_view path) {
  const absl::StatusOr<std::string> real = RealPath(path);
  if (!real.ok()) return;
  const auto entry = entries_.find(*real);
  if (entry == entries_.end()) return;
  if (entry->second.now == entry->second.before) entries_.erase(entry);
}

bool Draft::IsChanged(absl::string_view path) {
  const absl::StatusOr<Entry*> entry = At(path);
  return entry.ok() && (*entry)->now != (*entry)->before;
}

std::vector<DraftChange> Draft::Changes() const {
  std::vector<DraftChange> changes;
  for (const auto& [path, entry] : entries_) {
    if (entry.now == entry.before) continue;
    changes.push_back({.path = path,
                       .before = entry.before,
                       .after = entry.now,
                       .attributes_of = entry.attributes_of});
  }
  return changes;
}

}  // namespace banyan::lspd
