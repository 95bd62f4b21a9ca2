// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_LEASES_ROOT_LEASES_H_
#define SESSIOND_LEASES_ROOT_LEASES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "sessiond/store/root_claims.h"

namespace banyan::sessiond {

struct RootLease {
  std::string root;
  std::string owner;    // Name of the lspd.
  std::string address;  // Where edges reach it.
  int64_t epoch = 0;    // Rises with every change of owner.
  bool is_granted = false;
};

// Which lspd owns which root: one at a time, so that a root has one set of
// servers and one writer.
//
// An lspd holds its roots while its stream lives. When the stream ends the
// roots wait for it for a while: the same lspd that comes back and still names
// them keeps them, with their epochs; any other that asks takes them over at
// once. That fences daemons, not files: an owner that is only paused is kept
// out by the lock on the root's own directory.
//
// Thread-safe. Nothing here is stored: after a restart lspds name what they
// hold, and epochs begin above all that they report and above the time in
// milliseconds. Several session daemons agree by claims.
class RootLeases {
 public:
  struct Options {
    absl::Duration return_grace =
        absl::Seconds(30);  // How long roots wait for the lspd that had them.
    // How long others are kept off them. Longer than zero only where directory
    // locks do not reach (another host): then grant life + the longest pause.
    absl::Duration takeover_delay = absl::ZeroDuration();
  };

  // One stream of one lspd. A later one with the same name takes its place.
  struct Connection {
    std::string name;
    int64_t number = 0;
  };

  // `claims` outlives it; null where no other session daemon gives leases.
  RootLeases(Options options, absl::Time now, RootClaims* claims = nullptr);

  // Hears of a root that its holder has lost while its stream stands: another
  // session daemon has given it away, or nobody knows whether it has. Must be
  // quick and must not call the leases. Not after Disconnect.
  using LossListener = std::function<void(const RootLease&)>;

  // `roots` is held since before. The answer: those that are still its own.
  struct Connected {
    Connection connection;
    std::vector<RootLease> kept;
  };
  Connected Connect(const std::string& name, const std::string& address,
                    int64_t highest_epoch,
                    const std::vector<std::string>& roots, absl::Time now,
                    LossListener on_loss = nullptr);

  // Asking again for what one holds is granted again, with the same epoch.
  //   PATH_MALFORMED         not a clean absolute path
  //   GRANT_INVALID          the connection is not the newest of its name
  //   STORE_UNREACHABLE      other session daemons cannot be asked
  absl::StatusOr<RootLease> Acquire(const Connection& connection,
                                    absl::string_view root, absl::Time now);

  // Nothing happens unless it is the owner.
  void Release(const Connection& connection, absl::string_view root);

  // Keeps what connected lspds hold; to be called well within a claim's life.
  // What cannot be kept is taken from them before the claim lapses.
  void RenewClaims(absl::Time now);

  // The stream has ended.
  void Disconnect(const Connection& connection, absl::Time now);

  std::optional<RootLease> OwnerOf(absl::string_view root,
                                   absl::Time now) const;

 private:
  struct Holder {
    std::string address;
    int64_t connection = 0;
    std::optional<absl::Time> lost_at;  // Its stream is gone since.
    LossListener on_loss;               // Null for nobody.
  };
  struct Held {
    std::string owner;
    int64_t epoch = 0;
    absl::Time claimed;  // When its claim was good last.
  };

  bool IsNewest(const Connection& connection) const;
  bool IsFree(const Held& held, absl::Time now) const;
  absl::StatusOr<RootClaims::Claim> Claim(const std::string& root,
                                          const std::string& address,
                                          absl::Time now);
  void DropClaims(const std::vector<std::string>& roots,
                  const std::string& address);
  RootLease Describe(const std::string& root, const Held& held) const;
  void DropLost(absl::Time now);

  const Options options_;
  RootClaims* const claims_;
  mutable std::mutex mutex_;
  std::map<std::string, Holder> holders_;  // By name. Guarded by mutex_.
  std::map<std::string, Held, std::less<>>
      held_;                     // By root. Guarded by mutex_.
  int64_t last_epoch_;           // Guarded by mutex_.
  int64_t last_connection_ = 0;  // Guarded by mutex_.
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_LEASES_ROOT_LEASES_H_
