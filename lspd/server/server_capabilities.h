// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_SERVER_CAPABILITIES_H_
#define LSPD_SERVER_SERVER_CAPABILITIES_H_

#include <map>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "lspd/protocol/text_position.h"
#include "nlohmann/json_fwd.hpp"

namespace banyan::lspd {

// What a server says that it can do: at `initialize`, and by registrations
// that come and go afterwards. Not thread-safe.
class ServerCapabilities {
 public:
  ServerCapabilities();
  ~ServerCapabilities();

  // Reads the result of `initialize`; anything malformed counts as not said.
  void OnInitialized(const nlohmann::json& result);

  // client/registerCapability, one registration at a time. An id that is known
  // is replaced.
  void Register(const std::string& id, const std::string& method);
  // Empty: no such registration; else the method it was of.
  std::string Unregister(const std::string& id);

  // Methods of no capability that we know are taken to be there: only the
  // server's answer tells.
  bool Supports(absl::string_view method) const;

  PositionEncoding encoding() const { return encoding_; }
  bool wants_saves() const { return wants_saves_; }
  bool saves_include_text() const { return saves_include_text_; }
  bool takes_folder_changes() const { return takes_folder_changes_; }

  // serverInfo, where given.
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }

 private:
  std::unique_ptr<nlohmann::json> capabilities_;      // Never null.
  std::map<std::string, std::string> registrations_;  // Method by id.
  PositionEncoding encoding_ = PositionEncoding::kUtf16;
  bool wants_saves_ = false;
  bool saves_include_text_ = false;
  bool takes_folder_changes_ = false;
  std::string name_;
  std::string version_;
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_SERVER_CAPABILITIES_H_
