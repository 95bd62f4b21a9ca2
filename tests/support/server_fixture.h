// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_SERVER_FIXTURE_H_
#define TESTS_SUPPORT_SERVER_FIXTURE_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lspd/sandbox/guardian.h"
#include "proto/rpc/call_context.h"

namespace banyan {

// The guardian program that was built beside the tests.
inline std::unique_ptr<lspd::Guardian> StartTestGuardian(
    const std::string& data_dir) {
  lspd::Guardian::Options options;
  options.program = BANYAN_GUARDIAN;
  options.data_dir = data_dir;
  absl::StatusOr<std::unique_ptr<lspd::Guardian>> guardian =
      lspd::Guardian::Start(options);
  EXPECT_TRUE(guardian.ok()) << guardian.status();
  return guardian.ok() ? *std::move(guardian) : nullptr;
}

inline rpc::CallContext CallFor(absl::Duration limit) {
  rpc::CallContext call;
  call.deadline = absl::Now() + limit;
  return call;
}

// Waits for what another thread or process does; no more than 20 s.
inline bool Eventually(const std::function<bool()>& condition) {
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (!condition()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return true;
}

}  // namespace banyan

#endif  // TESTS_SUPPORT_SERVER_FIXTURE_H_
