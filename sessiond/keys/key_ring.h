// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_KEYS_KEY_RING_H_
#define SESSIOND_KEYS_KEY_RING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::sessiond {

struct SecretKey {
  std::string
      id;  // 16 hex digits of the secret's hash; tells nothing about it.
  std::string secret;  // 32 bytes.
};

// The keys for one purpose, newest first, at least one. What is made now is
// made with the newest; what an older one made is still understood.
//
// On disk: <folder>/<name> holds the newest in hex (mode 0600), <name>.old the
// one before. To rotate, rename the first to the second and restart.
class KeyRing {
 public:
  // Makes the newest key if there is none; it is synced before it is used.
  //   kFailedPrecondition  a key file is readable by others or holds no key
  //   kUnavailable         a file cannot be read or made
  static absl::StatusOr<KeyRing> LoadOrMake(const std::string& folder,
                                            absl::string_view name);

  // One key that is never stored.
  static KeyRing Ephemeral();

  // REQUIRES: !keys.empty()
  explicit KeyRing(std::vector<SecretKey> keys) : keys_(std::move(keys)) {}

  const SecretKey& newest() const { return keys_.front(); }
  const std::vector<SecretKey>& keys() const { return keys_; }

 private:
  std::vector<SecretKey> keys_;
};

SecretKey ToSecretKey(std::string secret);

}  // namespace banyan::sessiond

#endif  // SESSIOND_KEYS_KEY_RING_H_
