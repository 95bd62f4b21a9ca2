// SPDX-License-Identifier: Apache-2.0
//
// However a head is cut, it is read the same, within its limits.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "edge/http/head_reader.h"

namespace {

std::string Read(absl::string_view bytes, size_t piece) {
  const banyan::edge::ReadLimits limits = {.max_head_bytes = 4096,
                                           .max_head_lines = 32};
  banyan::edge::HeadReader reader(limits);
  size_t taken = 0;
  while (taken < bytes.size() && !reader.HasAllLines() &&
         !reader.refusal().has_value()) {
    taken += reader.Feed(bytes.substr(taken, piece));
  }
  if (reader.refusal().has_value()) return "refused";
  if (!reader.IsComplete()) return "incomplete";
  const auto& request = reader.request();
  std::string told = absl::StrCat(taken, request.method, request.path, "?",
                                  request.query, request.content_length);
  for (const auto& [name, value] : request.headers) {
    absl::StrAppend(&told, "\n", name, ":", value);
  }
  return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                                size - 1);
  const size_t piece = 1 + data[0] % 16;
  if (Read(bytes, piece) != Read(bytes, std::max<size_t>(bytes.size(), 1))) {
    std::abort();
  }
  return 0;
}
