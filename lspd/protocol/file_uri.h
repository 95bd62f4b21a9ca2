// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_PROTOCOL_FILE_URI_H_
#define LSPD_PROTOCOL_FILE_URI_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// "/a b/c.cc" -> "file:///a%20b/c.cc" (RFC 3986: all but unreserved characters
// and "/" are escaped, bytes that are not UTF-8 too).
// REQUIRES: `path` is absolute.
std::string FileUri(absl::string_view path);

// The path of a `file:` URI, decoded; nothing for other schemes (`jdt:`,
// `untitled:`), other hosts, and what decodes to a NUL or a relative path. Case
// of scheme and host, "localhost" and "%3A" do not matter; "/c:/x" stays as it
// is.
std::optional<std::string> PathOfFileUri(absl::string_view uri);

// One spelling of all the spellings a server may echo, to compare and to use as
// a key: what FileUri() gives, with the drive letter in lower case. URIs of
// other schemes come back as they are.
std::string NormalUri(absl::string_view uri);

}  // namespace banyan::lspd

#endif  // LSPD_PROTOCOL_FILE_URI_H_
