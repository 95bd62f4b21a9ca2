// SPDX-License-Identifier: Apache-2.0
//
// Whatever JSON a server answers: a result or an error, never a crash.

#include <cstdint>
#include <nlohmann/json.hpp>

#include "lspd/protocol/lsp_types.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace banyan::lspd;  // NOLINT: a fuzzer of one namespace.
  const nlohmann::json json =
      nlohmann::json::parse(data, data + size, nullptr, false);
  if (json.is_discarded()) return 0;
  (void)RangeFromJson(json);
  (void)LocationsFromJson(json);
  (void)DocumentSymbolsFromJson(json);
  (void)WorkspaceSymbolsFromJson(json);
  (void)HoverFromJson(json);
  (void)PublishedDiagnosticsFromJson(json);
  (void)DiagnosticReportFromJson(json);
  return 0;
}
