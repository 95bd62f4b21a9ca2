// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_CLIENTS_LSP_PLACEMENT_H_
#define EDGE_CLIENTS_LSP_PLACEMENT_H_

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace banyan::edge {

// Where to ask about a root: rendezvous hashing over the addresses, so that
// every edge asks the same lspd first and one lspd more moves few roots.
// Ownership is not decided here; what a MOVED answer said is remembered.
//
// Thread-safe.
class LspPlacement {
 public:
  explicit LspPlacement(std::vector<std::string> addresses);

  // Every lspd once, the one to ask first in front; indexes of the addresses.
  std::vector<size_t> Order(absl::string_view root) const;

  // After MOVED: the index of `owner`, which Order() then puts in front for
  // this root; none when it is no address of ours.
  std::optional<size_t> Learn(absl::string_view root, absl::string_view owner);

  const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  const std::vector<std::string> addresses_;
  mutable std::mutex mutex_;
  std::map<std::string, size_t, std::less<>> moved_;  // Guarded by mutex_.
};

}  // namespace banyan::edge

#endif  // EDGE_CLIENTS_LSP_PLACEMENT_H_
