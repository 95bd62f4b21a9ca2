// SPDX-License-Identifier: Apache-2.0
#include "sessiond/projects/project_registry.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "banyan/session/v1/projects.pb.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/paths/path_policy.h"

namespace banyan::sessiond {
namespace {

constexpr size_t kShownName = 200;
constexpr size_t kShownProjects = 50;

std::string LastComponent(absl::string_view root) {
  return std::string(root.substr(root.rfind('/') + 1));
}

// A project is reached as /mcp/p/NAME, so its name is one component.
absl::Status CheckName(const Project& project, absl::string_view flag) {
  if (!absl::StrContains(project.name, '/')) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      flag, ": the name ", project.name, " of ", project.root,
      " has a slash in it, so no address would lead to it; choose another"));
}

absl::StatusOr<std::string> CleanFolder(const std::string& folder,
                                        absl::string_view flag) {
  absl::StatusOr<std::string> clean = CleanRoot(folder);
  if (clean.ok()) return clean;
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": ", folder, " is no absolute folder"));
}

std::string Canonical(const ProjectRegistry::Options& options,
                      const std::string& clean) {
  if (options.canonicalize == nullptr) return clean;
  const absl::StatusOr<std::string> found =
      CleanRoot(options.canonicalize(clean));
  return found.ok() ? *found : clean;
}

Project FromFlag(const std::string& entry) {
  const size_t equals = entry.find('=');
  if (absl::StartsWith(entry, "/") || equals == std::string::npos) {
    return {.root = entry};
  }
  return {.name = entry.substr(0, equals), .root = entry.substr(equals + 1)};
}

absl::Status Ambiguous(absl::string_view name,
                       const std::vector<const Project*>& found) {
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_PROJECT_AMBIGUOUS);
  for (const Project* project : found) {
    detail.add_alternatives(project->root);
  }
  const std::string roots = absl::StrJoin(detail.alternatives(), ", ");
  return rpc::Error(std::move(detail),
                    absl::StrCat("several projects are named ", name, ": ",
                                 roots, "; name one by its path"));
}

}  // namespace

absl::StatusOr<ProjectRegistry> ProjectRegistry::Create(
    const Options& options) {
  ProjectRegistry registry;
  for (const std::string& entry : options.projects) {
    RETURN_IF_ERROR(registry.Add(FromFlag(entry), "--projects", options));
  }
  RETURN_IF_ERROR(registry.AddFile(options));
  RETURN_IF_ERROR(registry.AddWorkspacesRoots(options));
  return registry;
}

absl::Status ProjectRegistry::Add(Project project, absl::string_view flag,
                                  const Options& options) {
  RETURN_IF_ERROR(CheckName(project, flag));
  ASSIGN_OR_RETURN(const std::string written, CleanFolder(project.root, flag));
  project.root = Canonical(options, written);
  if (project.name.empty()) project.name = LastComponent(written);
  project.is_registered = true;
  const auto same = std::find_if(
      projects_.begin(), projects_.end(), [&project](const Project& other) {
        return other.root == project.root && other.name == project.name;
      });
  const size_t index = static_cast<size_t>(same - projects_.begin());
  if (same == projects_.end()) {
    projects_.push_back(std::move(project));
  } else {
    // The file says more than the flag.
    *same = std::move(project);
  }
  aliases_.push_back({written, index});
  aliases_.push_back({projects_[index].root, index});
  return absl::OkStatus();
}

absl::Status ProjectRegistry::AddFile(const Options& options) {
  if (options.projects_json.empty()) return absl::OkStatus();
  session::v1::ProjectsFile file;
  const auto status =
      google::protobuf::util::JsonStringToMessage(options.projects_json, &file);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--projects_file: ",
        std::string(status.message().data(), status.message().size())));
  }
  for (const session::v1::ProjectEntry& entry : file.projects()) {
    RETURN_IF_ERROR(Add({.name = entry.name(),
                         .root = entry.root(),
                         .has_exclusive_writer =
                             entry.writers() == session::v1::WRITERS_EXCLUSIVE,
                         .trust_domain = entry.trust_domain()},
                        "--projects_file", options));
  }
  for (const session::v1::Mode& mode : file.modes()) {
    const absl::Status added = modes_.Add(mode);
    if (!added.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--projects_file: ", added.message()));
    }
  }
  return absl::OkStatus();
}

