// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_POOLING_POLICY_H_
#define LSPD_POOL_POOLING_POLICY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/lsp/v1/server_catalog.pb.h"
#include "lspd/server/installed_servers.h"

namespace banyan::lspd {

// What decides whether two roots may be served by one process.
struct PoolKeyParts {
  std::string root;
  std::string trust_domain;
  std::string project_settings;  // Digest of what the project chose.
};

// Many roots in one process?
bool IsShared(lsp::v1::PoolingPolicy policy);

// The policy of a row with the operator's own choice put over it (UNSPECIFIED:
// none). Unlisted servers are isolated.
//   kFailedPrecondition  the row says that sharing this server is unsafe
absl::StatusOr<lsp::v1::PoolingPolicy> EffectivePolicy(
    const ServerEntry& entry, lsp::v1::PoolingPolicy chosen);

// Equal for what one process may serve, different for all else. 16 hex digits
// after the catalogue id, so that it can name a folder.
std::string PoolKey(const InstalledServer& installed,
                    lsp::v1::PoolingPolicy policy, const PoolKeyParts& parts);

// The row's limits, with the defaults that its schema names.
absl::Duration IdleLife(const ServerEntry& entry, absl::Duration otherwise);
absl::Duration StartLimit(const ServerEntry& entry);
size_t MaxRoots(const ServerEntry& entry, lsp::v1::PoolingPolicy policy);

}  // namespace banyan::lspd

#endif  // LSPD_POOL_POOLING_POLICY_H_
