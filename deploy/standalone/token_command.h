// SPDX-License-Identifier: Apache-2.0
#ifndef DEPLOY_STANDALONE_TOKEN_COMMAND_H_
#define DEPLOY_STANDALONE_TOKEN_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace banyan::standalone {

// `banyan token create|list|revoke ID`.
struct TokenCommand {
  std::vector<std::string> words;  // After "token".
  std::string tokens_file;
  std::string subject;
  std::vector<std::string> scopes;
  std::vector<std::string> allowed_roots;
  absl::Duration expires_in = absl::InfiniteDuration();
};

// What to print. The token itself is printed here and nowhere else, and kept
// nowhere.
//   kInvalidArgument  what is missing or unknown
//   and errors of token_file.h
absl::StatusOr<std::string> RunTokenCommand(const TokenCommand& command);

}  // namespace banyan::standalone

#endif  // DEPLOY_STANDALONE_TOKEN_COMMAND_H_
