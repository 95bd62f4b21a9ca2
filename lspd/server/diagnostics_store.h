// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_DIAGNOSTICS_STORE_H_
#define LSPD_SERVER_DIAGNOSTICS_STORE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/protocol/lsp_types.h"

namespace banyan::lspd {

// What a server pushed about its documents. A push replaces the set of its
// document. Pure, not thread-safe.
class DiagnosticsStore {
 public:
  // A text went out: earlier pushes are of another text.
  void OnSent(absl::string_view uri, int version, absl::Time now);
  void OnClosed(absl::string_view uri);
  void OnPushed(const PublishedDiagnostics& pushed, absl::Time now);

  // When what is there may be called the server's word on the text that was
  // sent last: at a push of that version, or of no version once nothing
  // followed it for a while. InfiniteFuture: not before something comes.
  absl::Time SettledAt(absl::string_view uri) const;

  // The last push, settled or not.
  std::vector<LspDiagnostic> Of(absl::string_view uri) const;

 private:
  struct Document {
    std::optional<int> sent_version;
    absl::Time sent_at = absl::InfinitePast();
    bool has_push = false;  // Since sent_at.
    std::optional<int> pushed_version;
    absl::Time pushed_at = absl::InfinitePast();
    std::vector<LspDiagnostic> diagnostics;
  };

  std::map<std::string, Document> documents_;  // By normal URI.
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_DIAGNOSTICS_STORE_H_
