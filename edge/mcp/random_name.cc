// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/random_name.h"

#include <cstdint>

#include "absl/random/random.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace banyan::edge {

std::string RandomName() {
  thread_local absl::BitGen random;
  std::string bytes;
  for (int i = 0; i < 6; ++i) {
    bytes.push_back(static_cast<char>(absl::Uniform<uint8_t>(random)));
  }
  return absl::BytesToHexString(bytes);
}

}  // namespace banyan::edge
