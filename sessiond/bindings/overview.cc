// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/overview.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proto/rpc/status_macros.h"
#include "sessiond/bindings/trust_domain.h"

namespace banyan::sessiond {
namespace {

using session::v1::Principal;
using session::v1::SessionRecord;

std::vector<std::string> AllowedRoots(const Principal& principal) {
  return {principal.allowed_roots().begin(), principal.allowed_roots().end()};
}

}  // namespace

absl::StatusOr<std::vector<Overview::Entry>> Overview::ListSessions(
    const Principal& principal) {
  RETURN_IF_ERROR(PrincipalHasher::Check(principal));
  std::optional<Principal> owner;
  if (!HasScope(principal, "admin")) owner = principal;
  return EntriesOf(owner);
}

bool Overview::IsLeftBehind(const Entry& entry) {
  return !entry.session.has_value() &&
         !entry.workspace->record.session_public_id().empty();
}

absl::StatusOr<std::vector<Overview::Entry>> Overview::EntriesOf(
    const std::optional<Principal>& owner) {
  ASSIGN_OR_RETURN(std::vector<Sessions::Live> sessions, sessions_.List(owner));
  ASSIGN_OR_RETURN(std::vector<Bindings::Live> handles, bindings_.List(owner));

  std::map<std::string, Bindings::Live*> by_handle;
  for (Bindings::Live& live : handles) by_handle[live.record.handle()] = &live;
  std::set<std::string> held;
  std::vector<Entry> entries;
  for (Sessions::Live& session : sessions) {
    const auto& names = session.record.workspaces();
    held.insert(names.begin(), names.end());
    Entry entry;
    if (names.empty()) {
      entry.workspace = BoundByItself(session.record);
    } else {
      const auto found = by_handle.find(*names.rbegin());
      if (found != by_handle.end()) entry.workspace = *found->second;
    }
    entry.session = std::move(session);
    entries.push_back(std::move(entry));
  }
  for (Bindings::Live& live : handles) {
    if (held.contains(live.record.handle())) continue;
    entries.push_back({.workspace = std::move(live)});
  }
  return entries;
}

std::optional<Bindings::Live> Overview::BoundByItself(
    const SessionRecord& session) const {
  std::optional<Project> project;
  if (session.default_project().empty()) {
    project = projects_.OnlyProject({});
  } else {
    const absl::StatusOr<Project> named =
        projects_.Find(session.default_project(), {});
    if (named.ok()) project = *named;
  }
  if (!project.has_value()) return std::nullopt;
  Bindings::Live workspace;
  workspace.record.set_root(project->root);
  workspace.record.set_project_name(project->name);
  workspace.record.set_access(session::v1::ACCESS_READ_ONLY);
  return workspace;
}

absl::StatusOr<std::set<std::string>> Overview::LiveSessions() {
  ASSIGN_OR_RETURN(const std::vector<Sessions::Live> sessions,
                   sessions_.List(std::nullopt));
  std::set<std::string> ids;
  for (const Sessions::Live& session : sessions) {
    ids.insert(session.record.public_id());
  }
  return ids;
}

absl::StatusOr<std::vector<Overview::ListedProject>> Overview::ListProjects(
    const Principal& principal) {
  ASSIGN_OR_RETURN(const auto hashes, hasher_.AllHashes(principal));
  const auto is_own = [&hashes](const Bindings::Live& live) {
    return std::any_of(hashes.begin(), hashes.end(),
                       [&live](const PrincipalHash& owner) {
                         return owner.hash == live.record.principal_hash();
                       });
  };
  const std::vector<std::string> allowed_roots = AllowedRoots(principal);
  std::vector<ListedProject> list;
  std::map<std::string, std::vector<size_t>> by_root;
  const auto add = [&](Project project) {
    by_root[project.root].push_back(list.size());
    list.push_back({.project = std::move(project)});
  };
  for (Project& project : projects_.List(allowed_roots)) {
    add(std::move(project));
  }
  ASSIGN_OR_RETURN(const std::vector<Bindings::Live> handles,
                   bindings_.List(std::nullopt));
  for (const Bindings::Live& live : handles) {
    const std::string& root = live.record.root();
    if (!by_root.contains(root) && is_own(live) &&
        ProjectRegistry::IsAllowed(root, allowed_roots)) {
      add({.name = live.record.project_name(), .root = root});
    }
  }
  ASSIGN_OR_RETURN(const std::vector<Entry> entries, EntriesOf(std::nullopt));
  for (const Entry& entry : entries) {
    if (!entry.workspace.has_value() || IsLeftBehind(entry)) continue;
    const auto found = by_root.find(entry.workspace->record.root());
    if (found == by_root.end()) continue;
    for (const size_t index : found->second) ++list[index].sessions;
  }
  for (const Bindings::Live& live : handles) {
    const auto found = by_root.find(live.record.root());
    if (found == by_root.end()) continue;
    for (const size_t index : found->second) {
      list[index].languages.insert(live.record.languages().begin(),
                                   live.record.languages().end());
    }
  }
  return list;
}

absl::StatusOr<std::vector<Overview::Visible>> Overview::ListWorkspaces(
    const Principal& principal, absl::string_view session_id,
    absl::string_view root) {
  RETURN_IF_ERROR(PrincipalHasher::Check(principal));
  std::optional<Principal> owner = principal;
  std::string wanted_root;
  if (!root.empty()) {
    ASSIGN_OR_RETURN(const Project project,
                     projects_.FindRoot(root, AllowedRoots(principal)));
    wanted_root = project.root;
    owner.reset();
  }
  std::vector<Bindings::Live> handles;
  if (session_id.empty()) {
    ASSIGN_OR_RETURN(handles, bindings_.List(owner));
  } else {
    ASSIGN_OR_RETURN(const Sessions::Live session,
                     sessions_.Get(principal, session_id));
    ASSIGN_OR_RETURN(handles, bindings_.OfSession(principal, session.record));
  }
  ASSIGN_OR_RETURN(const std::set<std::string> live_sessions, LiveSessions());
  std::vector<Visible> visible;
  for (Bindings::Live& live : handles) {
    if (!wanted_root.empty() && live.record.root() != wanted_root) continue;
    const std::string& session = live.record.session_public_id();
    // Nobody works on that root with the handle of a session that has ended.
    if (!wanted_root.empty() && !session.empty() &&
        !live_sessions.contains(session)) {
      continue;
    }
    const bool is_own = hasher_.IsOwner(principal, live.record.principal_hash(),
                                        live.record.principal_key_id());
    visible.push_back({std::move(live), is_own});
  }
  return visible;
}

}  // namespace banyan::sessiond
