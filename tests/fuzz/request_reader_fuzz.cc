// SPDX-License-Identifier: Apache-2.0
//
// However the bytes of a connection are cut, the same requests are read from
// them, and no body beyond the limit is kept.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "edge/http/request_reader.h"

namespace {

using banyan::edge::RequestReader;

std::string Read(absl::string_view bytes, size_t piece) {
  const banyan::edge::ReadLimits limits = {
      .max_head_bytes = 4096, .max_head_lines = 32, .max_body_bytes = 1024};
  RequestReader reader(limits);
  std::string told;
  for (;;) {
    switch (reader.Next()) {
      case RequestReader::Event::kHead:
        break;
      case RequestReader::Event::kRequest:
        if (reader.request().body.size() > limits.max_body_bytes) std::abort();
        absl::StrAppend(&told, reader.request().method, " ",
                        reader.request().path, " ", reader.request().body,
                        "\n");
        reader.Restart();
        break;
      case RequestReader::Event::kRefused:
        return told + "refused";
      case RequestReader::Event::kNeedBytes:
        if (bytes.empty()) return told;
        reader.Feed(bytes.substr(0, piece));
        bytes.remove_prefix(std::min(piece, bytes.size()));
        break;
    }
  }
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
