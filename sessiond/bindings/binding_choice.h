// SPDX-License-Identifier: Apache-2.0
//
// Which workspace a call means, and whether it may be used so. Pure decisions;
// authorizer.h loads what they need.
#ifndef SESSIOND_BINDINGS_BINDING_CHOICE_H_
#define SESSIOND_BINDINGS_BINDING_CHOICE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/grant.pb.h"

namespace banyan::sessiond {

// In the order in which they apply.
enum class BindingSource {
  kHandleArgument,  // `workspace` is a handle.
  kNameArgument,    // `workspace` is a project's name: for reading.
  kSessionHandle,   // The session's current handle.
  kUrlProject,      // /mcp/p/<project>: for reading.
  kOnlyProject,     // The server has just one: for reading.
  kNothing,
};

struct BindingQuestion {
  absl::string_view workspace;  // The argument; empty for none.
  bool has_session_handle = false;
  absl::string_view url_project;
  bool has_only_project = false;
};

BindingSource ChooseBinding(const BindingQuestion& question);

// A live handle of the session.
struct SessionHandle {
  std::string handle;
  std::string project_name;
  std::string root;
};

// Whether a binding with access `bound` serves a call that needs `wanted`.
// Zero and unknown values deny. The session's default serves writes only while
// the session has handles on one root: sub-agents share their parent's
// connection without knowing.
//   kFailedPrecondition  BINDING_AMBIGUOUS; lists the session's handles
//   kPermissionDenied    READ_ONLY
absl::Status JudgeAccess(BindingSource source, session::v1::Access bound,
                         session::v1::Access wanted,
                         const std::vector<SessionHandle>& session_handles);

// Nothing applies: names the projects and the way out. NOT_BOUND.
absl::Status NotBound(const std::vector<std::string>& project_names);

}  // namespace banyan::sessiond

#endif  // SESSIOND_BINDINGS_BINDING_CHOICE_H_
