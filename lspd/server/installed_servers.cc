// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/installed_servers.h"

#include <re2/re2.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "lspd/server/run_program.h"
#include "lspd/server/server_settings.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr absl::Duration kVersionLimit = absl::Seconds(20);

std::string FirstLine(const std::string& text) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  return std::string(absl::StripAsciiWhitespace(lines.front()));
}

std::string RealPath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

absl::Status Missing(absl::string_view language,
                     const std::vector<const ServerEntry*>& servers,
                     const std::vector<std::string>& reasons) {
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_SERVER_MISSING);
  std::string message =
      absl::StrCat("no language server for ", language, " works here (",
                   absl::StrJoin(reasons, "; "), ").");
  for (const ServerEntry* server : servers) {
    detail.add_alternatives(server->id());
    if (!server->install().hint().empty()) {
      absl::StrAppend(&message, " To install ", server->id(), ": ",
                      server->install().hint(), ".");
    }
  }
  return rpc::Error(std::move(detail), message);
}

}  // namespace

std::string InstalledServer::Fingerprint() const {
  return absl::StrCat(real_path, "|", version, "|",
                      absl::StrJoin(command.begin() + 1, command.end(), " "));
}

InstalledServers::InstalledServers(const ServerCatalog& catalog,
                                   Options options)
    : catalog_(catalog), options_(std::move(options)) {
  std::vector<std::string> folders;
  if (!options_.tools_dir.empty()) {
    std::error_code ignored;
    options_.tools_dir = std::filesystem::absolute(options_.tools_dir, ignored);
    folders = {absl::StrCat(options_.tools_dir, "/bin"),
               absl::StrCat(options_.tools_dir, "/node_modules/.bin")};
  }
  if (!options_.path.empty()) folders.push_back(options_.path);
  search_path_ = absl::StrJoin(folders, ":");
  if (!options_.now) options_.now = [] { return absl::Now(); };
  if (!options_.run) {
    const char* home = getenv("HOME");
    const std::vector<std::string> environment = {
        absl::StrCat("PATH=", search_path_),
        absl::StrCat("HOME=", home == nullptr ? "/" : home), "LANG=C.UTF-8"};
    options_.run = [environment](const std::vector<std::string>& argv) {
      return RunProgram(argv, environment, kVersionLimit);
    };
  }
}

absl::StatusOr<InstalledServer> InstalledServers::ForLanguage(
    absl::string_view language) {
  const std::vector<const ServerEntry*> servers = catalog_.ServersOf(language);
  if (servers.empty()) {
    return rpc::Error(rpc::v1::ERROR_REASON_LANGUAGE_UNKNOWN,
                      absl::StrCat("no language server is known for \"",
                                   language, "\"; known are ",
                                   absl::StrJoin(catalog_.Languages(), ", ")));
  }
  std::vector<std::string> reasons;
  for (const ServerEntry* server : servers) {
    absl::StatusOr<InstalledServer> installed = Check(*server);
    if (installed.ok()) return installed;
    reasons.push_back(
        absl::StrCat(server->id(), ": ", installed.status().message()));
  }
  return Missing(language, servers, reasons);
}

absl::StatusOr<InstalledServer> InstalledServers::ById(absl::string_view id) {
  const ServerEntry* entry = catalog_.Find(id);
  if (entry == nullptr) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_LANGUAGE_UNKNOWN,
        absl::StrCat("no language server has the id \"", id, "\""));
  }
  absl::StatusOr<InstalledServer> installed = Check(*entry);
  if (installed.ok()) return installed;
  return Missing(
      entry->language(), {entry},
      {absl::StrCat(entry->id(), ": ", installed.status().message())});
}

absl::StatusOr<InstalledServer> InstalledServers::Check(
    const ServerEntry& entry) {
  std::unique_lock<std::mutex> lock(mutex_);
  absl::Time now = options_.now();
  while (true) {
    const auto known = verdicts_.find(entry.id());
    if (known != verdicts_.end() &&
        (known->second.server.ok() ||
         now < known->second.when + options_.retry_after)) {
      return known->second.server;
    }
    if (probing_.insert(entry.id()).second) break;
    probed_.wait(lock);
    now = options_.now();
  }
  // Unlocked: nobody waits for a slow program of another language.
  lock.unlock();
  absl::StatusOr<InstalledServer> server = Probe(entry);
  lock.lock();
  verdicts_.insert_or_assign(entry.id(), Verdict{server, now});
  probing_.erase(entry.id());
  probed_.notify_all();
  return server;
}

absl::StatusOr<InstalledServer> InstalledServers::Probe(
    const ServerEntry& entry) const {
  std::vector<std::string> names(entry.programs().begin(),
                                 entry.programs().end());
  names.push_back(entry.command(0));
  absl::Status failure;
  for (const std::string& name : names) {
    absl::StatusOr<InstalledServer> server = ProbeProgram(entry, name);
    if (server.ok()) return server;
    // A program that is there and fails explains more than one that is not.
    if (failure.ok() || !absl::IsNotFound(server.status())) {
      failure = server.status();
    }
  }
  return failure;
}

absl::StatusOr<InstalledServer> InstalledServers::ProbeProgram(
    const ServerEntry& entry, const std::string& name) const {
  const std::string program = FindProgram(name);
  if (program.empty()) {
    return absl::NotFoundError(absl::StrCat(name, " is not installed"));
  }
  InstalledServer server;
  server.entry = &entry;
  server.command.assign(entry.command().begin(), entry.command().end());
  server.command[0] = program;
  server.real_path = RealPath(program);
  if (entry.version_command().empty()) return server;

  std::vector<std::string> argv(entry.version_command().begin(),
                                entry.version_command().end());
  argv[0] = argv[0] == entry.command(0) ? program : FindProgram(argv[0]);
  if (argv[0].empty()) {
    return absl::NotFoundError(
        absl::StrCat(entry.version_command(0), " is not installed"));
  }
  for (std::string& argument : argv) {
    argument = Expand(argument, {{"program", program}});
  }
  ASSIGN_OR_RETURN(const std::string output, options_.run(argv));
  server.version = FirstLine(output);
  const re2::RE2 pattern(entry.version_pattern(), re2::RE2::Quiet);
  if (entry.version_pattern().empty()) return server;
  if (!re2::RE2::PartialMatch(output, pattern)) {
    return absl::UnknownError(
        absl::StrCat(name, " is ", server.version, ", which does not do"));
  }
  if (pattern.NumberOfCapturingGroups() > 0) {
    re2::RE2::PartialMatch(output, pattern, &server.version);
  }
  return server;
}

std::string InstalledServers::FindProgram(const std::string& name) const {
  const auto is_program = [](const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) &&
           access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    return name[0] == '/' && is_program(name) ? name : "";
  }
  for (const absl::string_view folder : absl::StrSplit(search_path_, ':')) {
    // A relative folder would mean the one that we happen to stand in.
    if (folder.empty() || folder[0] != '/') continue;
    std::string path = absl::StrCat(folder, "/", name);
    if (is_program(path)) return path;
  }
  return "";
}

}  // namespace banyan::lspd
