// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_BINDINGS_OVERVIEW_H_
#define SESSIOND_BINDINGS_OVERVIEW_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/session_service.pb.h"
#include "sessiond/bindings/bindings.h"
#include "sessiond/keys/principal_hasher.h"
#include "sessiond/projects/project_registry.h"
#include "sessiond/sessions/sessions.h"

namespace banyan::sessiond {

// Lists for pages and tools: who is connected, what there is to open.
// Everything passed outlives it. Thread-safe. Codes of every call:
// STORE_UNREACHABLE, UNAUTHENTICATED.
class Overview {
 public:
  // A legacy session with its default workspace (without a handle where it is
  // bound by itself), or a handle that no live session holds.
  struct Entry {
    std::optional<Sessions::Live> session;
    std::optional<Bindings::Live> workspace;
  };

  // A workspace as one caller sees it: of others' the handle stays hidden.
  struct Visible {
    Bindings::Live workspace;
    bool is_own = false;
  };

  struct ListedProject {
    Project project;
    int sessions = 0;  // Legacy sessions and modern handles that are on it.
    std::set<std::string> languages;  // That live handles on it recorded.
  };

  Overview(Sessions& sessions, Bindings& bindings,
           const ProjectRegistry& projects, const PrincipalHasher& hasher)
      : sessions_(sessions),
        bindings_(bindings),
        projects_(projects),
        hasher_(hasher) {}

  // All for an operator, else the caller's own.
  absl::StatusOr<std::vector<Entry>> ListSessions(
      const session::v1::Principal& principal);

  // Registered ones, then those that the caller has opened by path.
  absl::StatusOr<std::vector<ListedProject>> ListProjects(
      const session::v1::Principal& principal);

  // The caller's own; of one session if it is named; everybody's on one root
  // if that is named and the caller may use it, but for those that an ended
  // session left behind.
  //   SESSION_GONE, ROOT_NOT_ALLOWED, PATH_MALFORMED
  absl::StatusOr<std::vector<Visible>> ListWorkspaces(
      const session::v1::Principal& principal, absl::string_view session_id,
      absl::string_view root);

 private:
  // Of one owner, or all.
  absl::StatusOr<std::vector<Entry>> EntriesOf(
      const std::optional<session::v1::Principal>& owner);
  // A handle whose session has ended.
  static bool IsLeftBehind(const Entry& entry);
  // Where a session without a handle reads.
  std::optional<Bindings::Live> BoundByItself(
      const session::v1::SessionRecord& session) const;
  // Public ids.
  absl::StatusOr<std::set<std::string>> LiveSessions();

  Sessions& sessions_;
  Bindings& bindings_;
  const ProjectRegistry& projects_;
  const PrincipalHasher& hasher_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_BINDINGS_OVERVIEW_H_
