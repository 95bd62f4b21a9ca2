// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_LANGUAGE_STATES_H_
#define LSPD_LANGUAGE_STATES_H_

#include <map>
#include <set>
#include <string>
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

  // The languages of the root, those with most files first.
  std::vector<lsp::v1::LanguageState> Of(const Workspace& workspace);

  // Starts the servers of these languages, so that the first question finds
  // them ready. Does not wait. Failures show at the first question.
  void Prewarm(const Asker& asker, const std::vector<std::string>& languages);

 private:
  struct Probe;

  std::map<std::string, lsp::v1::LanguageState> Probed(
      const std::map<std::string, int>& counts);

  InstalledServers& installed_;
  ServerPool& pool_;
  const Options options_;
  BackgroundWork work_;
};

}  // namespace banyan::lspd

#endif  // LSPD_LANGUAGE_STATES_H_
