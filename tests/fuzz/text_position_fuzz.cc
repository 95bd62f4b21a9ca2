// SPDX-License-Identifier: Apache-2.0
//
// Any bytes, any position: columns go out and come back to the same place.

#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"
#include "lspd/protocol/text_position.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using banyan::lspd::PositionEncoding;
  if (size < 2) return 0;
  const banyan::lspd::LineIndex index(
      absl::string_view(reinterpret_cast<const char*>(data) + 2, size - 2));
  const int line = data[0];
  const int unit = data[1];
  for (const auto encoding : {PositionEncoding::kUtf8, PositionEncoding::kUtf16,
                              PositionEncoding::kUtf32}) {
    const auto text = index.ToText({.line = line, .character = unit}, encoding);
    if (index.ToText(index.ToLsp(text, encoding), encoding) != text) {
      std::abort();
    }
    if (index.OffsetOf(text) > index.text().size()) std::abort();
    if (index.PositionOf(index.OffsetOf(text)) != text) std::abort();
  }
  return 0;
}
