// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_PROGRAM_RUN_H_
#define LSPD_WORKSPACE_PROGRAM_RUN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// One short-lived program of ours (ripgrep, git): an argument list, never a
// shell; a folder by descriptor; an environment that inherits only PATH.
struct ProgramRun {
  std::vector<std::string> arguments;    // The first is looked up on PATH.
  int folder_fd = -1;                    // Where it runs.
  std::vector<std::string> environment;  // "NAME=value", added.
  std::string input;                     // On its standard input.
  size_t max_output_bytes = 64 << 20;
};

enum class ProgramEnd {
  kExited,
  kOutputLimit,
  kDeadline,
  kCancelled,
  // By a signal that was not ours: what it did not get to is not known.
  kDied,
};

struct ProgramResult {
  ProgramEnd end = ProgramEnd::kExited;
  int exit_code = -1;  // 128 + signal when a signal ended it.
  std::string output;  // What there was until the end.
  std::string errors;  // The first 64 KiB.
};

// Blocks until the program and all it started are gone: by itself, or killed
// at the deadline, when the caller cancels, or past the limit of output.
//   kNotFound  no such program
//   kInternal  it cannot be started
absl::StatusOr<ProgramResult> RunProgram(const ProgramRun& run,
                                         const rpc::CallContext& call);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_PROGRAM_RUN_H_
