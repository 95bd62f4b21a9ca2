// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/find_referencing_symbols.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lspd/protocol/lsp_types.h"
#include "lspd/queries/attempts.h"
#include "lspd/queries/candidate_files.h"
#include "lspd/queries/failures.h"
#include "lspd/queries/import_lines.h"
#include "lspd/queries/locations.h"
#include "lspd/queries/parallel.h"
#include "lspd/queries/project_fit.h"
#include "lspd/queries/reference_files.h"
#include "lspd/queries/symbol_details.h"
#include "lspd/queries/symbol_kinds.h"
#include "lspd/queries/symbol_search.h"
#include "lspd/server/quirks.h"
#include "lspd/workspace/relative_path.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr int kMostReferences = 10'000;
constexpr size_t kFilesAtOnce = 8;

using Request = lsp::v1::FindReferencingSymbolsRequest;
using Response = lsp::v1::FindReferencingSymbolsResponse;

class ReferenceSearch {
 public:
  ReferenceSearch(Question& question, SymbolMatch target)
      : question_(question), target_(std::move(target)) {}

  absl::Status Run() {
    const std::string& language = target_.file.language;
    ASSIGN_OR_RETURN(LanguageServer* const server,
                     question_.ReadyServerOf(language));
    ASSIGN_OR_RETURN(file_, question_.File(target_.file.relative_path));
    if (file_->hash() != target_.file.hash) question_.NoteChanged();
    AddProjectFit(question_, language, target_.file.relative_path);
    RETURN_IF_ERROR(FindWordFiles());
    ASSIGN_OR_RETURN(const std::vector<DocumentPin> pins,
                     OpenForReferences(question_, *server, language,
                                       target_.place.node->name, word_files_));
    ASSIGN_OR_RETURN(Places places, AskForPlaces(*server, false));
    if (!places.outside.empty()) {
      question_.AddIncomplete(language, lsp::v1::INCOMPLETE_REASON_OUTSIDE_ROOT,
                              static_cast<int64_t>(places.outside.size()));
    }
    places_ = std::move(places.inside);
    if (HasQuirk(server->entry(), kQuirkImportsAreDeclarations)) {
      RETURN_IF_ERROR(AddImports(*server));
    }
    DropDeclaration();
    for (const PlaceInRoot& place : places_) {
      named_.insert(place.relative_path);
    }
    RETURN_IF_ERROR(LookUpContainers());
    NoteDeclarations(*server);
    return absl::OkStatus();
  }

  void Report(const SymbolKinds& kinds, bool includes_imports,
              Response* out) const {
    *out->mutable_symbol() =
        ToProto(target_.place, target_.file.relative_path, 0);
    for (const PlaceInRoot& place : places_) {
      lsp::v1::Reference reference = ReferenceAt(place);
      if (reference.is_import() && !includes_imports) continue;
      if (!kinds.Wants(reference.containing_symbol().kind())) continue;
      if (out->references_size() == kMostReferences) {
        question_.AddIncomplete("", lsp::v1::INCOMPLETE_REASON_RESULT_CAP, 1);
        continue;
      }
      *out->add_references() = std::move(reference);
    }
    for (const std::string& path : word_files_) {
      if (IsTextOnly(path)) out->add_text_only(path);
    }
  }

 private:
  absl::Status FindWordFiles() {
    const std::string& name = target_.place.node->name;
    const auto pattern = NamePathPattern::Parse(name);
    if (!pattern.ok() || !pattern->IsIdentifier()) return absl::OkStatus();
    ASSIGN_OR_RETURN(word_files_, FilesWithWord(question_, name));
    return absl::OkStatus();
  }

  // What the server counts as a declaration, and stands in an import.
  absl::Status AddImports(LanguageServer& server) {
    ASSIGN_OR_RETURN(Places all, AskForPlaces(server, true));
    for (PlaceInRoot& place : all.inside) {
      const bool is_known =
          std::find(places_.begin(), places_.end(), place) != places_.end();
      if (!is_known && IsImportLine(place.file->lines(), place.range.start.line,
                                    target_.file.language)) {
        places_.push_back(std::move(place));
      }
    }
    std::sort(places_.begin(), places_.end());
    return absl::OkStatus();
  }

  // Some servers name it though they were asked not to.
  void DropDeclaration() {
    const TextPosition& start = target_.place.node->selection.start;
    places_.erase(std::remove_if(places_.begin(), places_.end(),
                                 [&](const PlaceInRoot& place) {
                                   return place.relative_path ==
                                              target_.file.relative_path &&
                                          place.range.start == start;
                                 }),
                  places_.end());
  }

