// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_RUN_PROGRAM_H_
#define LSPD_SERVER_RUN_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace banyan::lspd {

// Runs a program to its end, in "/" and without input: what it wrote to
// standard output and standard error, the first 64 KiB. Blocks.
//
//   kNotFound          it cannot be started
//   kDeadlineExceeded  it ran longer than `limit` and was killed
//   kUnknown           it failed; the message says how
absl::StatusOr<std::string> RunProgram(
    const std::vector<std::string>& argv,
    const std::vector<std::string>& environment, absl::Duration limit);

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_RUN_PROGRAM_H_
