// SPDX-License-Identifier: Apache-2.0
//
// Cursors and requestState as a client may send them back.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"
#include "edge/clients/edge_keys.h"
#include "edge/tools/sealed_text.h"
#include "tests/support/fake_session_client.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace banyan::edge;  // NOLINT: a fuzzer of one namespace.
  static auto* const sessions = new FakeSessionClient();
  static auto* const keys = new EdgeKeys(*sessions);
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  // Nobody guesses a signature.
  if (Unseal("p", input, *keys, {}).ok()) std::abort();
  const auto sealed = Seal("p", input, *keys, {});
  if (!sealed.ok() || *Unseal("p", *sealed, *keys, {}) != input) std::abort();
  if (Unseal("q", *sealed, *keys, {}).ok()) std::abort();
  return 0;
}
