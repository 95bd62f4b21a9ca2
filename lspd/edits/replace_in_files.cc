// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lspd/edits/content_match.h"
#include "lspd/edits/edit_step.h"
#include "lspd/edits/text_change.h"
#include "lspd/protocol/text_position.h"
#include "lspd/workspace/glob.h"
#include "lspd/workspace/workspace.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr int kMostShown = 500;
constexpr size_t kIdChars = 16;

absl::StatusOr<std::vector<Glob>> Compile(
    const google::protobuf::RepeatedPtrField<std::string>& patterns) {
  std::vector<Glob> globs;
  for (const std::string& pattern : patterns) {
    ASSIGN_OR_RETURN(Glob glob, Glob::Compile(pattern));
    globs.push_back(std::move(glob));
  }
  return globs;
}

bool MatchesAny(const std::vector<Glob>& globs, const std::string& path) {
  return std::any_of(globs.begin(), globs.end(), [&](const Glob& glob) {
    return glob.MatchesNameOrPath(path);
  });
}

absl::StatusOr<std::vector<std::string>> FilesOf(
    EditStep& step, const std::string& path,
    const lsp::v1::ReplaceInFiles& operation) {
  ASSIGN_OR_RETURN(const std::vector<Glob> include,
                   Compile(operation.include_globs()));
  ASSIGN_OR_RETURN(const std::vector<Glob> exclude,
                   Compile(operation.exclude_globs()));
  ASSIGN_OR_RETURN(const Listing listing,
                   step.asker.workspace->files().AllFiles(path, step.call));
  step.answer.mutable_incomplete()->Add(listing.incomplete.begin(),
                                        listing.incomplete.end());
  std::vector<std::string> files;
  for (const std::string& file : listing.files) {
    if (!include.empty() && !MatchesAny(include, file)) continue;
    if (!MatchesAny(exclude, file)) files.push_back(file);
  }
  return files;
}

// Names a place in a text; another text, another id.
std::string IdOf(const std::string& path, const std::string& text_hash,
                 const TextChange& change) {
  return HashOf(absl::StrCat(path, "\n", text_hash, "\n", change.begin))
      .substr(7, kIdChars);
}

lsp::v1::Occurrence OccurrenceOf(const std::string& id, const std::string& path,
                                 const LineIndex& lines,
                                 const TextChange& change) {
  const int line = lines.PositionOf(change.begin).line;
  const size_t start = lines.OffsetOf(TextPosition{.line = line, .column = 1});
  const absl::string_view now = lines.Line(line);
  lsp::v1::Occurrence occurrence;
  occurrence.set_id(id);
  occurrence.set_relative_path(path);
  occurrence.set_line(line);
  occurrence.set_line_text(std::string(now));
  const size_t behind = std::min(change.end - start, now.size());
  occurrence.set_new_text(absl::StrCat(now.substr(0, change.begin - start),
                                       change.text, now.substr(behind)));
  return occurrence;
}

absl::Status Stale(absl::string_view why) {
  return rpc::Error(rpc::v1::ERROR_REASON_CONFLICT,
                    absl::StrCat(why,
                                 "; nothing was changed. Ask again with "
                                 "dry_run for what there is now."));
}

}  // namespace

absl::Status ReplaceInFiles(EditStep& step, const std::string& path,
                            const lsp::v1::ReplaceInFiles& operation) {
  const ContentQuery query{.needle = operation.needle(),
                           .replacement = operation.replacement(),
                           .is_regex = operation.is_regex()};
  std::set<std::string> wanted(operation.occurrence_ids().begin(),
                               operation.occurrence_ids().end());
  const bool is_choice = !wanted.empty();
  ASSIGN_OR_RETURN(const std::vector<std::string> files,
                   FilesOf(step, path, operation));
  int64_t unreadable = 0;
  int count = 0;
  std::set<std::string> done;  // Two names of one file are one file.
  for (const std::string& file : files) {
    if (step.call.IsOver()) {
      return rpc::Error(rpc::v1::ERROR_REASON_DEADLINE,
                        "there are too many files for one call; nothing was "
                        "changed. Narrow it by relative_path or globs.");
    }
    const absl::StatusOr<std::string> real = step.draft.RealPath(file);
    if (!real.ok() || !done.insert(*real).second) continue;
    const auto text = step.draft.ReadText(file);
    if (!text.ok()) {
      step.draft.Forget(file);
      ++unreadable;
      continue;
    }
    ASSIGN_OR_RETURN(std::vector<TextChange> changes,
                     FindReplacements(*text, query));
    if (changes.empty()) {
      step.draft.Forget(file);
      continue;
    }
    const LineIndex lines(*text);
    const std::string hash = HashOf(*text);
    std::vector<TextChange> chosen;
    for (TextChange& change : changes) {
      const std::string id = IdOf(file, hash, change);
      if (is_choice && wanted.erase(id) == 0) continue;
      if (step.is_dry_run && step.answer.occurrences_size() < kMostShown) {
        *step.answer.add_occurrences() = OccurrenceOf(id, file, lines, change);
      }
      chosen.push_back(std::move(change));
    }
    if (chosen.empty()) continue;
    count += static_cast<int>(chosen.size());
    ASSIGN_OR_RETURN(std::string edited, ApplyChanges(*text, chosen));
    RETURN_IF_ERROR(step.draft.Write(file, std::move(edited)));
  }
  if (!wanted.empty()) {
    return Stale(absl::StrCat("these occurrences are not there any more: ",
                              absl::StrJoin(wanted, ", ")));
  }
  if (operation.expected_count() > 0 && operation.expected_count() != count) {
    return Stale(absl::StrCat("there are ", count, " occurrences, not ",
                              operation.expected_count()));
  }
  if (count == 0) {
    return rpc::Error(rpc::v1::ERROR_REASON_CONFLICT,
                      "`needle` is in none of these files; nothing was "
                      "changed. search_for_pattern looks for what is there.");
  }
  if (unreadable > 0) {
    auto& reason = *step.answer.add_incomplete();
    reason.set_reason(lsp::v1::INCOMPLETE_REASON_FILES_NOT_SEARCHED);
    reason.set_count(unreadable);
  }
  step.answer.add_notes(absl::StrCat(count, " occurrences"));
  return absl::OkStatus();
}

}  // namespace banyan::lspd
