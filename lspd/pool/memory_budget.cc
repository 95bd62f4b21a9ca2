// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/memory_budget.h"

#include <algorithm>

namespace banyan::lspd {
namespace {

bool IsOverItsLimit(const MemoryUse& use) {
  return use.hard_limit > 0 && use.bytes > use.hard_limit;
}

bool GoesBefore(const MemoryUse& a, const MemoryUse& b) {
  if (a.last_used != b.last_used) return a.last_used < b.last_used;
  return a.bytes > b.bytes;
}

}  // namespace

MemoryVerdict JudgeMemory(std::vector<MemoryUse> uses, int64_t budget) {
  MemoryVerdict verdict;
  int64_t total = 0;
  std::vector<MemoryUse> idle;
  for (const MemoryUse& use : uses) {
    if (IsOverItsLimit(use)) {
      (use.is_leased ? verdict.drain : verdict.stop).push_back(use.key);
      if (!use.is_leased) continue;
    } else if (!use.is_leased) {
      idle.push_back(use);
    }
    total += use.bytes;
  }
  std::sort(idle.begin(), idle.end(), GoesBefore);
  for (const MemoryUse& use : idle) {
    if (total <= budget) break;
    verdict.stop.push_back(use.key);
    total -= use.bytes;
  }
  return verdict;
}

}  // namespace banyan::lspd
