// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_EDIT_CONSENT_H_
#define EDGE_TOOLS_EDIT_CONSENT_H_

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/edit_service.pb.h"
#include "edge/tools/client_link.h"

namespace banyan::edge {

// lspd only showed the edit, for it changes more files than were agreed to, and
// a yes would make it.
bool AwaitsConsent(const lsp::v1::ApplyEditRequest& request,
                   const lsp::v1::ApplyEditResponse& shown);

// Asks whoever sits at the client whether the edit shall be made. No when the
// client takes no such questions, or gives no answer.
//   CANCELLED  as ClientLink::Ask: hand it on
absl::StatusOr<bool> AskForConsent(ClientLink& client,
                                   const lsp::v1::ApplyEditRequest& request,
                                   const lsp::v1::ApplyEditResponse& shown);

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_EDIT_CONSENT_H_
