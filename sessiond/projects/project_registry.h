// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_PROJECTS_PROJECT_REGISTRY_H_
#define SESSIOND_PROJECTS_PROJECT_REGISTRY_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sessiond/projects/modes.h"

namespace banyan::sessiond {

struct Project {
  std::string name;
  std::string root;  // Clean and absolute.
  bool is_registered = false;
  bool has_exclusive_writer = false;
  std::string trust_domain;  // The operator's; empty for none.
};

// The projects that the operator named, and the folders below which others may
// be opened by path. Text only; the disk is lspd's. Immutable, thread-safe.
//
// `allowed_roots` of a caller: empty = all; else only roots in or below them
// exist for it.
class ProjectRegistry {
 public:
  struct Options {
    std::vector<std::string> projects;  // "name=DIR" or "DIR"; absolute.
    std::string projects_json;          // A ProjectsFile; empty for none.
    std::vector<std::string>
        workspaces_roots;  // Empty = the projects' own folders.
    // The path behind links, as far as it exists here; null = the text as it is.
    // Registered roots are known under both spellings.
    std::function<std::string(const std::string&)> canonicalize;
  };

  //   kInvalidArgument  a relative folder, an unreadable file; the message names it
  static absl::StatusOr<ProjectRegistry> Create(const Options& options);

  // By name, or by absolute path: a registered root or a folder below a
  // workspaces root, which is then named after its last component. What the
  // operator said of a project holds for every folder in it.
  //   PROJECT_UNKNOWN    the message lists those there are
  //   PROJECT_AMBIGUOUS  the name is that of several roots; the message lists them
  //   ROOT_NOT_ALLOWED   the path is registered nowhere
  //   PATH_MALFORMED
  absl::StatusOr<Project> Find(
      absl::string_view name_or_path,
      const std::vector<std::string>& allowed_roots) const;

  // By path alone. Codes as Find.
  absl::StatusOr<Project> FindRoot(
      absl::string_view path,
      const std::vector<std::string>& allowed_roots) const;

  // Registered ones.
  std::vector<Project> List(
      const std::vector<std::string>& allowed_roots) const;

  // Every folder that Find may lead to lies in or below one of these.
  std::vector<std::string> OpenableRoots() const;

  // The project of a server that was started with just one.
  std::optional<Project> OnlyProject(
      const std::vector<std::string>& allowed_roots) const;

  // The built-in ones and the file's.
  const Modes& modes() const { return modes_; }

  static bool IsAllowed(absl::string_view root,
                        const std::vector<std::string>& allowed_roots);

 private:
  struct Alias {
    std::string written;
    size_t project;
  };

  ProjectRegistry() = default;

  // `flag` named it and is named in errors.
  absl::Status Add(Project project, absl::string_view flag,
                   const Options& options);
  absl::Status AddFile(const Options& options);
  absl::Status AddWorkspacesRoots(const Options& options);
  // Null: no registered project holds this folder.
  const Project* InnermostAround(absl::string_view root) const;
  absl::Status Unknown(absl::string_view name,
                       const std::vector<std::string>& allowed_roots) const;

  std::vector<Project> projects_;
  std::vector<Alias> aliases_;
  std::vector<std::string> workspaces_roots_;
  Modes modes_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_PROJECTS_PROJECT_REGISTRY_H_
