// SPDX-License-Identifier: Apache-2.0
#include "edge/http/http_message.h"

#include <nlohmann/json.hpp>

namespace banyan::edge {

HttpResponse JsonError(int status, absl::string_view reason,
                       absl::string_view message) {
  const nlohmann::json body = {
      {"error",
       {{"reason", std::string(reason)}, {"message", std::string(message)}}}};
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}},
          // Text of the client may stand in the message, in any bytes.
          .body = body.dump(-1, ' ', false,
                            nlohmann::json::error_handler_t::replace)};
}

}  // namespace banyan::edge
