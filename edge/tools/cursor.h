// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_CURSOR_H_
#define EDGE_TOOLS_CURSOR_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "edge/clients/edge_keys.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// Where a cut answer goes on. Clients get it sealed: opaque, signed with a key
// that all edges share. It carries no right: the call is made again, and
// authorized again, by whoever brings it.
struct Cursor {
  std::string tool;
  std::string arguments_digest;
  std::string result_digest;
  uint64_t offset = 0;
};

// Errors of EdgeKeys::Newest.
absl::StatusOr<std::string> SealCursor(const Cursor& cursor, EdgeKeys& keys,
                                       const rpc::CallContext& call);

// Codes:
//   kInvalidArgument     ARGUMENT_INVALID: not made by us, or changed
//   kFailedPrecondition  CURSOR_STALE: signed with a key that is gone
//   errors of EdgeKeys::Find
absl::StatusOr<Cursor> OpenCursor(absl::string_view sealed, EdgeKeys& keys,
                                  const rpc::CallContext& call);

// The first 16 bytes of SHA-256, in hex.
std::string ShortDigest(absl::string_view text);

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_CURSOR_H_
