// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/preview_diagnostics.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "lspd/edits/diagnostics_delta.h"
#include "lspd/edits/root_edits.h"
#include "lspd/queries/get_diagnostics.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using Answer = lsp::v1::ApplyEditResponse;
using Changes = std::vector<const DraftChange*>;

// Previews wait for each other, not for those who write.
struct PreviewTurns {
  RootEdits edits{RootEdits::Options{}};
};

// A server that serves this preview alone, ended with it.
class OwnServer {
 public:
  OwnServer(ServerPool& pool, ServerLease lease)
      : pool_(pool), lease_(std::move(lease)) {}
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;
  ~OwnServer() { pool_.Retire(lease_); }

  LanguageServer& operator*() const { return *lease_; }
  LanguageServer* operator->() const { return &*lease_; }

 private:
  ServerPool& pool_;
  ServerLease lease_;
};

void AddIncomplete(const std::string& language, lsp::v1::IncompleteReason why,
                   Answer* answer) {
  lsp::v1::Incompleteness& entry = *answer->add_incomplete();
  entry.set_language(language);
  entry.set_reason(why);
}

// The preview stands; only what it would break is not known.
void NoteUnknown(const std::string& language, const absl::Status& why,
                 Answer* answer) {
  const bool is_late = rpc::ReasonOf(why) == rpc::v1::ERROR_REASON_DEADLINE ||
                       rpc::ReasonOf(why) == rpc::v1::ERROR_REASON_CANCELLED;
  AddIncomplete(language,
                is_late ? lsp::v1::INCOMPLETE_REASON_DEADLINE
                        : lsp::v1::INCOMPLETE_REASON_SERVER_MISSING,
                answer);
  answer->add_notes(
      absl::StrCat("No diagnostics for ", language, ": ", why.message()));
}

// One language's part: its server is given the old texts, then the new ones.
class LanguagePreview {
 public:
  LanguagePreview(const QueryTools& tools, const Asker& asker,
                  const rpc::CallContext& call, std::string language)
      : tools_(tools),
        root_(asker.workspace->root()),
        trust_domain_(asker.trust_domain),
        call_(call),
        language_(std::move(language)) {}

  absl::Status Report(const Changes& changes, Answer* answer) const {
    ASSIGN_OR_RETURN(ServerLease lease,
                     tools_.pool.Acquire({.root = root_.path(),
                                          .trust_domain = trust_domain_,
                                          .language = language_,
                                          .server = "",
                                          .session_public_id = "",
                                          .project_settings = absl::StrCat(
                                              "preview of ", root_.path())},
                                         call_));
    const OwnServer server(tools_.pool, std::move(lease));
    RETURN_IF_ERROR(AwaitReady(*server, answer));
    ASSIGN_OR_RETURN(const Diagnostics before, Ask(*server, changes, false));
    ASSIGN_OR_RETURN(const Diagnostics after, Ask(*server, changes, true));
    for (lsp::v1::Diagnostic& each : NewDiagnostics(before, after)) {
      *answer->add_new_diagnostics() = std::move(each);
    }
    for (lsp::v1::Diagnostic& each : NewDiagnostics(after, before)) {
      *answer->add_fixed_diagnostics() = std::move(each);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AwaitReady(LanguageServer& server, Answer* answer) const {
    DocumentPin seed_pin;
    if (const std::optional<std::string> seed = server.SeedFile()) {
      absl::string_view relative = *seed;
      absl::ConsumePrefix(&relative, absl::StrCat(root_.path(), "/"));
      const absl::StatusOr<FileContent> file = root_.ReadFile(relative);
      if (file.ok()) {
        ASSIGN_OR_RETURN(
            seed_pin, server.documents().Sync(*seed, file->bytes, file->hash));
      }
    }
    rpc::CallContext wait = call_;
    wait.deadline =
        std::min(call_.deadline, absl::Now() + tools_.readiness_wait);
    ASSIGN_OR_RETURN(const ReadinessState state, server.WaitUntilReady(wait));
    if (state == ReadinessState::kIndexing) {
      AddIncomplete(language_, lsp::v1::INCOMPLETE_REASON_INDEXING, answer);
    }
    for (lsp::v1::Incompleteness& each : server.Caveats()) {
      each.set_language(language_);
      *answer->add_incomplete() = std::move(each);
    }
    return absl::OkStatus();
  }

  // All texts are given before the first question, for one may use another.
  absl::StatusOr<Diagnostics> Ask(LanguageServer& server,
                                  const Changes& changes, bool is_after) const {
    std::map<const DraftChange*, DocumentPin> pins;
    for (const DraftChange* const change : changes) {
      const auto& text = is_after ? change->after : change->before;
      if (!text) continue;
      ASSIGN_OR_RETURN(
          pins[change],
          server.documents().Sync(absl::StrCat(root_.path(), "/", change->path),
                                  *text, HashOf(*text)));
    }
    Diagnostics all;
    for (const auto& [change, pin] : pins) {
      ASSIGN_OR_RETURN(const std::vector<LspDiagnostic> reported,
                       server.Diagnostics(pin, call_));
      const LineIndex lines(is_after ? *change->after : *change->before);
      for (const LspDiagnostic& each : reported) {
        // Hints are no reason not to make an edit.
        if (each.severity > lsp::v1::DIAGNOSTIC_SEVERITY_WARNING) continue;
        all.push_back(ToProto(each, change->path, lines, server.encoding()));
      }
    }
    return all;
  }

  const QueryTools& tools_;
  const RootDirectory& root_;
  const std::string& trust_domain_;
  const rpc::CallContext& call_;
  const std::string language_;
};

}  // namespace

void AddPreviewDiagnostics(const QueryTools& tools, const Asker& asker,
                           const rpc::CallContext& call,
                           const std::vector<DraftChange>& changes,
                           Answer* answer) {
  std::map<std::string, Changes> by_language;
  bool has_deletion = false;
  for (const DraftChange& change : changes) {
    has_deletion = has_deletion || !change.after;
    if (const auto language = tools.catalog.LanguageOf(change.path)) {
      by_language[language->language].push_back(&change);
    }
  }
  if (has_deletion) {
    answer->add_notes(
        "What the deletion or move of a file would break elsewhere is not "
        "among the diagnostics.");
  }
  if (by_language.empty()) return;
  const auto turns = asker.workspace->State<PreviewTurns>(
      [] { return std::make_shared<PreviewTurns>(); });
  const absl::StatusOr<WriteTurn> turn = turns->edits.AwaitTurn(call);
  for (const auto& [language, parts] : by_language) {
    const absl::Status reported =
        turn.ok() ? LanguagePreview(tools, asker, call, language)
                        .Report(parts, answer)
                  : turn.status();
    if (!reported.ok()) NoteUnknown(language, reported, answer);
  }
}

}  // namespace banyan::lspd
