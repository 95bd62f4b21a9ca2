// SPDX-License-Identifier: Apache-2.0
//
// requestState as a client may send it back: any text, and any text that we
// sealed, of which only our own for this request may be believed.

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/string_view.h"
#include "edge/clients/edge_keys.h"
#include "edge/mcp/request_state.h"
#include "edge/tools/sealed_text.h"
#include "tests/support/fake_session_client.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace banyan::edge;  // NOLINT: a fuzzer of one namespace.
  static auto* const sessions = new FakeSessionClient();
  static auto* const keys = new EdgeKeys(*sessions);
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  const absl::Time now = absl::FromUnixSeconds(1800000000);
  const banyan::session::v1::Principal principal;
  RpcMessage request;
  request.method = "tools/call";
  request.params = {{"name", "a"}, {"arguments", {{"x", std::string(input)}}}};
  RpcMessage other = request;
  other.params["name"] = "b";

  if (OpenRequestState(input, request, principal, now, *keys, {}).ok()) {
    std::abort();
  }
  // The digest of the request is not to be guessed from here either.
  const auto strange = Seal("requestState 1", input, *keys, {});
  if (!strange.ok() ||
      OpenRequestState(*strange, request, principal, now, *keys, {}).ok()) {
    std::abort();
  }
  nlohmann::json answers = nlohmann::json::parse(
      input.begin(), input.end(), nullptr, /*allow_exceptions=*/false);
  if (!answers.is_object()) answers = nlohmann::json::object();
  const auto sealed = SealRequestState({.answers = answers, .rounds = 1},
                                       request, principal, now, *keys, {});
  if (!sealed.ok()) std::abort();
  const auto opened =
      OpenRequestState(*sealed, request, principal, now, *keys, {});
  if (sealed->size() < 200000 && (!opened.ok() || opened->answers != answers)) {
    std::abort();
  }
  if (OpenRequestState(*sealed, other, principal, now, *keys, {}).ok() ||
      OpenRequestState(*sealed, request, principal, now + absl::Hours(2), *keys,
                       {})
          .ok()) {
    std::abort();
  }
  return 0;
}
