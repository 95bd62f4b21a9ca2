// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_SEALED_TEXT_H_
#define EDGE_TOOLS_SEALED_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "edge/clients/edge_keys.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// Text that goes through a client's hands and comes back: signed with a key
// that all edges share, readable by anybody, URL-safe. `purpose` keeps what was
// sealed for one thing from being opened as another. Errors of
// EdgeKeys::Newest.
absl::StatusOr<std::string> Seal(absl::string_view purpose,
                                 absl::string_view text, EdgeKeys& keys,
                                 const rpc::CallContext& call);

// Codes:
//   kInvalidArgument  not sealed by us for this, or changed
//   kNotFound         sealed with a key that is gone
//   errors of EdgeKeys::Find
absl::StatusOr<std::string> Unseal(absl::string_view purpose,
                                   absl::string_view sealed, EdgeKeys& keys,
                                   const rpc::CallContext& call);

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_SEALED_TEXT_H_
