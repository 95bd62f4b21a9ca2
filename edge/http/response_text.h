// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_RESPONSE_TEXT_H_
#define EDGE_HTTP_RESPONSE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "edge/http/http_message.h"

namespace banyan::edge {

struct ResponseFraming {
  absl::string_view method = "GET";  // HEAD gets no body.
  bool keep_alive = true;
  absl::Duration idle_timeout = absl::Seconds(75);  // Told to the client.
};

// The bytes of one whole answer, as cpp-httplib writes it. Control characters
// in header values are left out.
std::string ResponseText(const HttpResponse& response,
                         const ResponseFraming& framing);

// The head of an event stream: what EventStream writes before its first event.
std::string EventStreamHead(const HttpHeaders& headers, bool is_chunked,
                            bool keep_alive);

}  // namespace banyan::edge

#endif  // EDGE_HTTP_RESPONSE_TEXT_H_
