// SPDX-License-Identifier: Apache-2.0
//
// However the stream is cut, the same messages come out of it.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lspd/transport/message_framing.h"

namespace {

std::vector<std::string> ReadAll(absl::string_view stream, size_t piece) {
  banyan::lspd::MessageReader reader({.body_bytes = 1 << 16});
  std::vector<std::string> bodies;
  while (!stream.empty()) {
    reader.Feed(stream.substr(0, piece));
    stream.remove_prefix(std::min(piece, stream.size()));
    while (auto body = reader.Next()) bodies.push_back(*std::move(body));
  }
  return bodies;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const absl::string_view stream(reinterpret_cast<const char*>(data) + 1,
                                 size - 1);
  const auto whole = ReadAll(stream, stream.size());
  if (ReadAll(stream, 1 + data[0] % 16) != whole) std::abort();
  return 0;
}
