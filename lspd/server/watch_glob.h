// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_WATCH_GLOB_H_
#define LSPD_SERVER_WATCH_GLOB_H_

#include <string>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// LSP's glob grammar (`**`, `*`, `?`, `{a,b}`, `[a-z]`, `[!a-z]`; "Document
// Filter") against a whole path. A glob that does not begin with "/" matches
// beneath any folder. A glob that makes no sense matches everything: a server
// is told too much rather than too little.
bool MatchesWatchGlob(absl::string_view glob, absl::string_view path);

// The same as a regular expression for RE2, to be matched in full.
std::string WatchGlobToRegex(absl::string_view glob);

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_WATCH_GLOB_H_
