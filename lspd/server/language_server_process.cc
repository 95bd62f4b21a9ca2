// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/language_server_process.h"

#include <utility>

#include "lspd/server/running_server.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {

absl::StatusOr<std::unique_ptr<LanguageServer>> StartLanguageServer(
    Guardian& guardian, LaunchRequest request) {
  auto server = std::make_unique<RunningServer>(std::move(request));
  RETURN_IF_ERROR(server->Start(guardian));
  return std::unique_ptr<LanguageServer>(std::move(server));
}

}  // namespace banyan::lspd
