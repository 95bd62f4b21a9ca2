// SPDX-License-Identifier: Apache-2.0
//
// Reading members of a server's JSON without ever throwing. For the .cc files
// of this folder.
#ifndef LSPD_PROTOCOL_JSON_FIELDS_H_
#define LSPD_PROTOCOL_JSON_FIELDS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace banyan::lspd {

// Null when `object` is no object, has no such member, or the member is null:
// servers use all three for "nothing".
const nlohmann::json* FindField(const nlohmann::json& object, const char* key);

// The same with JSON null in place of a null pointer.
const nlohmann::json& FieldOrNull(const nlohmann::json& object,
                                  const char* key);

// "" when it is absent or no string.
std::string StringField(const nlohmann::json& object, const char* key);

// Clamped to what an int holds (servers send 2^32-1 for "to the end").
std::optional<int> IntField(const nlohmann::json& object, const char* key);

bool BoolField(const nlohmann::json& object, const char* key);

// UNSUPPORTED: "a hover of the language server is no object: 17; …".
absl::Status BadShape(absl::string_view what, absl::string_view expected,
                      const nlohmann::json& actual);

}  // namespace banyan::lspd

#endif  // LSPD_PROTOCOL_JSON_FIELDS_H_
