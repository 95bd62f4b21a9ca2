// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/lsp_placement.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/rpc/grant.h"

namespace banyan::edge {
namespace {

// Past this many remembered moves all are forgotten: a wrong guess costs one
// hop, not an answer.
constexpr size_t kMaxRemembered = 4096;

}  // namespace

LspPlacement::LspPlacement(std::vector<std::string> addresses)
    : addresses_(std::move(addresses)) {}

std::vector<size_t> LspPlacement::Order(absl::string_view root) const {
  std::vector<std::pair<std::string, size_t>> weights;
  for (size_t i = 0; i < addresses_.size(); ++i) {
    // One lspd needs no hash.
    weights.emplace_back(
        addresses_.size() == 1
            ? std::string()
            : rpc::HashId(absl::StrCat(addresses_[i], "\n", root)),
        i);
  }
  std::sort(weights.begin(), weights.end(), std::greater<>());

  std::vector<size_t> order;
  for (const auto& [weight, index] : weights) order.push_back(index);
  const std::lock_guard lock(mutex_);
  const auto moved = moved_.find(root);
  if (moved != moved_.end()) {
    const auto owner = std::find(order.begin(), order.end(), moved->second);
    std::rotate(order.begin(), owner, owner + 1);
  }
  return order;
}

std::optional<size_t> LspPlacement::Learn(absl::string_view root,
                                          absl::string_view owner) {
  const auto found = std::find(addresses_.begin(), addresses_.end(), owner);
  if (found == addresses_.end()) return std::nullopt;
  const auto index = static_cast<size_t>(found - addresses_.begin());
  const std::lock_guard lock(mutex_);
  if (moved_.size() >= kMaxRemembered) moved_.clear();
  moved_.insert_or_assign(std::string(root), index);
  return index;
}

}  // namespace banyan::edge
