// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_READINESS_H_
#define LSPD_SERVER_READINESS_H_

#include <memory>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/lsp/v1/server_catalog.pb.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace banyan::lspd {

// Whether an answer that a server gives now is complete.
enum class ReadinessState {
  kIndexing,  // Still at work, or not yet heard of: answers may lack something.
  kReady,
  kUnknown,  // No signal came in its time: answers are `unknown_readiness`.
};

// Follows what a server says about its own work, by the rule of its catalogue
// row. Pure: every event comes with the time at which it happened.
//
// Not thread-safe.
class Readiness {
 public:
  enum class ProgressKind { kBegin, kReport, kEnd };

  Readiness(const lsp::v1::Readiness& rule, absl::Time start);
  ~Readiness();

  // The answer to `initialize` came: the server's time to speak begins.
  void OnStarted(absl::Time now) { armed_at_ = now; }

  // `token` is the progress token as text; `title` is empty but at the begin.
  void OnProgress(absl::string_view token, ProgressKind kind,
                  absl::string_view title, absl::Time now);
  void OnLogMessage(absl::string_view text, absl::Time now);
  // experimental/serverStatus
  void OnServerStatus(bool is_quiescent, absl::Time now);
  void OnDocumentOpened(absl::Time now);
  // A workspace folder was added: what was true no longer is until the server
  // has spoken again.
  void OnFolderAdded(absl::Time now);
  // A question whose answer is known was (not) answered rightly.
  void OnCanary(bool is_right);

  ReadinessState At(absl::Time now) const;

  // When At() may change by time alone; InfiniteFuture if only by an event.
  absl::Time NextChange(absl::Time now) const;

  // Nothing is indexed until a document is open, and none is yet.
  bool WaitsForDocument() const;

 private:
  void Arm(absl::Time now);
  ReadinessState ByProgress(absl::Time now) const;
  ReadinessState Unsignalled(absl::Time now) const;
  bool Matches(absl::string_view text) const;

  const lsp::v1::Readiness rule_;
  const std::unique_ptr<re2::RE2> pattern_;
  absl::Time armed_at_;  // Since when a signal is awaited.
  absl::Time quiet_since_ = absl::InfinitePast();  // End of the last work.
  std::set<std::string> running_;  // Progress that began and did not end.
  bool has_progressed_ = false;    // Since armed_at_.
  bool has_document_ = false;
  bool has_status_ = false;
  bool is_quiescent_ = false;
  bool canary_holds_ = false;
  int lines_wanted_ = 1;  // Log lines still to come, one for each folder.
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_READINESS_H_
