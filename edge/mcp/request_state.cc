// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/request_state.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "edge/tools/cursor.h"
#include "edge/tools/result_format.h"
#include "edge/tools/sealed_text.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kPurpose[] = "requestState 1";
constexpr absl::Duration kLife = absl::Hours(1);
constexpr size_t kMaxSealedChars = 256 << 10;

// Who asks for what: the rest of params changes from round to round.
std::string DigestOf(const RpcMessage& request,
                     const session::v1::Principal& principal) {
  json arguments = Member(request.params, "arguments");
  if (arguments.is_null()) arguments = json::object();
  return ShortDigest(
      Compact({principal.issuer(), principal.subject(), request.method,
               TextMember(request.params, "name"),
               TextMember(request.params, "uri"), arguments}));
}

absl::Status NotOurs() {
  return absl::InvalidArgumentError(
      "requestState is not one that this server gave out for this request, or "
      "it is too old. Send the request anew, without requestState.");
}

}  // namespace

absl::StatusOr<std::string> SealRequestState(
    const RequestState& state, const RpcMessage& request,
    const session::v1::Principal& principal, absl::Time now, EdgeKeys& keys,
    const rpc::CallContext& call) {
  return Seal(kPurpose,
              Compact({{"for", DigestOf(request, principal)},
                       {"until", absl::ToUnixSeconds(now + kLife)},
                       {"rounds", state.rounds},
                       {"answers", state.answers}}),
              keys, call);
}

absl::StatusOr<RequestState> OpenRequestState(
    absl::string_view sealed, const RpcMessage& request,
    const session::v1::Principal& principal, absl::Time now, EdgeKeys& keys,
    const rpc::CallContext& call) {
  if (sealed.size() > kMaxSealedChars) return NotOurs();
  const auto text = Unseal(kPurpose, sealed, keys, call);
  if (absl::IsNotFound(text.status()) ||
      absl::IsInvalidArgument(text.status())) {
    return NotOurs();
  }
  if (!text.ok()) return text.status();
  // Signed by an edge, so only its age and its subject are in question.
  const json state = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const json& until = Member(state, "until");
  const json& rounds = Member(state, "rounds");
  const json& answers = Member(state, "answers");
  if (TextMember(state, "for") != DigestOf(request, principal) ||
      !until.is_number_integer() ||
      until.get<int64_t>() < absl::ToUnixSeconds(now) ||
      !rounds.is_number_integer() || !answers.is_object()) {
    return NotOurs();
  }
  return RequestState{.answers = answers, .rounds = rounds.get<int>()};
}

}  // namespace banyan::edge
