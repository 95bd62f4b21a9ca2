// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_RECORD_SEAL_H_
#define SESSIOND_STORE_RECORD_SEAL_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "sessiond/store/record_store.h"

namespace banyan::sessiond {

// Tells records of ours from what others wrote into a store that they reach
// too: HMAC-SHA256 over every field. An older record of ours under its own
// place passes: it keeps out forgers, not those who restore copies.
// Thread-safe.
class RecordSeal {
 public:
  // Newest first; with the others only what exists is recognised.
  // REQUIRES: !keys.empty()
  explicit RecordSeal(std::vector<std::string> keys) : keys_(std::move(keys)) {}

  std::string Make(const Record& record) const;

  // In constant time for each key.
  bool Fits(const Record& record, absl::string_view seal) const;

 private:
  std::vector<std::string> keys_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_RECORD_SEAL_H_
