// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_CLIENTS_EDGE_KEYS_H_
#define EDGE_CLIENTS_EDGE_KEYS_H_

#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/session/v1/session_service.pb.h"
#include "edge/clients/session_client.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// The keys by which edges sign what they hand to clients and read back:
// sessiond's, the same for all edges, fetched at first use and again when they
// are old or a key is not among them. Thread-safe.
class EdgeKeys {
 public:
  using Key = session::v1::GetEdgeKeysResponse::Key;

  // `sessions` outlives this.
  explicit EdgeKeys(SessionClient& sessions) : sessions_(sessions) {}

  // The key to sign with. Errors of GetEdgeKeys.
  absl::StatusOr<Key> Newest(const rpc::CallContext& call);

  // Errors of GetEdgeKeys, and
  //   kNotFound  no such key; what it signed is not to be trusted
  absl::StatusOr<Key> Find(absl::string_view key_id,
                           const rpc::CallContext& call);

 private:
  absl::Status Refresh(const rpc::CallContext& call, absl::Duration max_age);

  SessionClient& sessions_;
  std::mutex mutex_;
  session::v1::GetEdgeKeysResponse keys_;      // Guarded by mutex_.
  absl::Time fetched_ = absl::InfinitePast();  // Guarded by mutex_.
};

}  // namespace banyan::edge

#endif  // EDGE_CLIENTS_EDGE_KEYS_H_
