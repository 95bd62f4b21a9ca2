// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/binding_choice.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/rpc/error_reason.h"
#include "sessiond/store/record_id.h"

namespace banyan::sessiond {
namespace {

using session::v1::Access;

constexpr size_t kShownProjects = 50;

bool IsImplicit(BindingSource source) {
  return source == BindingSource::kNameArgument ||
         source == BindingSource::kUrlProject ||
         source == BindingSource::kOnlyProject;
}

absl::Status Ambiguous(const std::vector<SessionHandle>& handles) {
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_BINDING_AMBIGUOUS);
  for (const SessionHandle& handle : handles) {
    detail.add_alternatives(
        absl::StrCat(handle.handle, " (", handle.project_name, ")"));
  }
  const std::string list = absl::StrJoin(detail.alternatives(), ", ");
  return rpc::Error(
      std::move(detail),
      absl::StrCat("this session has workspaces on several roots, so a change "
                   "must say which one it means: pass `workspace`, one of ",
                   list));
}

}  // namespace

BindingSource ChooseBinding(const BindingQuestion& question) {
  if (!question.workspace.empty()) {
    return IsWorkspaceHandle(question.workspace)
               ? BindingSource::kHandleArgument
               : BindingSource::kNameArgument;
  }
  if (question.has_session_handle) return BindingSource::kSessionHandle;
  if (!question.url_project.empty()) return BindingSource::kUrlProject;
  if (question.has_only_project) return BindingSource::kOnlyProject;
  return BindingSource::kNothing;
}

absl::Status JudgeAccess(BindingSource source, Access bound, Access wanted,
                         const std::vector<SessionHandle>& session_handles) {
  if (wanted == session::v1::ACCESS_READ_ONLY &&
      (bound == session::v1::ACCESS_READ_ONLY ||
       bound == session::v1::ACCESS_READ_WRITE)) {
    return absl::OkStatus();
  }
  if (wanted != session::v1::ACCESS_READ_WRITE) {
    return rpc::Error(rpc::v1::ERROR_REASON_READ_ONLY,
                      "the call does not say what access it needs, or the "
                      "workspace grants none");
  }
  if (IsImplicit(source)) {
    return rpc::Error(rpc::v1::ERROR_REASON_READ_ONLY,
                      "a workspace named by its project alone is for reading; "
                      "call activate_project and use its handle for changes");
  }
  std::set<std::string> roots;
  for (const SessionHandle& handle : session_handles) {
    roots.insert(handle.root);
  }
  if (source == BindingSource::kSessionHandle && roots.size() > 1) {
    return Ambiguous(session_handles);
  }
  if (bound == session::v1::ACCESS_READ_WRITE) return absl::OkStatus();
  return rpc::Error(rpc::v1::ERROR_REASON_READ_ONLY,
                    "Workspace is read-only. Return your proposed edits to the "
                    "orchestrating agent.");
}

absl::Status NotBound(const std::vector<std::string>& project_names) {
  rpc::ErrorDetail detail;
  detail.set_reason(rpc::v1::ERROR_REASON_NOT_BOUND);
  for (const std::string& name : project_names) {
    if (static_cast<size_t>(detail.alternatives_size()) == kShownProjects)
      break;
    detail.add_alternatives(name);
  }
  const std::string projects =
      project_names.empty()
          ? "an absolute path (no project is registered)"
          : absl::StrCat("one of: ",
                         absl::StrJoin(detail.alternatives(), ", "));
  return rpc::Error(std::move(detail),
                    absl::StrCat("no workspace is active; call "
                                 "activate_project with ",
                                 projects));
}

}  // namespace banyan::sessiond
