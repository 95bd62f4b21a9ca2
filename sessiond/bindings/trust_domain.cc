// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/trust_domain.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/rpc/grant.h"
#include "sessiond/paths/path_policy.h"

namespace banyan::sessiond {
namespace {

constexpr absl::string_view kLocalIssuer = "local";

std::string Audience(const session::v1::Principal& principal) {
  std::set<std::string> roots;
  for (const std::string& root : principal.allowed_roots()) {
    // What is no clean path allows nothing, and still keeps callers apart.
    roots.insert(CleanRoot(root).value_or(root));
  }
  if (!roots.empty()) {
    // A NUL is in no path, so lists do not run together.
    const std::string joined = absl::StrJoin(roots, absl::string_view("\0", 1));
    return absl::StrCat(
        "roots-", absl::BytesToHexString(rpc::HashId(joined).substr(0, 8)));
  }
  if (principal.issuer() == kLocalIssuer) {
    return absl::StrCat("local-", principal.subject());
  }
  return "all";
}

}  // namespace

std::string TrustDomain(const session::v1::Principal& principal,
                        absl::string_view split) {
  std::string domain = Audience(principal);
  if (!split.empty()) absl::StrAppend(&domain, "/", split);
  return domain;
}

bool HasScope(const session::v1::Principal& principal,
              absl::string_view scope) {
  return std::find(principal.scopes().begin(), principal.scopes().end(),
                   scope) != principal.scopes().end();
}

}  // namespace banyan::sessiond
