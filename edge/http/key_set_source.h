// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_KEY_SET_SOURCE_H_
#define EDGE_HTTP_KEY_SET_SOURCE_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace banyan::edge {

// Reads an issuer's key set anew at each call: from a file, or by GET from a
// URL (https, or http to loopback; 5 s and 1 MiB at most, no redirects). Codes:
//   kInvalidArgument  here: a URL that is not allowed
//   kUnavailable      of the call: it could not be read
absl::StatusOr<std::function<absl::StatusOr<std::string>()>> NewKeySetSource(
    const std::string& file_or_url);

}  // namespace banyan::edge

#endif  // EDGE_HTTP_KEY_SET_SOURCE_H_
