// SPDX-License-Identifier: Apache-2.0
//
// Any body under any headers: the first lines of the input are header values,
// the rest is the body.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "edge/mcp/era.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace banyan::edge;  // NOLINT: a fuzzer of one namespace.
  absl::string_view input(reinterpret_cast<const char*>(data), size);
  McpRequest request;
  request.method = "POST";
  request.headers = {{"content-type", "application/json"}};
  for (const char* name : {"mcp-protocol-version", "mcp-method", "mcp-name",
                           "mcp-param-workspace", "mcp-session-id"}) {
    const size_t end = input.find('\n');
    if (end == absl::string_view::npos) break;
    if (end > 0) request.headers.emplace_back(name, input.substr(0, end));
    input.remove_prefix(end + 1);
  }
  request.body = std::string(input);
  const auto yes = [](absl::string_view) { return true; };
  const auto mirrored = [](absl::string_view) {
    return std::vector<MirroredArgument>{{"Workspace", {"workspace"}}};
  };
  (void)Classify(request,
                 {.is_modern_method = yes, .mirrored_arguments = mirrored});
  return 0;
}
