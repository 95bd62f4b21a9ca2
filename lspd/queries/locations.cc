// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/locations.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

// Where the URI leads beneath the root; nothing when it leads elsewhere.
std::optional<std::string> RelativePathOf(const Question& question,
                                          const std::string& uri) {
  const std::optional<std::string> path = PathOfFileUri(uri);
  if (!path) return std::nullopt;
  absl::string_view rest = *path;
  if (!absl::ConsumePrefix(
          &rest, absl::StrCat(question.workspace().root().path(), "/"))) {
    return std::nullopt;
  }
  const absl::StatusOr<std::string> clean = CleanRelativePath(rest);
  if (!clean.ok()) return std::nullopt;
  return *clean;
}

void NoteUnreadable(Question& question, const absl::Status& status,
                    const Location& location, Places* places) {
  switch (rpc::ReasonOf(status)) {
    case rpc::v1::ERROR_REASON_FILE_NOT_FOUND:  // Gone since it was read.
      return;
    case rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT:  // A link leads out.
      places->outside.push_back(
          {.path = *PathOfFileUri(location.uri), .range = location.range});
      return;
    default:
      question.AddIncomplete("", lsp::v1::INCOMPLETE_REASON_FILES_NOT_SEARCHED,
                             1);
  }
}

}  // namespace

Places ResolveLocations(Question& question, const LanguageServer& server,
                        const std::vector<Location>& locations) {
  Places places;
  for (const Location& location : locations) {
    const std::optional<std::string> relative =
        RelativePathOf(question, location.uri);
    if (!relative) {
      const std::optional<std::string> path = PathOfFileUri(location.uri);
      places.outside.push_back(
          {.path = path.value_or(location.uri), .range = location.range});
      continue;
    }
    const auto file = question.File(*relative);
    if (!file.ok()) {
      NoteUnreadable(question, file.status(), location, &places);
      continue;
    }
    places.inside.push_back(
        {.relative_path = *relative,
         .file = *file,
         .range = (*file)->lines().ToText(location.range, server.encoding())});
  }
  std::sort(places.inside.begin(), places.inside.end());
  places.inside.erase(std::unique(places.inside.begin(), places.inside.end()),
                      places.inside.end());
  return places;
}

}  // namespace banyan::lspd
