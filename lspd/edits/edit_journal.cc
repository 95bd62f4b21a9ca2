// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/edit_journal.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lspd/edits/draft.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
// In the order of StepKind: the journal outlives a build.
constexpr const char* kKinds[] = {"exchange", "write_in_place",
                                  "create",   "create_in_place",
                                  "delete",   "delete_in_place"};

// A journal may have come with the repository, so it is believed only where an
// edit may write at all.
bool MayName(const std::string& path) {
  return !path.empty() && IsWritablePath(path);
}

}  // namespace

std::string ToText(const EditJournal& journal) {
  json steps = json::array();
  for (const JournalStep& step : journal.steps) {
    steps.push_back({{"path", step.path},
                     {"kind", kKinds[static_cast<size_t>(step.kind)]},
                     {"before", step.before},
                     {"after", step.after}});
  }
  return json({{"version", kVersion},
               {"steps", std::move(steps)},
               {"new_folders", journal.new_folders}})
      .dump(1, ' ', false, json::error_handler_t::replace);
}

absl::StatusOr<EditJournal> JournalFromText(absl::string_view text) {
  const json parsed = json::parse(text.begin(), text.end(), nullptr, false);
  const absl::Status malformed = absl::InvalidArgumentError("not a journal");
  if (!parsed.is_object() || parsed.value("version", json()) != kVersion) {
    return malformed;
  }
  const json steps = parsed.value("steps", json());
  const json folders = parsed.value("new_folders", json());
  if (!steps.is_array() || !folders.is_array()) return malformed;
  EditJournal journal;
  for (const json& each : steps) {
    if (!each.is_object()) return malformed;
    for (const char* member : {"path", "kind", "before", "after"}) {
      if (!each.contains(member) || !each[member].is_string()) return malformed;
    }
    const std::string kind = each["kind"].get<std::string>();
    const auto* const known =
        std::find(std::begin(kKinds), std::end(kKinds), kind);
    if (known == std::end(kKinds)) return malformed;
    std::string path = each["path"].get<std::string>();
    if (!MayName(path)) return malformed;
    journal.steps.push_back(
        {.path = std::move(path),
         .kind = static_cast<StepKind>(known - std::begin(kKinds)),
         .before = each["before"].get<std::string>(),
         .after = each["after"].get<std::string>()});
  }
  for (const json& folder : folders) {
    if (!folder.is_string() || !MayName(folder.get<std::string>())) {
      return malformed;
    }
    journal.new_folders.push_back(folder.get<std::string>());
  }
  return journal;
}

std::string StagedName(size_t index) { return absl::StrCat(index, ".new"); }
std::string SavedName(size_t index) { return absl::StrCat(index, ".old"); }

UndoAction JudgeUndo(const JournalStep& step,
                     const std::optional<std::string>& now, bool is_torn) {
  const bool was_there = !step.before.empty();
  const bool is_before = now ? was_there && *now == step.before : !was_there;
  if (is_before) return UndoAction::kNothing;
  const bool becomes = !step.after.empty();
  const bool is_after = now ? becomes && *now == step.after : !becomes;
  if (is_after || is_torn) return UndoAction::kRestore;
  return UndoAction::kReport;
}

bool IsTornWrite(absl::string_view now, absl::string_view before,
                 absl::string_view after) {
  const size_t shorter = std::min(now.size(), after.size());
  size_t written = 0;  // At most so much of `after` stands there.
  while (written < shorter && now[written] == after[written]) ++written;
  if (now.size() > before.size()) return written == now.size();
  if (now.size() < before.size()) return false;
  size_t kept = now.size();  // From here on `before` stands there.
  while (kept > 0 && now[kept - 1] == before[kept - 1]) --kept;
  return kept <= written;
}

}  // namespace banyan::lspd
