// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/get_diagnostics.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lspd/protocol/lsp_types.h"
#include "lspd/queries/attempts.h"
#include "lspd/queries/failures.h"
#include "lspd/queries/parallel.h"
#include "lspd/queries/project_fit.h"
#include "lspd/queries/symbol_tree.h"
#include "lspd/workspace/relative_path.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// Each file is opened for it, and pushed diagnostics are waited for.
constexpr size_t kMostFiles = 100;
constexpr size_t kFilesAtOnce = 8;

using Request = lsp::v1::GetDiagnosticsRequest;
using Response = lsp::v1::GetDiagnosticsResponse;
using FileDiagnostics = std::vector<lsp::v1::Diagnostic>;

lsp::v1::Diagnostic WithSymbol(const LspDiagnostic& diagnostic,
                               const SourceFile& file,
                               PositionEncoding encoding,
                               const SharedSymbols& symbols) {
  lsp::v1::Diagnostic proto =
      ToProto(diagnostic, file.relative_path(), file.lines(), encoding);
  if (symbols == nullptr) return proto;
  const TextPosition start =
      file.lines().ToText(diagnostic.range, encoding).start;
  if (const std::optional<SymbolPlace> container = SymbolAt(*symbols, start)) {
    proto.set_containing_symbol(ToString(container->path));
  }
  return proto;
}

absl::StatusOr<FileDiagnostics> DiagnosticsOf(Question& question,
                                              const std::string& path,
                                              const Request& request) {
  ASSIGN_OR_RETURN(const std::string language, question.LanguageOf(path));
  ASSIGN_OR_RETURN(LanguageServer* const server,
                   question.ReadyServerOf(language));
  ASSIGN_OR_RETURN(const auto file, question.File(path));
  AddProjectFit(question, language, path);
  ASSIGN_OR_RETURN(const DocumentPin pin, question.Open(*server, *file));
  RETURN_IF_ERROR(question.EnsureProven(*server, *file));
  ASSIGN_OR_RETURN(const std::vector<LspDiagnostic> reported,
                   server->Diagnostics(pin, question.call()));
  // Unset asks for warnings and worse, as the tool does.
  const int least = request.min_severity() == 0
                        ? static_cast<int>(lsp::v1::DIAGNOSTIC_SEVERITY_WARNING)
                        : static_cast<int>(request.min_severity());
  const absl::StatusOr<SymbolsOfFile> symbols = question.SymbolsOf(path);
  FileDiagnostics diagnostics;
  for (const LspDiagnostic& diagnostic : reported) {
    if (diagnostic.severity > least) continue;
    diagnostics.push_back(
        WithSymbol(diagnostic, *file, server->encoding(),
                   symbols.ok() ? symbols->symbols : nullptr));
  }
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [](const auto& a, const auto& b) {
                     return std::make_tuple(a.range().start_line(),
                                            a.range().start_column()) <
                            std::make_tuple(b.range().start_line(),
                                            b.range().start_column());
                   });
  return diagnostics;
}

absl::StatusOr<std::vector<std::string>> FilesToCheck(Question& question,
                                                      const std::string& path) {
  if (!path.empty()) {
    ASSIGN_OR_RETURN(const FileState state,
                     question.workspace().root().Stat(path));
    if (state.kind == FileKind::kFile) {
      RETURN_IF_ERROR(question.LanguageOf(path).status());
      return std::vector<std::string>{path};
    }
  }
  ASSIGN_OR_RETURN(const Listing all, question.workspace().files().AllFiles(
                                          path, question.call()));
  question.AddIncomplete("", all.incomplete);
  if (all.files.empty() && !path.empty()) {
    ASSIGN_OR_RETURN(
        const Listing ignored,
        question.workspace().files().FindFiles("*", path, question.call()));
    question.AddIncomplete("", ignored.incomplete);
  }
  std::vector<std::string> files;
  for (const std::string& file : all.files) {
    if (question.LanguageOf(file).ok()) files.push_back(file);
  }
  if (files.size() > kMostFiles) {
    question.AddIncomplete("", lsp::v1::INCOMPLETE_REASON_RESULT_CAP,
                           static_cast<int64_t>(files.size() - kMostFiles));
    files.resize(kMostFiles);
  }
  return files;
}

absl::StatusOr<Response> Answer(Question& question, const Request& request) {
  ASSIGN_OR_RETURN(const std::string path,
                   CleanRelativePath(request.relative_path()));
  ASSIGN_OR_RETURN(const std::vector<std::string> files,
                   FilesToCheck(question, path));
  std::vector<absl::StatusOr<FileDiagnostics>> answers(
      files.size(), absl::UnknownError("not asked"));
  InParallel(files.size(), kFilesAtOnce, [&](size_t i) {
    answers[i] = DiagnosticsOf(question, files[i], request);
  });

  Response response;
  Failures failures;
  int checked = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!answers[i].ok()) {
      failures.Add(question, files[i], answers[i].status());
      continue;
    }
    ++checked;
    for (lsp::v1::Diagnostic& diagnostic : *answers[i]) {
      *response.add_diagnostics() = std::move(diagnostic);
    }
  }
  RETURN_IF_ERROR(failures.Verdict(question, checked > 0));
  response.set_files_checked(checked);
  return response;
}

}  // namespace

lsp::v1::Diagnostic ToProto(const LspDiagnostic& diagnostic,
                            const std::string& relative_path,
                            const LineIndex& text, PositionEncoding encoding) {
  lsp::v1::Diagnostic proto;
  proto.set_relative_path(relative_path);
  *proto.mutable_range() =
      lspd::ToProto(text.ToText(diagnostic.range, encoding));
  proto.set_severity(
      static_cast<lsp::v1::DiagnosticSeverity>(diagnostic.severity));
  proto.set_message(diagnostic.message);
  proto.set_code(diagnostic.code);
  proto.set_source(diagnostic.source);
  return proto;
}

absl::StatusOr<Response> GetDiagnostics(const QueryTools& tools,
                                        const Asker& asker,
                                        const rpc::CallContext& call,
                                        const Request& request) {
  return Ask<Response>(tools, asker, call, [&](Question& question) {
    return Answer(question, request);
  });
}

}  // namespace banyan::lspd
