// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_HTTP_MESSAGE_H_
#define EDGE_HTTP_HTTP_MESSAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace banyan::edge {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// One request as it was read from the wire, checked and unframed. Nothing in
// it was decoded: header values and target are the client's bytes.
struct HttpRequest {
  std::string method;
  std::string path;     // Begins with '/', or is "*"; still percent-encoded.
  std::string query;    // After the first '?', without it.
  HttpHeaders headers;  // Names lower case, values trimmed, in order.
  int minor_version = 1;
  bool keep_alive = true;

  // How the body is framed, and the body once it was read.
  bool is_chunked = false;
  uint64_t content_length = 0;
  bool expects_continue = false;
  std::string body;

  bool HasBody() const { return is_chunked || content_length > 0; }

  // First header of that name (lower case).
  std::optional<absl::string_view> Header(absl::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return absl::string_view(value);
    }
    return std::nullopt;
  }
};

struct HttpResponse {
  int status = 200;
  HttpHeaders headers;
  std::string body;
};

// A refusal of ours: {"error":{"reason":…,"message":…}}.
HttpResponse JsonError(int status, absl::string_view reason,
                       absl::string_view message);

}  // namespace banyan::edge

#endif  // EDGE_HTTP_HTTP_MESSAGE_H_