absl::Status ProjectRegistry::AddWorkspacesRoots(const Options& options) {
  for (const std::string& folder : options.workspaces_roots) {
    ASSIGN_OR_RETURN(std::string written,
                     CleanFolder(folder, "--workspaces_root"));
    workspaces_roots_.push_back(Canonical(options, written));
    workspaces_roots_.push_back(std::move(written));
  }
  if (!options.workspaces_roots.empty()) return absl::OkStatus();
  for (const Alias& alias : aliases_)
    workspaces_roots_.push_back(alias.written);
  return absl::OkStatus();
}

absl::StatusOr<Project> ProjectRegistry::Find(
    absl::string_view name_or_path,
    const std::vector<std::string>& allowed_roots) const {
  if (absl::StartsWith(name_or_path, "/")) {
    return FindRoot(name_or_path, allowed_roots);
  }
  std::vector<const Project*> found;
  for (const Project& project : projects_) {
    if (project.name == name_or_path &&
        IsAllowed(project.root, allowed_roots)) {
      found.push_back(&project);
    }
  }
  if (found.empty()) return Unknown(name_or_path, allowed_roots);
  if (found.size() > 1) return Ambiguous(name_or_path, found);
  return *found.front();
}

absl::StatusOr<Project> ProjectRegistry::FindRoot(
    absl::string_view path,
    const std::vector<std::string>& allowed_roots) const {
  ASSIGN_OR_RETURN(const std::string root, CleanRoot(path));
  for (const Alias& alias : aliases_) {
    const Project& project = projects_[alias.project];
    if (alias.written == root && IsAllowed(project.root, allowed_roots)) {
      return project;
    }
  }
  const bool is_beneath = std::any_of(
      workspaces_roots_.begin(), workspaces_roots_.end(),
      [&root](const std::string& above) { return IsBeneath(root, above); });
  if (!is_beneath || NamesGitFolder(root) || root == "/" ||
      !IsAllowed(root, allowed_roots)) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED,
        absl::StrCat(rpc::EscapeForLog(path, kShownName),
                     " is no registered project and lies below no folder of "
                     "--workspaces_root that you may use; list_projects shows "
                     "what there is"));
  }
  Project found = {.name = LastComponent(root), .root = root};
  if (const Project* around = InnermostAround(root)) {
    found.has_exclusive_writer = around->has_exclusive_writer;
    found.trust_domain = around->trust_domain;
  }
  return found;
}

const Project* ProjectRegistry::InnermostAround(absl::string_view root) const {
  const Alias* innermost = nullptr;
  for (const Alias& alias : aliases_) {
    if (IsBeneath(root, alias.written) &&
        (innermost == nullptr ||
         innermost->written.size() < alias.written.size())) {
      innermost = &alias;
    }
  }
  return innermost == nullptr ? nullptr : &projects_[innermost->project];
}

std::vector<Project> ProjectRegistry::List(
    const std::vector<std::string>& allowed_roots) const {
  std::vector<Project> list;
  for (const Project& project : projects_) {
    if (IsAllowed(project.root, allowed_roots)) list.push_back(project);
  }
  return list;
}

std::vector<std::string> ProjectRegistry::OpenableRoots() const {
  std::vector<std::string> roots = workspaces_roots_;
  for (const Project& project : projects_) roots.push_back(project.root);
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  return roots;
}

std::optional<Project> ProjectRegistry::OnlyProject(
    const std::vector<std::string>& allowed_roots) const {
  if (projects_.size() != 1) return std::nullopt;
  if (!IsAllowed(projects_.front().root, allowed_roots)) return std::nullopt;
  return projects_.front();
}

bool ProjectRegistry::IsAllowed(absl::string_view root,
                                const std::vector<std::string>& allowed_roots) {
  if (allowed_roots.empty()) return true;
  return std::any_of(allowed_roots.begin(), allowed_roots.end(),
                     [root](const std::string& allowed) {
                       const absl::StatusOr<std::string> clean =
                           CleanRoot(allowed);
                       return clean.ok() && IsBeneath(root, *clean);
                     });
}

absl::Status ProjectRegistry::Unknown(
    absl::string_view name,
    const std::vector<std::string>& allowed_roots) const {
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN);
  for (const Project& project : List(allowed_roots)) {
    if (detail.alternatives_size() == kShownProjects) break;
    detail.add_alternatives(project.name);
  }
  const std::string known =
      detail.alternatives().empty()
          ? "none is registered here; give an absolute path"
          : absl::StrCat(
                "there are: ", absl::StrJoin(detail.alternatives(), ", "),
                "; or give an absolute path");
  return rpc::Error(
      std::move(detail),
      absl::StrCat("no project is named ", rpc::EscapeForLog(name, kShownName),
                   "; ", known));
}

}  // namespace banyan::sessiond
