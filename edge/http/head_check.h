// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_HEAD_CHECK_H_
#define EDGE_HTTP_HEAD_CHECK_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "edge/http/http_message.h"
#include "edge/http/read_limits.h"
#include "edge/http/refusal.h"

namespace banyan::edge {

// What the header lines say together: one Host, one length, a coding that we
// speak. Fills keep_alive and the framing of `request`. `authority` is that of
// a target in absolute form, which counts instead of Host (RFC 9112 3.2.2).
std::optional<Refusal> CheckHead(absl::string_view authority,
                                 const ReadLimits& limits,
                                 HttpRequest& request);

}  // namespace banyan::edge

#endif  // EDGE_HTTP_HEAD_CHECK_H_
