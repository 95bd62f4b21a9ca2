// SPDX-License-Identifier: Apache-2.0
#include "lspd/language_states.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

using lsp::v1::LanguageState;

const char* StateOf(lsp::v1::ServerStatus status) {
  switch (status) {
    case lsp::v1::SERVER_STATUS_STARTING:
      return "starting";
    case lsp::v1::SERVER_STATUS_RUNNING:
    case lsp::v1::SERVER_STATUS_IDLE:
      return "running";
    case lsp::v1::SERVER_STATUS_FAILED:
      return "failed";
    default:
      return "not started";
  }
}

LanguageState ProbedState(const std::string& language,
                          InstalledServers& installed) {
  LanguageState state;
  state.set_language(language);
  const absl::StatusOr<InstalledServer> server =
      installed.ForLanguage(language);
  if (server.ok()) {
    state.set_server(server->entry->id());
    state.set_state("not started");
  } else {
    state.set_state("missing");
    state.set_message(std::string(server.status().message()));
  }
  return state;
}

}  // namespace

std::map<std::string, int> CountLanguages(
    const ServerCatalog& catalog, const std::map<std::string, int>& endings) {
  std::map<std::string, int> counts;
  for (const auto& [ending, files] : endings) {
    // An ending alone (".cc") is looked up as the name of some such file.
    const std::string name = ending.front() == '.' ? "x" + ending : ending;
    const auto language = catalog.LanguageOf(name);
    if (language.has_value()) counts[language->language] += files;
  }
  return counts;
}

// Version commands of several programs, run side by side.
struct LanguageStates::Probe {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, LanguageState> states;  // Guarded by mutex.
  size_t left = 0;                              // Guarded by mutex.
};

LanguageStates::LanguageStates(InstalledServers& installed, ServerPool& pool,
                               Options options)
    : installed_(installed), pool_(pool), options_(options) {}

LanguageStates::~LanguageStates() { work_.Finish(); }

LanguageReport LanguageStates::Of(const Asker& asker,
                                  const std::vector<std::string>& prewarm) {
  const Workspace& workspace = *asker.workspace;
  rpc::CallContext call;
  call.deadline = absl::Now() + options_.probe_limit;
  const absl::StatusOr<Workspace::FileCounts> files =
      workspace.ExtensionCounts(call);
  LanguageReport report;
  std::map<std::string, int> counts;
  if (files.ok()) counts = CountLanguages(installed_.catalog(), files->endings);
  if (!files.ok() || !files->incomplete.empty()) {
    report.warnings.push_back(absl::StrCat(
        "The list of languages is not complete: ",
        files.ok() ? "not all files could be looked at in time"
                   : files.status().message(),
        ". Questions about any language may be asked all the same."));
  }
  for (const std::string& language :
       std::set<std::string>(prewarm.begin(), prewarm.end())) {
    if (counts.count(language) > 0) Prewarm(asker, language);
  }
  std::map<std::string, LanguageState> states = Probed(counts);
  const lsp::v1::GetPoolStatsResponse stats = pool_.Stats();
  for (const lsp::v1::ServerStats& server : stats.servers()) {
    const auto found = states.find(server.language());
    if (found == states.end() ||
        server.workspace_root() != workspace.root().path()) {
      continue;
    }
    found->second.set_server(server.server());
    found->second.set_state(StateOf(server.status()));
  }
  for (auto& [language, state] : states) {
    state.set_files(counts.at(language));
    report.states.push_back(std::move(state));
  }
  std::stable_sort(report.states.begin(), report.states.end(),
                   [](const LanguageState& a, const LanguageState& b) {
                     return a.files() > b.files();
                   });
  return report;
}

std::map<std::string, LanguageState> LanguageStates::Probed(
    const std::map<std::string, int>& counts) {
  const auto probe = std::make_shared<Probe>();
  probe->left = counts.size();
  for (const auto& [language, files] : counts) {
    LanguageState unknown;
    unknown.set_language(language);
    unknown.set_state("not started");
    probe->states[language] = unknown;
  }
  for (const auto& [language, files] : counts) {
    work_.Run([this, probe, name = language] {
      LanguageState state = ProbedState(name, installed_);
      const std::lock_guard<std::mutex> lock(probe->mutex);
      probe->states[name] = std::move(state);
      --probe->left;
      probe->changed.notify_all();
    });
  }
  std::unique_lock<std::mutex> lock(probe->mutex);
  probe->changed.wait_for(lock,
                          absl::ToChronoMilliseconds(options_.probe_limit),
                          [&probe] { return probe->left == 0; });
  return probe->states;
}

void LanguageStates::Prewarm(const Asker& asker, const std::string& language) {
  const std::tuple key(asker.workspace->root().path(), asker.trust_domain,
                       language);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!prewarming_.insert(key).second) return;
  }
  work_.Run([this, asker, key] {
    rpc::CallContext call;
    call.deadline = absl::Now() + options_.prewarm_limit;
    {
      const auto lease =
          pool_.Acquire({.root = std::get<0>(key),
                         .trust_domain = asker.trust_domain,
                         .language = std::get<2>(key),
                         .session_public_id = asker.session_public_id},
                        call);
      if (lease.ok()) static_cast<void>((*lease)->WaitUntilReady(call));
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    prewarming_.erase(key);
  });
}

}  // namespace banyan::lspd
