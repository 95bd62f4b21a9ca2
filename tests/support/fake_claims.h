// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_FAKE_CLAIMS_H_
#define TESTS_SUPPORT_FAKE_CLAIMS_H_

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "sessiond/store/root_claims.h"

namespace banyan {

// What several session daemons agree by: claims of roots, in memory.
struct ClaimTable {
  struct Entry {
    std::string address;
    int64_t epoch = 0;
    const void* keeper = nullptr;
    absl::Time renewed;
  };

  // Takes away what was not renewed for a claim's life.
  void Lapse() {
    for (auto claim = claims.begin(); claim != claims.end();) {
      const bool is_old =
          now >= claim->second.renewed + sessiond::RootClaims::kLife;
      claim = is_old ? claims.erase(claim) : std::next(claim);
    }
  }

  std::map<std::string, Entry> claims;
  int64_t epoch = 0;
  absl::Time now;
};

// One daemon's way to the table, out of reach on demand. It behaves as
// RedisRootClaims does; shared_leases_test.cc holds that one to it.
class FakeClaims : public sessiond::RootClaims {
 public:
  explicit FakeClaims(ClaimTable& table) : table_(table) {}

  absl::StatusOr<Claim> Take(const std::string& root,
                             const std::string& address,
                             int64_t highest_epoch) override {
    if (is_down) return absl::UnavailableError("down");
    const auto [found, is_new] = table_.claims.try_emplace(root);
    ClaimTable::Entry& entry = found->second;
    if (is_new) {
      table_.epoch = std::max(table_.epoch, highest_epoch) + 1;
      entry = {address, table_.epoch, this, table_.now};
    }
    const bool is_ours = entry.address == address;
    if (is_ours) {
      entry.keeper = this;
      entry.renewed = table_.now;
    }
    return Claim{is_ours, entry.address, entry.epoch};
  }

  absl::StatusOr<Claim> Renew(const std::string& root,
                              const std::string& address,
                              int64_t epoch) override {
    if (is_down) return absl::UnavailableError("down");
    const auto [found, is_new] = table_.claims.try_emplace(root);
    ClaimTable::Entry& entry = found->second;
    if (is_new) {
      table_.epoch = std::max(table_.epoch, epoch);
      entry = {address, epoch, this, table_.now};
    }
    const bool is_ours = entry.address == address && entry.keeper == this;
    if (is_ours) entry.renewed = table_.now;
    return Claim{is_ours, entry.address, entry.epoch};
  }

  void Drop(const std::string& root, const std::string& address) override {
    const auto found = table_.claims.find(root);
    const bool is_ours = !is_down && found != table_.claims.end() &&
                         found->second.address == address &&
                         found->second.keeper == this;
    if (is_ours) table_.claims.erase(found);
  }

  bool is_down = false;

 private:
  ClaimTable& table_;
};

}  // namespace banyan

#endif  // TESTS_SUPPORT_FAKE_CLAIMS_H_
