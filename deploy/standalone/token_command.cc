// SPDX-License-Identifier: Apache-2.0
#include "deploy/standalone/token_command.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "edge/auth/token_file.h"
#include "proto/rpc/status_macros.h"

namespace banyan::standalone {
namespace {

constexpr std::array<absl::string_view, 3> kScopes = {"code:read", "code:write",
                                                      "admin"};

std::string TimeText(absl::Time time) {
  return time == absl::InfiniteFuture()
             ? "never"
             : absl::FormatTime("%Y-%m-%d %H:%M", time, absl::UTCTimeZone());
}

absl::StatusOr<std::string> Create(const TokenCommand& command) {
  if (command.subject.empty()) {
    return absl::InvalidArgumentError("whose token? pass --subject=NAME");
  }
  for (const std::string& scope : command.scopes) {
    if (std::find(kScopes.begin(), kScopes.end(), scope) == kScopes.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no such scope: ", scope, "; there are ",
                       absl::StrJoin(kScopes, ", ")));
    }
  }
  edge::TokenEntry entry;
  entry.subject = command.subject;
  entry.scopes = command.scopes;
  entry.allowed_roots = command.allowed_roots;
  entry.expires = absl::Now() + command.expires_in;
  ASSIGN_OR_RETURN(const edge::NewToken made,
                   edge::CreateToken(command.tokens_file, std::move(entry)));
  return absl::StrCat(made.text, "\n");
}

absl::StatusOr<std::string> List(const TokenCommand& command) {
  ASSIGN_OR_RETURN(const auto entries,
                   edge::ReadTokenFile(command.tokens_file));
  std::string text;
  for (const edge::TokenEntry& entry : entries) {
    absl::StrAppend(&text, entry.id, "  ", entry.subject, "  ",
                    absl::StrJoin(entry.scopes, ","), "  created ",
                    TimeText(entry.created), "  expires ",
                    TimeText(entry.expires), "\n");
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> RunTokenCommand(const TokenCommand& command) {
  if (command.tokens_file.empty()) {
    return absl::InvalidArgumentError("which file? pass --tokens_file=FILE");
  }
  const std::vector<std::string>& words = command.words;
  if (words == std::vector<std::string>{"create"}) return Create(command);
  if (words == std::vector<std::string>{"list"}) return List(command);
  if (words.size() == 2 && words[0] == "revoke") {
    RETURN_IF_ERROR(edge::RevokeToken(command.tokens_file, words[1]));
    return absl::StrCat("revoked ", words[1], "\n");
  }
  return absl::InvalidArgumentError(
      "token create, token list or token revoke ID");
}

}  // namespace banyan::standalone
