// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/import_lines.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/match.h"

namespace banyan::lspd {
namespace {

constexpr int kLongestStatement = 100;  // Lines.

// How an import begins, and the brackets that may hold its later lines.
struct ImportForm {
  const char* begins;
  char opening;
  char closing;
};

const ImportForm* FormOf(absl::string_view language) {
  static constexpr ImportForm kPython = {
      R"(^\s*(from\s+[\w.]+\s+import|import)\b)", '(', ')'};
  static constexpr ImportForm kScript = {
      R"(^\s*(import\b[^(]*$|import\s*["'{*\w]|export\s*(type\s*)?[{*]|(const|let|var)\s.*\brequire\s*\())",
      '{', '}'};
  static constexpr ImportForm kRust = {
      R"(^\s*(pub(\s*\([^)]*\))?\s+)?(use|extern\s+crate)\b)", '{', '}'};
  static constexpr ImportForm kCpp = {
      R"(^\s*(using\s+[\w:]+\s*;|using\s+namespace\b|import\b|#\s*include\b))",
      '{', '}'};
  static constexpr ImportForm kJava = {R"(^\s*(import|using|use)\b)", '{', '}'};
  static const std::map<absl::string_view, const ImportForm*> forms = {
      {"python", &kPython}, {"typescript", &kScript}, {"javascript", &kScript},
      {"vue", &kScript},    {"svelte", &kScript},     {"rust", &kRust},
      {"cpp", &kCpp},       {"java", &kJava},         {"kotlin", &kJava},
      {"scala", &kJava},    {"csharp", &kJava},       {"php", &kJava},
      {"swift", &kJava},    {"dart", &kJava},
  };
  const auto found = forms.find(language);
  return found == forms.end() ? nullptr : found->second;
}

const re2::RE2& Expression(const ImportForm& form) {
  static std::map<const ImportForm*, re2::RE2> compiled;
  static const bool is_filled = [] {
    for (const char* language :
         {"python", "typescript", "rust", "cpp", "java"}) {
      const ImportForm* const each = FormOf(language);
      compiled.emplace(each, each->begins);
    }
    return true;
  }();
  static_cast<void>(is_filled);
  return compiled.find(&form)->second;
}

}  // namespace

bool IsImportLine(const LineIndex& text, int line, absl::string_view language) {
  const ImportForm* const form = FormOf(language);
  if (form == nullptr) return false;
  const re2::RE2& begins = Expression(*form);
  const int highest = std::max(1, line - kLongestStatement);
  for (int at = line; at >= highest; --at) {
    const absl::string_view candidate = text.Line(at);
    const bool is_begin = re2::RE2::PartialMatch(
        re2::StringPiece(candidate.data(), candidate.size()), begins);
    if (at == line) {
      if (is_begin) return true;
      continue;
    }
    // An earlier line counts only while its bracket is still open here.
    if (absl::StrContains(candidate, form->closing) ||
        absl::StrContains(candidate, ';')) {
      return false;
    }
    if (is_begin) return absl::StrContains(candidate, form->opening);
  }
  return false;
}

}  // namespace banyan::lspd
