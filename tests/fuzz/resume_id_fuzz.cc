// SPDX-License-Identifier: Apache-2.0
//
// Any Last-Event-ID on a ring with two streams in it.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "edge/mcp/event_ring.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace banyan::edge;  // NOLINT: a fuzzer of one namespace.
  static EventRing* const ring = [] {
    auto made = NewMemoryEventRing().release();
    for (const char* stream : {"p1", "p2"}) {
      for (int i = 0; i < 3; ++i) {
        made->Append({.id = "a"}, stream, stream, i == 2)
            .status()
            .IgnoreError();
      }
    }
    return made;
  }();
  const std::string id(reinterpret_cast<const char*>(data), size);
  const std::string stream = StreamOfEvent(id);
  const auto following =
      ring->Follow({.id = "a"}, stream, id,
                   {.on_event =
                        [&stream](const EventRing::Event& event) {
                          // Nothing of another stream.
                          if (event.data != stream) std::abort();
                        },
                    .on_replaced = [] {}});
  return 0;
}
