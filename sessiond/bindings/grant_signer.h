// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_BINDINGS_GRANT_SIGNER_H_
#define SESSIOND_BINDINGS_GRANT_SIGNER_H_

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "banyan/session/v1/grant.pb.h"
#include "proto/rpc/grant.h"
#include "sessiond/keys/key_ring.h"

namespace banyan::sessiond {

inline constexpr absl::Duration kGrantLife = absl::Seconds(30);

// Signs grants with the newest key. A signature costs tens of microseconds, so
// an equal grant is given out again for half of its life. Thread-safe.
class GrantSigner {
 public:
  // The keys of `ring` are Ed25519 seeds. Those older than the newest verify
  // what they have signed until `now` + 2 grant lives.
  static absl::StatusOr<GrantSigner> Create(const KeyRing& ring,
                                            absl::Time now);

  // Fills in version, key, issue and expiry.
  session::v1::SignedGrant Sign(session::v1::Grant grant, absl::Time now);

  // What lspds need to verify, newest first.
  const std::vector<session::v1::VerificationKey>& keys() const {
    return keys_;
  }

  GrantSigner(GrantSigner&& other) noexcept;

 private:
  struct Signed {
    session::v1::SignedGrant grant;
    absl::Time issued;
  };

  GrantSigner(rpc::GrantKey key,
              std::vector<session::v1::VerificationKey> keys);

  void DropOld(absl::Time now);

  rpc::GrantKey key_;
  std::vector<session::v1::VerificationKey> keys_;
  std::mutex mutex_;
  std::map<std::string, Signed> signed_;  // By content. Guarded by mutex_.
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_BINDINGS_GRANT_SIGNER_H_
