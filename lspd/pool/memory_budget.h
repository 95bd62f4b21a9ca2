// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_MEMORY_BUDGET_H_
#define LSPD_POOL_MEMORY_BUDGET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace banyan::lspd {

// One process tree, as the budget sees it.
struct MemoryUse {
  std::string key;
  int64_t bytes = 0;
  bool is_leased = false;
  absl::Time last_used;
  int64_t hard_limit = 0;  // Of this tree alone; 0: none.
};

// Who has to go. Pure.
struct MemoryVerdict {
  // To be stopped: nobody uses them. Over the hard limit first, then the
  // longest idle, of equal ones the largest, until the rest fits the budget.
  std::vector<std::string> stop;
  // Over the hard limit and in use: no new leases, stopped after the last.
  std::vector<std::string> drain;
};
MemoryVerdict JudgeMemory(std::vector<MemoryUse> uses, int64_t budget);

}  // namespace banyan::lspd

#endif  // LSPD_POOL_MEMORY_BUDGET_H_
