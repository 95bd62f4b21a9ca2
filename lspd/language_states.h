// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_LANGUAGE_STATES_H_
#define LSPD_LANGUAGE_STATES_H_

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "banyan/lsp/v1/file_service.pb.h"
#include "lspd/pool/background_work.h"
#include "lspd/pool/server_pool.h"
#include "lspd/queries/question.h"
#include "lspd/server/installed_servers.h"
#include "lspd/workspace/workspace.h"

namespace banyan::lspd {

// Files per language, of counts per file ending (Workspace::ExtensionCounts).
std::map<std::string, int> CountLanguages(
    const ServerCatalog& catalog, const std::map<std::string, int>& endings);

// What activate_project answers of a root's languages.
struct LanguageReport {
  std::vector<lsp::v1::LanguageState> states;  // Those with most files first.
  std::vector<std::string> warnings;           // For the agent.
};

// Which languages a root holds and how their servers stand: what
// activate_project answers. All references outlive this. Thread-safe.
class LanguageStates {
 public:
  struct Options {
    // What is not known of a program by then is told as "not started".
    absl::Duration probe_limit = absl::Seconds(2);
    absl::Duration prewarm_limit = absl::Minutes(2);
  };

  LanguageStates(InstalledServers& installed, ServerPool& pool,
                 Options options);

  // Waits for running prewarms.
  ~LanguageStates();

  // The languages of the root. Starts the servers of those that `prewarm` names,
  // so that the first question finds them ready, without waiting: their
  // failures show at that question. What is not in the root is not started. A
  // warning tells when not all files could be listed.
  LanguageReport Of(const Asker& asker,
                    const std::vector<std::string>& prewarm);

 private:
  struct Probe;

  void Prewarm(const Asker& asker, const std::string& language);

  std::map<std::string, lsp::v1::LanguageState> Probed(
      const std::map<std::string, int>& counts);

  InstalledServers& installed_;
  ServerPool& pool_;
  const Options options_;

  std::mutex mutex_;
  // Root, trust domain, language. Guarded by mutex_. However often somebody
  // asks, one thread waits for each.
  std::set<std::tuple<std::string, std::string, std::string>> prewarming_;

  BackgroundWork work_;
};

}  // namespace banyan::lspd

#endif  // LSPD_LANGUAGE_STATES_H_
