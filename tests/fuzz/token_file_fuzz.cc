// SPDX-License-Identifier: Apache-2.0
//
// A tokens file, and a key set, of any content.

#include <cstdint>

#include "absl/strings/string_view.h"
#include "edge/auth/key_set.h"
#include "edge/auth/token_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace banyan::edge;  // NOLINT: a fuzzer of one namespace.
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  const auto entries = ParseTokenFile(input);
  if (entries.ok()) (void)ParseTokenFile(TokenFileText(*entries));
  const auto keys = KeySet::Parse(input);
  if (keys.ok()) (void)keys->Verifies("", "ES256", input, input);
  return 0;
}
