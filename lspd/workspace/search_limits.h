// SPDX-License-Identifier: Apache-2.0
//
// How searches and lists say that something ended them early.
#ifndef LSPD_WORKSPACE_SEARCH_LIMITS_H_
#define LSPD_WORKSPACE_SEARCH_LIMITS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "banyan/lsp/v1/completeness.pb.h"
#include "lspd/workspace/program_run.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// `call` that is over a little earlier, so that what is known by then still
// finds its way.
rpc::CallContext WithTimeToAnswer(const rpc::CallContext& call);

// OK when the program ended by itself, or when its output is worth something
// though it did not; else DEADLINE or CANCELLED.
absl::Status ErrorOf(ProgramEnd end, bool has_output);

// Adds what follows from how ripgrep ended.
void AddIncompleteness(ProgramEnd end, int64_t unreadable, bool is_git_unknown,
                       std::vector<lsp::v1::Incompleteness>* incomplete);

// One entry per reason; counts add up.
void AddIncomplete(lsp::v1::IncompleteReason reason, int64_t count,
                   std::vector<lsp::v1::Incompleteness>* incomplete);

// Nothing when `count` is 0.
void AddFilesNotSearched(int64_t count,
                         std::vector<lsp::v1::Incompleteness>* incomplete);

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_SEARCH_LIMITS_H_
