// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/call_context.h"

#include <openssl/rand.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace banyan::rpc {
namespace {

std::string RandomHex(int bytes) {
  std::string raw(static_cast<size_t>(bytes), '\0');
  RAND_bytes(reinterpret_cast<unsigned char*>(raw.data()), bytes);
  return absl::BytesToHexString(raw);
}

bool IsLowerHex(absl::string_view text, size_t length) {
  return text.size() == length &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool IsAllZero(absl::string_view text) {
  return text.find_first_not_of('0') == absl::string_view::npos;
}

}  // namespace

std::string TraceContext::TraceId() const {
  return traceparent.size() < 35 ? "" : traceparent.substr(3, 32);
}

TraceContext TraceContext::Child() const {
  if (traceparent.empty()) return New();
  return {absl::StrCat(traceparent.substr(0, 36), RandomHex(8),
                       traceparent.substr(52)),
          tracestate};
}

TraceContext TraceContext::New() {
  return {absl::StrCat("00-", RandomHex(16), "-", RandomHex(8), "-01"), ""};
}

TraceContext TraceContext::Parse(absl::string_view traceparent,
                                 absl::string_view tracestate) {
  const std::vector<absl::string_view> parts = absl::StrSplit(traceparent, '-');
  const bool is_well_formed =
      parts.size() == 4 && parts[0] == "00" && IsLowerHex(parts[1], 32) &&
      !IsAllZero(parts[1]) && IsLowerHex(parts[2], 16) &&
      !IsAllZero(parts[2]) && IsLowerHex(parts[3], 2);
  if (!is_well_formed) return New();
  const bool keeps_state =
      tracestate.size() <= 512 &&
      std::all_of(tracestate.begin(), tracestate.end(),
                  [](char c) { return c >= 0x20 && c < 0x7f; });
  return {std::string(traceparent), keeps_state ? std::string(tracestate) : ""};
}

}  // namespace banyan::rpc
