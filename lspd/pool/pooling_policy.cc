// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/pooling_policy.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/grant.h"

namespace banyan::lspd {
namespace {

using lsp::v1::PoolingPolicy;

constexpr size_t kDefaultMaxRoots = 16;

// Lengths keep neighbouring fields apart.
std::string Field(absl::string_view text) {
  return absl::StrCat(text.size(), ":", text, ";");
}

}  // namespace

bool IsShared(PoolingPolicy policy) {
  return policy == lsp::v1::POOLING_POLICY_SHARED_INSTANCE;
}

absl::StatusOr<PoolingPolicy> EffectivePolicy(const ServerEntry& entry,
                                              PoolingPolicy chosen) {
  PoolingPolicy policy = entry.policy();
  if (policy == lsp::v1::POOLING_POLICY_UNSPECIFIED) {
    policy = lsp::v1::POOLING_POLICY_ISOLATED_PROCESS;
  }
  if (chosen == lsp::v1::POOLING_POLICY_UNSPECIFIED) return policy;
  if (policy == lsp::v1::POOLING_POLICY_FORCED_ISOLATION && IsShared(chosen)) {
    return absl::FailedPreconditionError(absl::StrCat(
        entry.id(), " mixes the symbols of its roots and cannot be shared"));
  }
  return chosen;
}

std::string PoolKey(const InstalledServer& installed, PoolingPolicy policy,
                    const PoolKeyParts& parts) {
  const std::string digest = rpc::HashId(
      absl::StrCat(Field(installed.Fingerprint()), Field(parts.trust_domain),
                   Field(parts.project_settings),
                   Field(IsShared(policy) ? "" : parts.root)));
  return absl::StrCat(installed.entry->id(), "-",
                      absl::BytesToHexString(digest).substr(0, 16));
}

absl::Duration IdleLife(const ServerEntry& entry, absl::Duration otherwise) {
  const int milliseconds = entry.limits().idle_life_ms();
  return milliseconds > 0 ? absl::Milliseconds(milliseconds) : otherwise;
}

absl::Duration StartLimit(const ServerEntry& entry) {
  const int milliseconds = entry.limits().start_timeout_ms();
  return milliseconds > 0 ? absl::Milliseconds(milliseconds)
                          : absl::Seconds(60);
}

size_t MaxRoots(const ServerEntry& entry, PoolingPolicy policy) {
  if (!IsShared(policy)) return 1;
  const int roots = entry.limits().max_roots();
  return roots > 0 ? static_cast<size_t>(roots) : kDefaultMaxRoots;
}

}  // namespace banyan::lspd
