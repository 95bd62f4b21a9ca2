// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/server_lease.h"

#include <utility>

namespace banyan::lspd {

ServerLease::ServerLease(std::shared_ptr<LanguageServer> server,
                         std::string root, int64_t generation,
                         std::function<void()> give_back)
    : server_(std::move(server)),
      root_(std::move(root)),
      generation_(generation),
      give_back_(std::move(give_back)) {}

ServerLease::ServerLease(ServerLease&& other) noexcept
    : server_(std::move(other.server_)),
      root_(std::move(other.root_)),
      generation_(other.generation_),
      give_back_(std::exchange(other.give_back_, nullptr)) {}

ServerLease& ServerLease::operator=(ServerLease&& other) noexcept {
  if (this == &other) return *this;
  GiveBack();
  server_ = std::move(other.server_);
  root_ = std::move(other.root_);
  generation_ = other.generation_;
  give_back_ = std::exchange(other.give_back_, nullptr);
  return *this;
}

ServerLease::~ServerLease() { GiveBack(); }

void ServerLease::GiveBack() {
  server_.reset();
  if (give_back_) std::exchange(give_back_, nullptr)();
}

}  // namespace banyan::lspd
