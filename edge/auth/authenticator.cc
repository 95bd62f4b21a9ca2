// SPDX-License-Identifier: Apache-2.0
#include "edge/auth/authenticator.h"

#include "absl/strings/str_cat.h"

namespace banyan::edge {

std::string Authenticator::Challenge(absl::string_view error,
                                     absl::string_view /*scope*/) const {
  return error.empty() ? "Bearer"
                       : absl::StrCat("Bearer error=\"", error, "\"");
}

std::optional<std::string> Authenticator::ResourceMetadata(
    absl::string_view /*path*/) const {
  return std::nullopt;
}

}  // namespace banyan::edge
