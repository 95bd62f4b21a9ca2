// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/server_catalog.h"

#include <google/protobuf/util/json_util.h>
#include <re2/re2.h>

#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lspd/server/quirks.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

absl::string_view BaseName(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// ".d.ts" before ".ts": every suffix of the name that begins with a dot.
template <typename Visitor>
void ForEachExtension(absl::string_view name, Visitor visit) {
  for (size_t dot = name.find('.'); dot != absl::string_view::npos;
       dot = name.find('.', dot + 1)) {
    if (visit(absl::AsciiStrToLower(name.substr(dot)))) return;
  }
}

absl::Status Wrong(const ServerEntry& entry, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("server \"", entry.id(), "\": ", what));
}

absl::Status CheckExpression(const ServerEntry& entry, absl::string_view field,
                             const std::string& expression) {
  const re2::RE2 compiled(expression, re2::RE2::Quiet);
  if (compiled.ok()) return absl::OkStatus();
  return Wrong(
      entry,
      absl::StrCat(field, " is no regular expression: ", compiled.error()));
}

absl::Status CheckRow(const ServerEntry& entry) {
  if (entry.id().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a server of \"", entry.language(), "\" has no id"));
  }
  if (entry.language().empty()) return Wrong(entry, "language is empty");
  if (entry.command().empty()) return Wrong(entry, "command is empty");
  if (entry.documents().empty()) return Wrong(entry, "documents is empty");
  for (const lsp::v1::DocumentLanguage& document : entry.documents()) {
    if (document.id().empty()) return Wrong(entry, "a document has no id");
    for (const std::string& extension : document.extensions()) {
      if (!absl::StartsWith(extension, ".") ||
          extension != absl::AsciiStrToLower(extension)) {
        return Wrong(entry, absl::StrCat("extension \"", extension,
                                         "\" must be lower case with a dot"));
      }
    }
  }
  for (const std::string& quirk : entry.quirks()) {
    if (!IsKnownQuirk(quirk)) {
      return Wrong(entry, absl::StrCat("no quirk is named \"", quirk, "\""));
    }
  }
  RETURN_IF_ERROR(
      CheckExpression(entry, "version_pattern", entry.version_pattern()));
  return CheckExpression(entry, "readiness.pattern",
                         entry.readiness().pattern());
}

absl::Status CheckRows(const lsp::v1::ServerCatalog& rows) {
  std::set<std::string> ids;
  for (const ServerEntry& entry : rows.servers()) {
    RETURN_IF_ERROR(CheckRow(entry));
    if (!ids.insert(entry.id()).second)
      return Wrong(entry, "stands there twice");
  }
  return absl::OkStatus();
}

}  // namespace

ServerCatalog::ServerCatalog(lsp::v1::ServerCatalog rows)
    : rows_(std::move(rows)) {
  // The first row of a file type decides, so emplace() and not assignment.
  for (const ServerEntry& entry : rows_.servers()) {
    if (!entry.is_default()) continue;
    for (const lsp::v1::DocumentLanguage& document : entry.documents()) {
      const FileLanguage language = {entry.language(), document.id()};
      for (const std::string& name : document.file_names()) {
        by_file_name_.emplace(name, language);
      }
      for (const std::string& extension : document.extensions()) {
        by_extension_.emplace(extension, language);
      }
    }
  }
}

absl::StatusOr<ServerCatalog> ServerCatalog::Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream json;
  json << file.rdbuf();
  if (!file) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot read the server catalogue ", path));
  }
  absl::StatusOr<ServerCatalog> catalog = Parse(json.str());
  if (!catalog.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", catalog.status().message()));
  }
  return catalog;
}

absl::StatusOr<ServerCatalog> ServerCatalog::Parse(absl::string_view json) {
  lsp::v1::ServerCatalog rows;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(std::string(json), &rows);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(std::string(parsed.message()));
  }
  RETURN_IF_ERROR(CheckRows(rows));
  return ServerCatalog(std::move(rows));
}

std::optional<FileLanguage> ServerCatalog::LanguageOf(
    absl::string_view path) const {
  const absl::string_view name = BaseName(path);
  const auto named = by_file_name_.find(std::string(name));
  if (named != by_file_name_.end()) return named->second;
  std::optional<FileLanguage> language;
  ForEachExtension(name, [&](const std::string& extension) {
    const auto found = by_extension_.find(extension);
    if (found == by_extension_.end()) return false;
    language = found->second;
    return true;
  });
  return language;
}

std::vector<const ServerEntry*> ServerCatalog::ServersOf(
    absl::string_view language) const {
  std::vector<const ServerEntry*> servers;
  for (const ServerEntry& entry : rows_.servers()) {
    if (entry.is_default() && entry.language() == std::string(language)) {
      servers.push_back(&entry);
    }
  }
  return servers;
}

const ServerEntry* ServerCatalog::Find(absl::string_view id) const {
  for (const ServerEntry& entry : rows_.servers()) {
    if (entry.id() == std::string(id)) return &entry;
  }
  return nullptr;
}

std::vector<std::string> ServerCatalog::Languages() const {
  std::vector<std::string> languages;
  std::set<std::string> seen;
  for (const ServerEntry& entry : rows_.servers()) {
    if (entry.is_default() && seen.insert(entry.language()).second) {
      languages.push_back(entry.language());
    }
  }
  return languages;
}

std::string DocumentIdOf(const ServerEntry& entry, absl::string_view path) {
  const absl::string_view name = BaseName(path);
  std::string id;
  for (const lsp::v1::DocumentLanguage& document : entry.documents()) {
    for (const std::string& known : document.file_names()) {
      if (name == absl::string_view(known)) return document.id();
    }
  }
  ForEachExtension(name, [&](const std::string& extension) {
    for (const lsp::v1::DocumentLanguage& document : entry.documents()) {
      for (const std::string& known : document.extensions()) {
        if (known == extension) {
          id = document.id();
          return true;
        }
      }
    }
    return false;
  });
  return id;
}

}  // namespace banyan::lspd
