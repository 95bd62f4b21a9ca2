// SPDX-License-Identifier: Apache-2.0
//
// Any mirrored header over any argument: the first line of the input is the
// header, the rest the argument. Coded by the rules it is always right, and
// whatever is not equal is never taken for it.

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "edge/mcp/era.h"

namespace banyan::edge {
namespace {

bool IsServed(const std::string& header, const nlohmann::json& argument) {
  McpRequest request;
  request.method = "POST";
  request.headers = {{"content-type", "application/json"},
                     {"mcp-protocol-version", "2026-07-28"},
                     {"mcp-method", "tools/call"},
                     {"mcp-name", "a"},
                     {"mcp-param-workspace", header}};
  request.body =
      nlohmann::json{
          {"jsonrpc", "2.0"},
          {"id", 1},
          {"method", "tools/call"},
          {"params",
           {{"name", "a"},
            {"arguments", {{"workspace", argument}}},
            {"_meta",
             {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
              {"io.modelcontextprotocol/clientCapabilities",
               nlohmann::json::object()}}}}}}
          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto yes = [](absl::string_view) { return true; };
  const auto mirrored = [](absl::string_view) {
    return std::vector<MirroredArgument>{{"Workspace", {"workspace"}}};
  };
  return std::holds_alternative<ModernRequest>(Classify(
      request, {.is_modern_method = yes, .mirrored_arguments = mirrored}));
}

}  // namespace
}  // namespace banyan::edge

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using banyan::edge::IsServed;
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\n');
  if (end == absl::string_view::npos) return 0;
  const std::string header(input.substr(0, end));
  const std::string argument(input.substr(end + 1));
  const bool is_served = IsServed(header, argument);
  if (is_served && header != argument &&
      !absl::StartsWith(header, "=?base64?")) {
    std::abort();
  }
  // What is no UTF-8 is another argument by the time it is JSON.
  const std::string sent = nlohmann::json(argument).dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string text = nlohmann::json::parse(sent).get<std::string>();
  const std::string coded =
      absl::StrCat("=?base64?", absl::Base64Escape(text), "?=");
  if (!IsServed(coded, text)) {
    std::abort();
  }
  if (IsServed(coded, text + "x")) std::abort();
  return 0;
}
