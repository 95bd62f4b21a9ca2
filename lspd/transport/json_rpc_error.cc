// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/json_rpc_error.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {
namespace {

constexpr char kErrorUrl[] = "banyan.lspd/JsonRpcError";

absl::Status StatusOfCode(int code, absl::string_view text) {
  switch (code) {
    case kContentModified:
    case kServerCancelled:
      return rpc::Error(rpc::v1::ERROR_REASON_CONFLICT,
                        absl::StrCat(text, "; ask again"));
    case kRequestCancelled:
      return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, text);
    case kInternalError:
      return rpc::Error(
          rpc::v1::ERROR_REASON_UNSUPPORTED,
          absl::StrCat(text,
                       "; the server failed, not the question: ask "
                       "again, or use search_for_pattern"));
    default:
      return rpc::Error(rpc::v1::ERROR_REASON_UNSUPPORTED, text);
  }
}

}  // namespace

absl::Status ToStatus(const JsonRpcError& error, absl::string_view server,
                      absl::string_view method) {
  absl::Status status = StatusOfCode(
      error.code, absl::StrCat(server, " answered ", method, " with error ",
                               error.code, ": ", error.message));
  const nlohmann::json payload = {
      {"code", error.code}, {"message", error.message}, {"data", error.data}};
  status.SetPayload(kErrorUrl, absl::Cord(payload.dump(
                                   -1, ' ', false,
                                   nlohmann::json::error_handler_t::replace)));
  return status;
}

std::optional<JsonRpcError> JsonRpcErrorOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kErrorUrl);
  if (!payload.has_value()) return std::nullopt;
  const nlohmann::json json =
      nlohmann::json::parse(std::string(*payload), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return JsonRpcError{.code = json["code"].get<int>(),
                      .message = json["message"].get<std::string>(),
                      .data = json["data"]};
}

bool IsInternalError(const absl::Status& status) {
  const std::optional<JsonRpcError> error = JsonRpcErrorOf(status);
  return error.has_value() && error->code == kInternalError;
}

bool IsContentModified(const absl::Status& status) {
  const std::optional<JsonRpcError> error = JsonRpcErrorOf(status);
  return error.has_value() && error->code == kContentModified;
}

}  // namespace banyan::lspd
