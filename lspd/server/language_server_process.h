// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_LANGUAGE_SERVER_PROCESS_H_
#define LSPD_SERVER_LANGUAGE_SERVER_PROCESS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/sandbox/guardian.h"
#include "lspd/server/installed_servers.h"
#include "lspd/server/language_server.h"

namespace banyan::lspd {

// What a language server process is started with.
struct LaunchRequest {
  InstalledServer installed;
  std::vector<std::string> roots;  // Canonical; the first is where it works.
  std::string private_dir;         // Its own: copies, caches. Made if absent.
  std::string search_path;         // PATH of the process.
  std::string tools_dir;           // ${tools_dir}
  absl::Duration start_limit =
      absl::Seconds(60);  // Until it has answered `initialize`.
  // A server that has answered nothing for so long while questions timed out
  // is stuck, and killed.
  absl::Duration stuck_after = absl::Seconds(30);
  // The one before was broken, too (BrokenMethods): another start is no cure.
  bool follows_a_broken_one = false;
  // So long a ready server may say nothing about a document before it is asked
  // whether it still answers.
  absl::Duration diagnostics_silence = absl::Seconds(5);
  // Polled while it starts: true gives the start up. May be null.
  std::function<bool()> is_unwanted;
  // After each answer; may be null.
  std::function<void(absl::string_view method, absl::Duration took)> on_answer;
};

// Starts the process and takes it through `initialize`. `guardian`
// outlives the server. Blocks.
//   SERVER_MISSING  the program does not start
//   SERVER_DOWN     it ended, refused or did not answer in time; the message
//                   holds the end of what it wrote to standard error
absl::StatusOr<std::unique_ptr<LanguageServer>> StartLanguageServer(
    Guardian& guardian, LaunchRequest request);

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_LANGUAGE_SERVER_PROCESS_H_
