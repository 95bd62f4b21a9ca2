// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_LAUNCH_H_
#define LSPD_SERVER_LAUNCH_H_

#include <string>
#include <utility>
#include <vector>

#include "lspd/sandbox/guardian.h"
#include "lspd/server/language_server_process.h"
#include "lspd/server/server_settings.h"

namespace banyan::lspd {

// ${root}, ${private_dir}, ${cache_dir} (inside the private one) and
// ${tools_dir} of a launch.
Variables VariablesOf(const LaunchRequest& request, const std::string& root);

// Command line, environment and folder of the process. Of our own environment
// only what toolchains are found by goes along, never a secret by accident.
SpawnRequest SpawnRequestOf(
    const LaunchRequest& request,
    const std::vector<std::pair<std::string, std::string>>& our_environment);

// The environment of this process.
std::vector<std::pair<std::string, std::string>> OurEnvironment();

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_LAUNCH_H_
