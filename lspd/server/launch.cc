// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/launch.h"

#include <unistd.h>

#include <map>
#include <set>

#include "absl/strings/str_cat.h"

namespace banyan::lspd {
namespace {

const std::set<std::string>& PassedOn() {
  static const auto* const kNames = new std::set<std::string>{
      "HOME",           "USER",        "LOGNAME",     "LANG",
      "LC_ALL",         "TZ",          "TMPDIR",      "SSL_CERT_FILE",
      "SSL_CERT_DIR",   "GOPATH",      "GOROOT",      "GOFLAGS",
      "GOPROXY",        "GOMODCACHE",  "GOCACHE",     "GOTOOLCHAIN",
      "GOPRIVATE",      "CARGO_HOME",  "RUSTUP_HOME", "RUSTUP_TOOLCHAIN",
      "RUST_SRC_PATH",  "RUSTFLAGS",   "JAVA_HOME",   "VIRTUAL_ENV",
      "XDG_CACHE_HOME", "NODE_OPTIONS"};
  return *kNames;
}

}  // namespace

Variables VariablesOf(const LaunchRequest& request, const std::string& root) {
  return {{"root", root},
          {"private_dir", request.private_dir},
          {"cache_dir", absl::StrCat(request.private_dir, "/cache")},
          {"tools_dir", request.tools_dir}};
}

SpawnRequest SpawnRequestOf(
    const LaunchRequest& request,
    const std::vector<std::pair<std::string, std::string>>& our_environment) {
  const std::string& root = request.roots.front();
  const Variables variables = VariablesOf(request, root);
  std::map<std::string, std::string> environment = {{"LANG", "C.UTF-8"}};
  for (const auto& [name, value] : our_environment) {
    if (PassedOn().count(name) > 0) environment[name] = value;
  }
  environment["PATH"] = request.search_path;
  for (const auto& [name, value] : request.installed.entry->environment()) {
    environment[name] = Expand(value, variables);
  }

  SpawnRequest spawn;
  spawn.directory = root;
  spawn.environment.assign(environment.begin(), environment.end());
  for (const std::string& argument : request.installed.command) {
    spawn.argv.push_back(Expand(argument, variables));
  }
  return spawn;
}

std::vector<std::pair<std::string, std::string>> OurEnvironment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string text = *each;
    const size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

}  // namespace banyan::lspd
