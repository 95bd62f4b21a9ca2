// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_SERVER_WORK_H_
#define LSPD_SERVER_SERVER_WORK_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"

namespace banyan::lspd {

// What a server says it is doing (LSP, work done progress), for people who wait
// for it. Keeps at most 64 pieces of work, since a server may never end them.
//
// Not thread-safe.
class ServerWork {
 public:
  // `value` of a $/progress notification; what is no such value is ignored.
  void OnProgress(const std::string& token, const nlohmann::json& value);

  // "indexing 12/35 (34 %)", of the piece that was told of last; empty when
  // nothing is being done. Short, escaped (EscapeForLog), without paths.
  std::string Text() const;

 private:
  struct Piece {
    std::string title = "";
    std::string message = "";
    int percentage = -1;  // Negative: not told.
  };

  std::map<std::string, Piece> pieces_;  // By token.
  std::string newest_;                   // Its token.
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_SERVER_WORK_H_
