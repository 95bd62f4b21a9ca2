// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_CLIENT_CAPABILITIES_H_
#define LSPD_SERVER_CLIENT_CAPABILITIES_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"

namespace banyan::lspd {

// What we can do, said to every server alike: a server answers differently to
// different clients, and answers are shared between sessions.
nlohmann::json ClientCapabilities();

// The params of `initialize`. The first root is also rootUri and rootPath,
// since some servers read nothing else. `client_pid` 0 is said as null.
// REQUIRES: roots is not empty.
nlohmann::json InitializeParams(const std::vector<std::string>& roots,
                                const nlohmann::json& initialization_options,
                                pid_t client_pid);

// LSP's WorkspaceFolder of an absolute path.
nlohmann::json WorkspaceFolder(const std::string& root);

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_CLIENT_CAPABILITIES_H_
