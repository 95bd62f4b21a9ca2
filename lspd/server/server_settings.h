// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_SERVER_SETTINGS_H_
#define LSPD_SERVER_SERVER_SETTINGS_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/struct.pb.h"
#include "nlohmann/json_fwd.hpp"

namespace banyan::lspd {

// "root" → "/home/a/project": what stands for ${root} in catalogue rows.
using Variables = std::map<std::string, std::string>;

// Every ${name} that is known, replaced; others stay as they are.
std::string Expand(absl::string_view text, const Variables& variables);

// The settings of a catalogue row as JSON, with all its strings expanded.
nlohmann::json ToJson(const google::protobuf::Struct& settings,
                      const Variables& variables);

// The part of `settings` that LSP calls a section ("python.analysis"): null if
// there is none, everything for an empty section.
nlohmann::json SettingsAt(const nlohmann::json& settings,
                          absl::string_view section);

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_SERVER_SETTINGS_H_
