// SPDX-License-Identifier: Apache-2.0
//
// EXPECT_THAT(status_or, IsOk()), EXPECT_THAT(x, HasReason(reason)) and
// ASSERT_OK_AND_ASSIGN(auto value, ReturnsStatusOr()).
#ifndef TESTS_SUPPORT_STATUS_MATCHERS_H_
#define TESTS_SUPPORT_STATUS_MATCHERS_H_

#include <gmock/gmock.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/rpc/error_reason.h"

namespace banyan {

inline const absl::Status& StatusOf(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

MATCHER(IsOk, negation ? "is not OK" : "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

MATCHER_P(HasCode, code, "has the status code") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code;
}

MATCHER_P(HasReason, reason, "has the reason " + rpc::ReasonName(reason)) {
  if (StatusOf(arg).ok()) {
    *result_listener << "OK";
    return false;
  }
  *result_listener << rpc::ReasonName(rpc::ReasonOf(StatusOf(arg))) << ": "
                   << StatusOf(arg).ToString();
  return rpc::ReasonOf(StatusOf(arg)) == reason;
}

}  // namespace banyan

#define BANYAN_TEST_CONCAT_INNER_(a, b) a##b
#define BANYAN_TEST_CONCAT_(a, b) BANYAN_TEST_CONCAT_INNER_(a, b)
#define ASSERT_OK_AND_ASSIGN_INNER_(or_value, left, expression) \
  auto or_value = (expression);                                 \
  ASSERT_THAT(or_value, ::banyan::IsOk());                      \
  left = *std::move(or_value)
#define ASSERT_OK_AND_ASSIGN(left, expression)                            \
  ASSERT_OK_AND_ASSIGN_INNER_(BANYAN_TEST_CONCAT_(or_of_test_, __LINE__), \
                              left, expression)

#endif  // TESTS_SUPPORT_STATUS_MATCHERS_H_
