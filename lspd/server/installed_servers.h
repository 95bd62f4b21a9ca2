// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_INSTALLED_SERVERS_H_
#define LSPD_SERVER_INSTALLED_SERVERS_H_

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/server/server_catalog.h"

namespace banyan::lspd {

// A catalogue row whose program was found here and works.
struct InstalledServer {
  const ServerEntry* entry = nullptr;
  // As in the row; the first is an absolute path.
  std::vector<std::string> command;
  std::string real_path;  // Of the program, links resolved.
  std::string version;

  // Program, version and arguments: servers with one fingerprint answer alike.
  std::string Fingerprint() const;
};

// Which servers of the catalogue work on this machine. A program counts when
// its version command exits with 0, not when a file of that name is on the
// path: the rust-analyzer of a toolchain manager may be a stub that fails.
//
// Thread-safe. The first question about a language runs version commands and
// blocks, others that ask the same meanwhile
// wait for it; answers are kept, failures for `retry_after`.
class InstalledServers {
 public:
  // Runs a program to its end: its output, or why it failed.
  using Runner = std::function<absl::StatusOr<std::string>(
      const std::vector<std::string>& argv)>;

  struct Options {
    // Looked into first: <tools_dir>/bin and <tools_dir>/node_modules/.bin.
    std::string tools_dir;
    std::string path;  // Colon-separated, as in the environment.
    absl::Duration retry_after = absl::Seconds(30);
    Runner run;                       // Null: RunProgram, for at most 20 s.
    std::function<absl::Time()> now;  // Null: the wall clock.
  };

  // `catalog` must outlive this.
  InstalledServers(const ServerCatalog& catalog, Options options);

  // The first server of the language that works.
  //   LANGUAGE_UNKNOWN  no row has this language
  //   SERVER_MISSING    none works; the message says how to install one
  absl::StatusOr<InstalledServer> ForLanguage(absl::string_view language);

  // By catalogue id. The same codes.
  absl::StatusOr<InstalledServer> ById(absl::string_view id);

  // Where programs are looked for, tools folder first: the PATH of servers.
  const std::string& search_path() const { return search_path_; }
  const std::string& tools_dir() const { return options_.tools_dir; }
  const ServerCatalog& catalog() const { return catalog_; }

 private:
  struct Verdict {
    absl::StatusOr<InstalledServer> server;
    absl::Time when;
  };

  absl::StatusOr<InstalledServer> Check(const ServerEntry& entry);
  absl::StatusOr<InstalledServer> Probe(const ServerEntry& entry) const;
  absl::StatusOr<InstalledServer> ProbeProgram(const ServerEntry& entry,
                                               const std::string& name) const;
  std::string FindProgram(const std::string& name) const;

  const ServerCatalog& catalog_;
  Options options_;
  std::string search_path_;
  std::mutex mutex_;
  std::condition_variable probed_;
  std::set<std::string> probing_;  // Catalogue ids. Guarded by mutex_.
  // By catalogue id. Guarded by mutex_.
  std::map<std::string, Verdict> verdicts_;
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_INSTALLED_SERVERS_H_
