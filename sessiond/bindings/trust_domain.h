// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_BINDINGS_TRUST_DOMAIN_H_
#define SESSIOND_BINDINGS_TRUST_DOMAIN_H_

#include <string>

#include "absl/strings/string_view.h"
#include "banyan/session/v1/session_service.pb.h"

namespace banyan::sessiond {

// Roots of one domain may share a language server's process, a cache, a
// sandbox; so a domain is an audience. All roots of one local user are one
// domain, all of callers without root limits too; callers limited to the same
// roots share one, however their limits are ordered or spelled. The operator's
// `split` of a project divides further.
std::string TrustDomain(const session::v1::Principal& principal,
                        absl::string_view split);

// Whether the caller may do that. By what it carries alone: an edge without
// authentication gives its one user every scope.
bool HasScope(const session::v1::Principal& principal, absl::string_view scope);

}  // namespace banyan::sessiond

#endif  // SESSIOND_BINDINGS_TRUST_DOMAIN_H_
