// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/diagnostics_delta.h"

#include <map>
#include <tuple>

#include "lspd/queries/get_diagnostics.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

using Key = std::tuple<std::string, int, std::string, std::string, std::string>;

Key KeyOf(const lsp::v1::Diagnostic& diagnostic) {
  return {diagnostic.relative_path(), diagnostic.severity(),
          diagnostic.source(), diagnostic.code(), diagnostic.message()};
}

}  // namespace

Diagnostics NewDiagnostics(const Diagnostics& before,
                           const Diagnostics& after) {
  std::map<Key, int> known;
  for (const lsp::v1::Diagnostic& each : before) ++known[KeyOf(each)];
  Diagnostics added;
  for (const lsp::v1::Diagnostic& each : after) {
    if (--known[KeyOf(each)] < 0) added.push_back(each);
  }
  return added;
}

DiagnosticsDelta::DiagnosticsDelta(const QueryTools& tools, const Asker& asker,
                                   const rpc::CallContext& call,
                                   const std::vector<DraftChange>& changes)
    : tools_(tools),
      asker_(asker),
      call_(call),
      changes_(changes),
      before_(Ask(false, nullptr)) {}

Diagnostics DiagnosticsDelta::Ask(bool is_after,
                                  lsp::v1::ApplyEditResponse* answer) const {
  Diagnostics all;
  for (const DraftChange& change : changes_) {
    if (!(is_after ? change.after : change.before)) continue;
    if (!tools_.catalog.LanguageOf(change.path)) continue;
    lsp::v1::GetDiagnosticsRequest request;
    request.set_relative_path(change.path);
    const auto response = GetDiagnostics(tools_, asker_, call_, request);
    if (response.ok()) {
      all.insert(all.end(), response->diagnostics().begin(),
                 response->diagnostics().end());
      if (answer != nullptr) {
        answer->mutable_incomplete()->MergeFrom(response->incomplete());
      }
    } else if (answer != nullptr) {
      // The edit stands; only what it broke is not known.
      const bool is_late =
          rpc::ReasonOf(response.status()) == rpc::v1::ERROR_REASON_DEADLINE;
      auto& reason = *answer->add_incomplete();
      reason.set_reason(is_late ? lsp::v1::INCOMPLETE_REASON_DEADLINE
                                : lsp::v1::INCOMPLETE_REASON_SERVER_MISSING);
      reason.set_count(1);
    }
  }
  return all;
}

void DiagnosticsDelta::Report(lsp::v1::ApplyEditResponse* answer) const {
  const Diagnostics after = Ask(true, answer);
  for (lsp::v1::Diagnostic& each : NewDiagnostics(before_, after)) {
    *answer->add_new_diagnostics() = std::move(each);
  }
  for (lsp::v1::Diagnostic& each : NewDiagnostics(after, before_)) {
    *answer->add_fixed_diagnostics() = std::move(each);
  }
}

}  // namespace banyan::lspd
