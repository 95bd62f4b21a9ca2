// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_BINDINGS_BIND_REQUEST_H_
#define SESSIOND_BINDINGS_BIND_REQUEST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "banyan/session/v1/record.pb.h"
#include "banyan/session/v1/session_service.pb.h"
#include "sessiond/projects/project_registry.h"

namespace banyan::sessiond {

// The record that a request asks for, without owner, handle and times. Pure.
// `session` is null in the modern era.
//   PROJECT_UNKNOWN, PROJECT_AMBIGUOUS, ROOT_NOT_ALLOWED, PATH_MALFORMED
//   SCOPE_MISSING     read-write was asked for; by default such a caller reads
//   ARGUMENT_INVALID  an unknown mode; an unknown access
absl::StatusOr<session::v1::WorkspaceRecord> ToWorkspaceRecord(
    const session::v1::BindWorkspaceRequest& request,
    const session::v1::SessionRecord* session, const ProjectRegistry& projects);

// Each once, sorted, so that equal sets are equal.
void SetModes(const Modes::Names& modes, session::v1::WorkspaceRecord& record);

// A session's handles after `handle` became its default: without those that
// are not in `live`, and not more than fit; of one root the newest stays.
// `live` is oldest first and holds `handle`'s record too.
std::vector<std::string> WithDefault(
    const std::vector<std::string>& handles, const std::string& handle,
    const std::vector<session::v1::WorkspaceRecord>& live);

inline constexpr size_t kSessionHandles = 64;

}  // namespace banyan::sessiond

#endif  // SESSIOND_BINDINGS_BIND_REQUEST_H_
