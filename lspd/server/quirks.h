// SPDX-License-Identifier: Apache-2.0
//
// What a catalogue row cannot say with data: small adapters, named in
// `ServerEntry.quirks`.
#ifndef LSPD_SERVER_QUIRKS_H_
#define LSPD_SERVER_QUIRKS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lspd/server/server_catalog.h"

namespace banyan::lspd {

// clangd: gets a private copy of the compile database, with absolute real
// paths.
inline constexpr char kQuirkCompileDatabase[] = "compile_database";
// clangd, bash-language-server: a file that changed on disk is read again only
// when it is opened anew.
inline constexpr char kQuirkReopensChangedFiles[] = "reopens_changed_files";
// Handles didChangeWatchedFiles although it registers for none.
inline constexpr char kQuirkWatchesUnregistered[] = "watches_unregistered";
// typescript-language-server, vtsls: the child that does the work is
// tsserver; once it is dead the parent answers null, or nothing.
inline constexpr char kQuirkTsserverIsVital[] = "tsserver_is_vital";
// bash-language-server: of the documents that are opened before it has read its
// configuration it looks at the last one only.
inline constexpr char kQuirkAsksConfigurationFirst[] =
    "asks_configuration_first";
// gopls: "(*Server).Run" is the method Run of Server.
inline constexpr char kQuirkReceiverInName[] = "receiver_in_name";
// jdtls and others: "run(int, String)" is the method run.
inline constexpr char kQuirkParametersInName[] = "parameters_in_name";
// gopls: the range of a lone `type T struct` begins at T.
inline constexpr char kQuirkRangeStartsAtName[] = "range_starts_at_name";
// pyright: a name inside a string (a forward reference of Python) is a
// reference only in files that it has checked.
inline constexpr char kQuirkChecksForQuotedNames[] = "checks_for_quoted_names";
// TypeScript 7: counts imports and re-exports as declarations, so that they are
// missing among references without those.
inline constexpr char kQuirkImportsAreDeclarations[] =
    "imports_are_declarations";

bool IsKnownQuirk(absl::string_view name);
bool HasQuirk(const ServerEntry& entry, absl::string_view name);

// A symbol's name without what the server puts around it, and what it named as
// its owner: "(*Server).Run" is {"Server", "Run"}.
struct PlainName {
  std::string owner;  // Mostly empty.
  std::string name;
};
PlainName PlainSymbolName(const ServerEntry& entry, absl::string_view name);

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_QUIRKS_H_
