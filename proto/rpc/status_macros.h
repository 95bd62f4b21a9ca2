// SPDX-License-Identifier: Apache-2.0
//
// Early return for absl::Status. For .cc files only: the names are short.
#ifndef PROTO_RPC_STATUS_MACROS_H_
#define PROTO_RPC_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define RETURN_IF_ERROR(expression)               \
  do {                                            \
    absl::Status status_of_macro_ = (expression); \
    if (!status_of_macro_.ok()) {                 \
      return status_of_macro_;                    \
    }                                             \
  } while (false)

#define BANYAN_CONCAT_INNER_(a, b) a##b
#define BANYAN_CONCAT_(a, b) BANYAN_CONCAT_INNER_(a, b)

// ASSIGN_OR_RETURN(auto value, ReturnsStatusOr());
#define ASSIGN_OR_RETURN(left, expression)                              \
  ASSIGN_OR_RETURN_INNER_(BANYAN_CONCAT_(or_of_macro_, __LINE__), left, \
                          expression)
#define ASSIGN_OR_RETURN_INNER_(or_value, left, expression) \
  auto or_value = (expression);                             \
  if (!or_value.ok()) {                                     \
    return std::move(or_value).status();                    \
  }                                                         \
  left = *std::move(or_value)

#endif  // PROTO_RPC_STATUS_MACROS_H_