  // A file that only declares the symbol (a header) is named by the server,
  // though not as a reference.
  void NoteDeclarations(LanguageServer& server) {
    const bool is_all_named = std::all_of(
        word_files_.begin(), word_files_.end(),
        [this](const std::string& path) { return !IsTextOnly(path); });
    if (is_all_named) return;
    const absl::StatusOr<Places> all = AskForPlaces(server, true);
    if (!all.ok()) return;
    for (const PlaceInRoot& place : all->inside) {
      named_.insert(place.relative_path);
    }
  }

  bool IsTextOnly(const std::string& path) const {
    return path != target_.file.relative_path && named_.count(path) == 0;
  }

  absl::StatusOr<Places> AskForPlaces(LanguageServer& server,
                                      bool includes_declarations) {
    ASSIGN_OR_RETURN(
        const nlohmann::json answer,
        AskAt(question_, server, *file_, target_.place.node->selection.start,
              "textDocument/references",
              {{"context", {{"includeDeclaration", includes_declarations}}}}));
    ASSIGN_OR_RETURN(const std::vector<Location> locations,
                     LocationsFromJson(answer));
    return ResolveLocations(question_, server, locations);
  }

  absl::Status LookUpContainers() {
    std::vector<std::string> files;
    for (const std::string& path : named_) {
      if (question_.LanguageOf(path).ok()) files.push_back(path);
    }
    std::vector<absl::StatusOr<SymbolsOfFile>> answers(
        files.size(), absl::UnknownError("not asked"));
    InParallel(files.size(), kFilesAtOnce,
               [&](size_t i) { answers[i] = question_.SymbolsOf(files[i]); });
    Failures failures;
    for (size_t i = 0; i < files.size(); ++i) {
      if (answers[i].ok()) {
        symbols_.emplace(files[i], *std::move(answers[i]));
      } else {
        failures.Add(question_, files[i], answers[i].status());
      }
    }
    return failures.Verdict(question_, true);
  }

  lsp::v1::Reference ReferenceAt(const PlaceInRoot& place) const {
    const LineIndex& lines = place.file->lines();
    const int line = place.range.start.line;
    lsp::v1::Reference reference;
    reference.set_relative_path(place.relative_path);
    *reference.mutable_range() = ToProto(place.range);
    reference.set_line_text(Utf8Text(lines.Line(line)));
    reference.set_line_before(Utf8Text(lines.Line(line - 1)));
    reference.set_line_after(Utf8Text(lines.Line(line + 1)));
    const auto symbols = symbols_.find(place.relative_path);
    if (symbols == symbols_.end()) return reference;
    reference.set_is_import(
        IsImportLine(lines, line, symbols->second.language));
    if (const std::optional<SymbolPlace> container =
            SymbolAt(*symbols->second.symbols, place.range.start)) {
      *reference.mutable_containing_symbol() =
          ToProto(*container, place.relative_path, 0);
    }
    return reference;
  }

  Question& question_;
  const SymbolMatch target_;
  std::shared_ptr<const SourceFile> file_;
  std::vector<std::string> word_files_;
  std::vector<PlaceInRoot> places_;
  std::set<std::string> named_;  // Files with a reference or declaration.
  std::map<std::string, SymbolsOfFile> symbols_;
};

absl::StatusOr<Response> Answer(Question& question, const Request& request) {
  ASSIGN_OR_RETURN(
      const SymbolKinds kinds,
      SymbolKinds::Parse(request.include_kinds(), request.exclude_kinds()));
  ASSIGN_OR_RETURN(const std::string path,
                   CleanRelativePath(request.relative_path()));
  ASSIGN_OR_RETURN(SymbolMatch target,
                   FindOneSymbol(question, request.name_path(), path));
  ReferenceSearch search(question, std::move(target));
  RETURN_IF_ERROR(search.Run());
  Response response;
  search.Report(kinds, request.include_imports(), &response);
  return response;
}

}  // namespace

absl::StatusOr<Response> FindReferencingSymbols(const QueryTools& tools,
                                                const Asker& asker,
                                                const rpc::CallContext& call,
                                                const Request& request) {
  return Ask<Response>(tools, asker, call, [&](Question& question) {
    return Answer(question, request);
  });
}

}  // namespace banyan::lspd
