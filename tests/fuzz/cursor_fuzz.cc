// SPDX-License-Identifier: Apache-2.0
//
// Cursors as a client may send them back: any text, and any text that we
// sealed.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"
#include "edge/clients/edge_keys.h"
#include "edge/tools/cursor.h"
#include "edge/tools/sealed_text.h"
#include "tests/support/fake_session_client.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace banyan::edge;  // NOLINT: a fuzzer of one namespace.
  static auto* const sessions = new FakeSessionClient();
  static auto* const keys = new EdgeKeys(*sessions);
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  // Nobody guesses a signature.
  if (OpenCursor(input, *keys, {}).ok()) std::abort();
  const auto sealed = Seal("cursor 2", input, *keys, {});
  if (!sealed.ok() || *Unseal("cursor 2", *sealed, *keys, {}) != input) {
    std::abort();
  }
  if (Unseal("requestState 1", *sealed, *keys, {}).ok()) std::abort();
  const auto cursor = OpenCursor(*sealed, *keys, {});
  if (!cursor.ok()) return 0;
  const auto again = SealCursor(*cursor, *keys, {});
  if (!again.ok() || OpenCursor(*again, *keys, {})->offset != cursor->offset) {
    std::abort();
  }
  return 0;
}
