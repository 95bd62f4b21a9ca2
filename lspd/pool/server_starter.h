// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_SERVER_STARTER_H_
#define LSPD_POOL_SERVER_STARTER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lspd/sandbox/guardian.h"
#include "lspd/server/installed_servers.h"
#include "lspd/server/language_server.h"
#include "lspd/server/language_server_process.h"

namespace banyan::lspd {

// How the pool gets a running, initialized server. Blocks. Thread-safe.
class ServerStarter {
 public:
  virtual ~ServerStarter() = default;

  //   SERVER_MISSING, SERVER_DOWN
  virtual absl::StatusOr<std::unique_ptr<LanguageServer>> Start(
      LaunchRequest request) = 0;
};

// Processes under a guardian, which outlives the starter.
std::unique_ptr<ServerStarter> NewProcessStarter(Guardian& guardian);

}  // namespace banyan::lspd

#endif  // LSPD_POOL_SERVER_STARTER_H_
