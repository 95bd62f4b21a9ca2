// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_TRANSPORT_JSON_ENVELOPE_H_
#define LSPD_TRANSPORT_JSON_ENVELOPE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace banyan::lspd {

// The members of a JSON-RPC message as spans of its text: what can be told
// without parsing the values, which may be megabytes. An absent member is "";
// of a member given twice the last counts.
struct JsonEnvelope {
  absl::string_view id;
  absl::string_view method;  // With its quotes.
  absl::string_view params;
  absl::string_view result;
  absl::string_view error;

  bool IsResponse() const { return method.empty() && !id.empty(); }
  bool IsRequest() const { return !method.empty() && !id.empty(); }
  bool IsNotification() const { return !method.empty() && id.empty(); }

  // Nothing for ids that are no integer: ours always are.
  std::optional<int64_t> IntegerId() const;
  std::string MethodName() const;
};

// Parses a value of a message; "" is null. Text that is not UTF-8, as servers
// send when a file is not, has U+FFFD in its place. Nothing for broken JSON, and
// for what is nested more than kDeepestJson levels: whoever walks, copies or
// writes the value needs a stack frame for each.
inline constexpr int kDeepestJson = 512;  // 200 symbols in each other: 400.

std::optional<nlohmann::json> ParseLenient(absl::string_view text);

// Nothing if `message` is not one JSON object, as far as the scan can tell: the
// values inside are found by their brackets and quotes, not checked. The spans
// live as long as `message`.
std::optional<JsonEnvelope> ScanEnvelope(absl::string_view message);

}  // namespace banyan::lspd

#endif  // LSPD_TRANSPORT_JSON_ENVELOPE_H_
