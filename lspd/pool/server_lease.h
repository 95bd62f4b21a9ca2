// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_SERVER_LEASE_H_
#define LSPD_POOL_SERVER_LEASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "lspd/server/language_server.h"

namespace banyan::lspd {

// The right to ask one language server about one root, until this is
// destroyed. Many leases of one server live side by side. Move-only.
class ServerLease {
 public:
  // `give_back` runs once, at the end.
  ServerLease(std::shared_ptr<LanguageServer> server, std::string root,
              int64_t generation, std::function<void()> give_back);
  ServerLease(ServerLease&& other) noexcept;
  ServerLease& operator=(ServerLease&& other) noexcept;
  ~ServerLease();

  LanguageServer& operator*() const { return *server_; }
  LanguageServer* operator->() const { return server_.get(); }

  // Canonical path of the workspace that was leased for.
  const std::string& root() const { return root_; }

  // Grows with each start of a server for this root and language: what was
  // learnt from another generation (open documents, readiness) is void.
  int64_t generation() const { return generation_; }

 private:
  void GiveBack();

  std::shared_ptr<LanguageServer> server_;
  std::string root_;
  int64_t generation_ = 0;
  std::function<void()> give_back_;
};

}  // namespace banyan::lspd

#endif  // LSPD_POOL_SERVER_LEASE_H_
