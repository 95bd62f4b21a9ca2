// SPDX-License-Identifier: Apache-2.0
#include "edge/http/caller_check.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "edge/auth/socket_address.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

bool IsSecurityMatter(RefusalReason reason) {
  return reason == RefusalReason::kHostNotAllowed ||
         reason == RefusalReason::kOriginNotAllowed ||
         reason == RefusalReason::kUnauthenticated ||
         reason == RefusalReason::kScopeMissing;
}

}  // namespace

Admission CallerCheck::Admit(const HttpRequest& head,
                             PeerConnection& connection) {
  if (const auto refusal = guard_.Check(head, connection.peer().Host())) {
    return Refuse(*refusal);
  }
  // Browsers ask without credentials.
  if (IsPreflight(head)) {
    return {.answer = HttpResponse{.headers = PreflightHeaders()}};
  }
  if (!IsMethodAllowed(head.method)) {
    Admission refused = Refuse({RefusalReason::kMethodNotAllowed, 405,
                                absl::StrCat("allowed here: ", methods_)});
    refused.answer->headers.emplace_back("Allow", methods_);
    return refused;
  }
  auto caller = authenticator_.Authenticate(
      connection, head.Header("authorization").value_or(""));
  if (!caller.ok()) {
    const bool had_one = head.Header("authorization").has_value();
    return {.answer = Unauthenticated(caller.status().message(),
                                      had_one ? "invalid_token" : "")};
  }
  if (head.method == "OPTIONS") {
    return {.answer = HttpResponse{.headers = {{"Allow", methods_}}}};
  }
  return {.caller = *std::move(caller)};
}

HttpResponse CallerCheck::Unauthenticated(absl::string_view message,
                                          absl::string_view error) {
  Admission refused =
      Refuse({RefusalReason::kUnauthenticated, 401, std::string(message)});
  refused.answer->headers.emplace_back(
      "WWW-Authenticate", authenticator_.Challenge(error, "code:read"));
  return *std::move(refused.answer);
}

Admission CallerCheck::Refuse(const Refusal& refusal) {
  metrics_.CountRefusal(refusal.reason);
  if (IsSecurityMatter(refusal.reason)) Log(refusal);
  return {.answer = ToResponse(refusal)};
}

void CallerCheck::Log(const Refusal& refusal) {
  const int64_t second = absl::ToUnixSeconds(absl::Now());
  if (last_logged_second_.exchange(second) == second) return;
  rpc::Log(
      {.level = rpc::LogLevel::kWarning,
       .event = "request_refused",
       .message = absl::StrCat("[Security] Request refused: ", refusal.message),
       .fields = {{"reason", std::string(RefusalReasonName(refusal.reason))}}});
}

bool CallerCheck::IsMethodAllowed(absl::string_view method) const {
  for (const absl::string_view allowed : absl::StrSplit(methods_, ", ")) {
    if (method == allowed) return true;
  }
  return false;
}

absl::Status CheckListenAddress(absl::string_view flag,
                                absl::string_view listen,
                                const Authenticator& authenticator) {
  ASSIGN_OR_RETURN(const SocketAddress address, SocketAddress::Parse(listen));
  if (address.IsLoopback() || !authenticator.IsLoopbackOnly()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      flag, "=", listen,
      " can be reached from other machines and needs authentication: give "
      "--tokens_file, or listen on 127.0.0.1"));
}

}  // namespace banyan::edge
