// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/diagnostics_store.h"

#include "lspd/protocol/file_uri.h"

namespace banyan::lspd {
namespace {

// Servers push syntax first and types later, both for one version.
constexpr absl::Duration kQuietWithVersion = absl::Milliseconds(250);
constexpr absl::Duration kQuietWithoutVersion = absl::Seconds(1);

}  // namespace

void DiagnosticsStore::OnSent(absl::string_view uri, int version,
                              absl::Time now) {
  Document& document = documents_[NormalUri(uri)];
  document.sent_version = version;
  document.sent_at = now;
  document.has_push = false;
}

void DiagnosticsStore::OnClosed(absl::string_view uri) {
  documents_.erase(NormalUri(uri));
}

void DiagnosticsStore::OnPushed(const PublishedDiagnostics& pushed,
                                absl::Time now) {
  // Only documents that are open are asked about: a server that reports on all
  // files of its project fills no memory here.
  const auto found = documents_.find(NormalUri(pushed.uri));
  if (found == documents_.end()) return;
  Document& document = found->second;
  if (pushed.version.has_value() && document.sent_version.has_value() &&
      *pushed.version < *document.sent_version) {
    return;
  }
  document.has_push = true;
  document.pushed_version = pushed.version;
  document.pushed_at = now;
  document.diagnostics = pushed.diagnostics;
}

absl::Time DiagnosticsStore::SettledAt(absl::string_view uri) const {
  const auto found = documents_.find(NormalUri(uri));
  if (found == documents_.end() || !found->second.has_push) {
    return absl::InfiniteFuture();
  }
  return found->second.pushed_at + (found->second.pushed_version.has_value()
                                        ? kQuietWithVersion
                                        : kQuietWithoutVersion);
}

std::vector<LspDiagnostic> DiagnosticsStore::Of(absl::string_view uri) const {
  const auto found = documents_.find(NormalUri(uri));
  return found == documents_.end() ? std::vector<LspDiagnostic>()
                                   : found->second.diagnostics;
}

}  // namespace banyan::lspd
