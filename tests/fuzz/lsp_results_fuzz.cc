// SPDX-License-Identifier: Apache-2.0
//
// Whatever JSON a server answers: a result or an error, never a crash.

#include <cstdint>
#include <nlohmann/json.hpp>

#include "absl/strings/string_view.h"
#include "lspd/protocol/lsp_types.h"
#include "lspd/transport/json_envelope.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace banyan::lspd;  // NOLINT: a fuzzer of one namespace.
  const auto parsed = ParseLenient(
      absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!parsed.has_value()) return 0;
  const nlohmann::json& json = *parsed;
  (void)nlohmann::json(json).dump(-1, ' ', false,
                                  nlohmann::json::error_handler_t::replace);
  (void)RangeFromJson(json);
  (void)LocationsFromJson(json);
  (void)DocumentSymbolsFromJson(json);
  (void)WorkspaceSymbolsFromJson(json);
  (void)HoverFromJson(json);
  (void)PublishedDiagnosticsFromJson(json);
  (void)DiagnosticReportFromJson(json);
  return 0;
}
