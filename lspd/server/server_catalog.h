// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_SERVER_CATALOG_H_
#define LSPD_SERVER_SERVER_CATALOG_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/lsp/v1/server_catalog.pb.h"

namespace banyan::lspd {

using lsp::v1::ServerEntry;

// What a file's name says about it.
struct FileLanguage {
  std::string language;     // "cpp": the key of servers and leases.
  std::string document_id;  // "objective-c": LSP's languageId.
};

// Which language server for which language, as deploy/server_catalog.json says.
//
// Immutable; pointers to entries live as long as the catalogue. Thread-safe.
class ServerCatalog {
 public:
  // kInvalidArgument: the message names the row and the field that is wrong.
  static absl::StatusOr<ServerCatalog> Load(const std::string& path);
  static absl::StatusOr<ServerCatalog> Parse(absl::string_view json);

  ServerCatalog(ServerCatalog&&) = default;
  ServerCatalog& operator=(ServerCatalog&&) = default;

  // By file name first, then by the longest extension. Takes a path or a bare
  // name. Empty: no row knows such files.
  std::optional<FileLanguage> LanguageOf(absl::string_view path) const;

  // In the order in which they are to be tried, the ones that only a project
  // may choose left out. Empty: an unknown language.
  std::vector<const ServerEntry*> ServersOf(absl::string_view language) const;

  // By catalogue id, default or not; null if there is none.
  const ServerEntry* Find(absl::string_view id) const;

  std::vector<std::string> Languages() const;

 private:
  explicit ServerCatalog(lsp::v1::ServerCatalog rows);

  lsp::v1::ServerCatalog rows_;
  std::map<std::string, FileLanguage> by_file_name_;
  std::map<std::string, FileLanguage>
      by_extension_;  // Lower case, with the dot.
};

// LSP's languageId of a file as this one server wants it; empty if the server
// does not know such files.
std::string DocumentIdOf(const ServerEntry& entry, absl::string_view path);

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_SERVER_CATALOG_H_
