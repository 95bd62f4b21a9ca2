// SPDX-License-Identifier: Apache-2.0
//
// Ids that sessiond mints: 128 random bits in web-safe base64. A session id is
// just that, a workspace handle has the prefix `ws_`. An id is an identifier,
// never a credential: authority is (principal, id).
#ifndef SESSIOND_STORE_RECORD_ID_H_
#define SESSIOND_STORE_RECORD_ID_H_

#include <string>

#include "absl/strings/string_view.h"

namespace banyan::sessiond {

std::string NewSessionId();
std::string NewWorkspaceHandle();

// Shape only; asked before any look-up, so that a made-up id costs nothing and
// takes no space.
bool IsSessionId(absl::string_view text);
bool IsWorkspaceHandle(absl::string_view text);

// Under this the record is stored, and by this name events and grants speak of
// it: SHA-256 of the id.
std::string RecordKey(absl::string_view id);

// What logs, pages and statistics show: 16 hex digits of the key.
std::string PublicId(absl::string_view key);

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_RECORD_ID_H_
