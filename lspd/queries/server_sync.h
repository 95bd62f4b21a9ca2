// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_SERVER_SYNC_H_
#define LSPD_QUERIES_SERVER_SYNC_H_

#include <string>

#include "absl/status/status.h"
#include "lspd/pool/server_lease.h"
#include "lspd/queries/root_state.h"
#include "lspd/queries/source_file.h"
#include "lspd/server/server_catalog.h"
#include "lspd/workspace/workspace.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// Tells a server all that changed beneath the root since it was told last, so
// that its next answer is about the disk. New and changed files of its own
// language are opened besides (a few; more is a branch switch, and then the
// server reports its work itself): servers notice those at once, watched ones
// some time later.
//
//   SERVER_DOWN, CANCELLED, DEADLINE
absl::Status TellChanges(const Workspace& workspace,
                         const ServerCatalog& catalog, RootState& state,
                         const std::string& language, const ServerLease& lease,
                         const rpc::CallContext& call);

// The server has this text of the file while the pin lives.
//   SERVER_DOWN
absl::StatusOr<DocumentPin> OpenIn(LanguageServer& server,
                                   const Workspace& workspace,
                                   const SourceFile& file);

// As servers know it.
std::string AbsolutePathOf(const Workspace& workspace, const SourceFile& file);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_SERVER_SYNC_H_
