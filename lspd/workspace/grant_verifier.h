// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_GRANT_VERIFIER_H_
#define LSPD_WORKSPACE_GRANT_VERIFIER_H_

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/session/v1/grant.pb.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// A clock that never jumps and runs while the machine sleeps (CLOCK_BOOTTIME).
absl::Time BootTime();

// Says whether a grant may be acted on: signed by sessiond, in time by
// sessiond's clock, not revoked. Fed by Registration; without contact it says
// no to everything after a while, since nothing tells what was revoked.
//
// Thread-safe.
class GrantVerifier {
 public:
  struct Options {
    absl::Duration longest_silence =
        absl::Seconds(30);  // Without a word of sessiond.
    absl::Duration revocations_kept = absl::Minutes(10);
    size_t cached_verdicts = 4096;
    std::function<absl::Time()> clock = BootTime;
    // This session (public id) has ended, or a handle of it that was seen in a
    // grant: what it had in use may go. Called without locks held; must not
    // block.
    std::function<void(const std::string& session_public_id)> on_ended =
        [](const std::string&) {};
  };

  explicit GrantVerifier(Options options);

  //   GRANT_INVALID       signature, key, expiry or revocation; the message
  //   says which DAEMON_UNREACHABLE  sessiond has been silent for too long
  absl::StatusOr<session::v1::Grant> Verify(
      const session::v1::SignedGrant& signed_grant);

  // The handle ended, or sessiond is silent: what runs for it must stop.
  bool IsRevoked(absl::string_view handle_hash) const;

  // `call` that is also over once the grant's handle is revoked. This must
  // outlive it.
  rpc::CallContext WatchRevocation(const session::v1::Grant& grant,
                                   rpc::CallContext call) const;

  // Of any grant seen so far.
  int64_t highest_epoch() const;

  // What Registration hears. `sessiond_now` is also a sign of life.
  void SetKeys(std::vector<session::v1::VerificationKey> keys);
  void SetClock(absl::Time sessiond_now);
  void Revoke(absl::string_view handle_hash);
  void EndSession(const std::string& session_public_id) const {
    options_.on_ended(session_public_id);
  }

 private:
  // All with mutex_ held.
  absl::Time SessiondNow() const;
  bool IsSilent() const;
  bool IsRevokedLocked(absl::string_view handle_hash) const;
  void Remember(std::string digest, const session::v1::Grant& grant);

  const Options options_;
  mutable std::mutex mutex_;
  std::vector<session::v1::VerificationKey> keys_;  // Guarded by mutex_.
  absl::Time heard_at_ =
      absl::InfinitePast();  // Guarded by mutex_. By our clock.
  absl::Time heard_ =
      absl::InfinitePast();    // Guarded by mutex_. By sessiond's.
  int64_t highest_epoch_ = 0;  // Guarded by mutex_.
  // Guarded by mutex_. When each was revoked, by our clock.
  absl::flat_hash_map<std::string, absl::Time> revoked_;
  // Guarded by mutex_. Public id of the session by handle hash, of grants seen
  // since the start.
  absl::flat_hash_map<std::string, std::string> sessions_;
  // Guarded by mutex_. Good verdicts by digest of the signed bytes, and the
  // order in which they came.
  absl::flat_hash_map<std::string, session::v1::Grant> verdicts_;
  std::list<std::string> verdict_order_;
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_GRANT_VERIFIER_H_
