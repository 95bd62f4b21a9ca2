// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/quirks.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace banyan::lspd {
namespace {

constexpr const char* kQuirks[] = {
    kQuirkCompileDatabase,      kQuirkReopensChangedFiles,
    kQuirkWatchesUnregistered,  kQuirkTsserverIsVital,
    kQuirkReceiverInName,       kQuirkParametersInName,
    kQuirkRangeStartsAtName,    kQuirkAsksConfigurationFirst,
    kQuirkChecksForQuotedNames, kQuirkImportsAreDeclarations,
};

// "(*Server).Run", "(Server[T]).Run", "Server.Run".
PlainName CutReceiver(absl::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos || dot + 1 == name.size()) {
    return {"", std::string(name)};
  }
  absl::string_view owner = name.substr(0, dot);
  if (absl::ConsumePrefix(&owner, "(")) absl::ConsumeSuffix(&owner, ")");
  absl::ConsumePrefix(&owner, "*");
  owner = owner.substr(0, owner.find('['));
  return {std::string(owner), std::string(name.substr(dot + 1))};
}

}  // namespace

bool IsKnownQuirk(absl::string_view name) {
  return std::any_of(
      std::begin(kQuirks), std::end(kQuirks),
      [&](const char* quirk) { return name == absl::string_view(quirk); });
}

bool HasQuirk(const ServerEntry& entry, absl::string_view name) {
  return std::any_of(entry.quirks().begin(), entry.quirks().end(),
                     [&](const std::string& quirk) {
                       return name == absl::string_view(quirk);
                     });
}

PlainName PlainSymbolName(const ServerEntry& entry, absl::string_view name) {
  if (HasQuirk(entry, kQuirkReceiverInName)) return CutReceiver(name);
  if (HasQuirk(entry, kQuirkParametersInName) && !absl::StartsWith(name, "(")) {
    return {"", std::string(name.substr(0, name.find('(')))};
  }
  return {"", std::string(name)};
}

}  // namespace banyan::lspd
