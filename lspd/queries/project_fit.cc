// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/project_fit.h"

#include <unistd.h>

#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lspd/workspace/glob.h"
#include "nlohmann/json.hpp"

namespace banyan::lspd {
namespace {

using nlohmann::json;

std::string ParentOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? ""
                                          : std::string(path.substr(0, slash));
}

std::string Join(const std::string& folder, absl::string_view name) {
  return folder.empty() ? std::string(name) : absl::StrCat(folder, "/", name);
}

bool Exists(const Question& question, const std::string& relative_path) {
  return question.workspace().root().Stat(relative_path).ok();
}

// The nearest folder at or above the file's, within the root, that has `name`.
std::optional<std::string> NearestWith(const Question& question,
                                       const std::string& file,
                                       absl::string_view name) {
  std::string folder = ParentOf(file);
  for (;;) {
    if (Exists(question, Join(folder, name))) return folder;
    if (folder.empty()) return std::nullopt;
    folder = ParentOf(folder);
  }
}

// A root may be a part of a larger project. Nothing but the name is looked at.
bool ExistsAboveRoot(const Question& question, absl::string_view name) {
  std::string folder = question.workspace().root().path();
  while (folder.size() > 1) {
    folder = ParentOf(folder);
    if (::access(absl::StrCat(folder, "/", name).c_str(), F_OK) == 0) {
      return true;
    }
  }
  return false;
}

// JSON as editors write it: comments, and commas before a closing bracket.
json ParseLenient(absl::string_view text) {
  std::string plain;
  bool is_in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      plain += c;
      if (c == '\\' && i + 1 < text.size()) plain += text[++i];
      if (c == '"') is_in_string = false;
      continue;
    }
    if (c == '"') is_in_string = true;
    if (c == ',') {
      const size_t next = text.find_first_not_of(" \t\r\n", i + 1);
      if (next != absl::string_view::npos &&
          (text[next] == '}' || text[next] == ']')) {
        continue;
      }
    }
    plain += c;
  }
  return json::parse(plain, nullptr, /*allow_exceptions=*/false,
                     /*ignore_comments=*/true);
}

json ReadJson(Question& question, const std::string& relative_path) {
  const auto file = question.workspace().root().ReadBytes(relative_path);
  if (!file.ok()) return json();
  return ParseLenient(file->bytes);
}

// `include` of tsconfig.json: a folder stands for all beneath it.
bool IsCovered(const json& patterns, const std::string& path) {
  for (const json& entry : patterns) {
    if (!entry.is_string()) continue;
    std::string pattern = entry.get<std::string>();
    absl::string_view clean = pattern;
    absl::ConsumePrefix(&clean, "./");
    absl::ConsumeSuffix(&clean, "/");
    if (clean == "." || clean == "**" || clean == "**/*" || clean == "*") {
      return true;
    }
    if (absl::StartsWith(clean, "../")) return true;  // Not ours to judge.
    if (path == clean || absl::StartsWith(path, absl::StrCat(clean, "/"))) {
      return true;
    }
    const absl::StatusOr<Glob> glob = Glob::Compile(clean);
    if (!glob.ok() || glob->Matches(path)) return true;
  }
  return false;
}

bool IsInTypeScriptProject(Question& question, const std::string& path) {
  std::optional<std::string> folder =
      NearestWith(question, path, "tsconfig.json");
  if (!folder)
    return true;  // An inferred project: open files and their imports.
  const json config = ReadJson(question, Join(*folder, "tsconfig.json"));
  if (!config.is_object()) return true;
  const bool has_files = config.contains("files") && config["files"].is_array();
  const bool has_include =
      config.contains("include") && config["include"].is_array();
  if (config.contains("references") || config.contains("extends") ||
      (!has_files && !has_include)) {
    return true;
  }
  absl::string_view inner = path;
  if (!folder->empty()) absl::ConsumePrefix(&inner, absl::StrCat(*folder, "/"));
  const std::string inner_path(inner);
  if (has_files && IsCovered(config["files"], inner_path)) return true;
  return has_include && IsCovered(config["include"], inner_path);
}

bool NamesDependencies(const json& package) {
  for (const char* key : {"dependencies", "devDependencies"}) {
    if (package.is_object() && package.contains(key) &&
        package[key].is_object() && !package[key].empty()) {
      return true;
    }
  }
  return false;
}

bool LacksDependencies(Question& question, const std::string& path) {
  const std::optional<std::string> folder =
      NearestWith(question, path, "package.json");
  if (!folder) return false;
  if (NearestWith(question, path, "node_modules") ||
      ExistsAboveRoot(question, "node_modules") ||
      NearestWith(question, path, ".pnp.cjs")) {
    return false;
  }
  return NamesDependencies(ReadJson(question, Join(*folder, "package.json")));
}

}  // namespace

void AddProjectFit(Question& question, const std::string& language,
                   const std::string& relative_path) {
  const auto add = [&](lsp::v1::IncompleteReason reason) {
    question.AddIncomplete(language, reason, 1);
  };
  const auto has_marker = [&](absl::string_view name) {
    return NearestWith(question, relative_path, name).has_value() ||
           ExistsAboveRoot(question, name);
  };
  if (language == "go" && !has_marker("go.mod") && !has_marker("go.work")) {
    add(lsp::v1::INCOMPLETE_REASON_NOT_IN_PROJECT);
  }
  if (language == "rust" && !has_marker("Cargo.toml") &&
      !has_marker("rust-project.json")) {
    add(lsp::v1::INCOMPLETE_REASON_NOT_IN_PROJECT);
  }
  if (language == "typescript" || language == "javascript") {
    if (!IsInTypeScriptProject(question, relative_path)) {
      add(lsp::v1::INCOMPLETE_REASON_NOT_IN_PROJECT);
    }
    if (LacksDependencies(question, relative_path)) {
      add(lsp::v1::INCOMPLETE_REASON_DEPENDENCIES_MISSING);
    }
  }
}

}  // namespace banyan::lspd
