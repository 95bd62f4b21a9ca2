// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/server_work.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lspd/protocol/json_fields.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/event_log.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

constexpr size_t kMostPieces = 64;
constexpr size_t kLongestPart = 80;

// Absolute paths are nobody's business outside of lspd.
bool ShowsPath(absl::string_view text) {
  return absl::StartsWith(text, "/") || absl::StrContains(text, " /") ||
         absl::StrContains(text, "file:");
}

std::string PartOf(const json& value, const char* member) {
  const std::string text = StringField(value, member);
  return ShowsPath(text) ? "" : rpc::EscapeForLog(text, kLongestPart);
}

}  // namespace

void ServerWork::OnProgress(const std::string& token, const json& value) {
  const std::string kind = StringField(value, "kind");
  if (kind == "end") {
    pieces_.erase(token);
    return;
  }
  if (kind != "begin" && kind != "report") return;
  if (pieces_.size() >= kMostPieces && pieces_.count(token) == 0) return;
  Piece& piece = pieces_[token];
  if (kind == "begin") piece = Piece{.title = PartOf(value, "title")};
  // A report without a message leaves the last one standing.
  const std::string message = PartOf(value, "message");
  if (!message.empty()) piece.message = message;
  const auto percentage = IntField(value, "percentage");
  if (percentage.has_value()) piece.percentage = *percentage;
  newest_ = token;
}

std::string ServerWork::Text() const {
  if (pieces_.empty()) return "";
  auto found = pieces_.find(newest_);
  if (found == pieces_.end()) found = pieces_.begin();
  const Piece& piece = found->second;
  std::vector<std::string> parts;
  for (const std::string& part : {piece.title, piece.message}) {
    if (!part.empty()) parts.push_back(part);
  }
  if (piece.percentage >= 0 && piece.percentage <= 100) {
    parts.push_back(absl::StrCat("(", piece.percentage, " %)"));
  }
  return parts.empty() ? "working" : absl::StrJoin(parts, " ");
}

}  // namespace banyan::lspd
