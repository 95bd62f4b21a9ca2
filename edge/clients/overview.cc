// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/overview.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;
using PoolAnswers = std::vector<lsp::v1::GetPoolStatsResponse>;

std::string Dump(const json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false,
                    json::error_handler_t::replace);
}

std::string TimeText(int64_t unix_ms) {
  return absl::FormatTime(absl::RFC3339_sec, absl::FromUnixMillis(unix_ms),
                          absl::UTCTimeZone());
}

std::string ClientId(const std::string& name, const std::string& version) {
  return version.empty() ? name : absl::StrCat(name, " ", version);
}

double Megabytes(int64_t bytes) {
  // One decimal is what people read.
  return static_cast<double>(bytes * 10 / (1 << 20)) / 10;
}

const char* StatusName(lsp::v1::ServerStatus status) {
  switch (status) {
    case lsp::v1::SERVER_STATUS_STARTING:
      return "starting";
    case lsp::v1::SERVER_STATUS_RUNNING:
      return "running";
    case lsp::v1::SERVER_STATUS_IDLE:
      return "idle";
    case lsp::v1::SERVER_STATUS_DRAINING:
      return "draining";
    case lsp::v1::SERVER_STATUS_RECLAIMING:
      return "reclaiming";
    default:
      return "failed";
  }
}

// Public id of a session or handle → languages it has servers of.
std::map<std::string, std::set<std::string>> LanguagesInUse(
    const PoolAnswers& answers) {
  std::map<std::string, std::set<std::string>> in_use;
  for (const auto& answer : answers) {
    for (const auto& server : answer.servers()) {
      for (const std::string& user : server.active_sessions()) {
        in_use[user].insert(server.language());
      }
    }
  }
  return in_use;
}

// A handle of a session that has ended: good until it expires, and nobody's
// connection.
bool IsLeftBehind(const session::v1::ListSessionsResponse::Entry& entry) {
  return !entry.has_session() && !entry.workspace().session_public_id().empty();
}

json ToJson(const session::v1::ListSessionsResponse::Entry& entry,
            const std::map<std::string, std::set<std::string>>& in_use) {
  const session::v1::Session& session = entry.session();
  const session::v1::Workspace& workspace = entry.workspace();
  const bool is_legacy = entry.has_session();
  const std::string& id =
      is_legacy ? session.public_id() : workspace.public_id();

  std::set<std::string> languages;
  for (const std::string& user : {id, workspace.public_id()}) {
    const auto found = in_use.find(user);
    if (found != in_use.end()) {
      languages.insert(found->second.begin(), found->second.end());
    }
  }
  return {{"session_id", id},
          {"workspace_root", workspace.root()},
          {"project_name", workspace.project_name()},
          {"connected_at", TimeText(is_legacy ? session.created_unix_ms()
                                              : workspace.created_unix_ms())},
          {"client_id",
           is_legacy
               ? ClientId(session.client_name(), session.client_version())
               : ClientId(workspace.client_name(), workspace.client_version())},
          {"acquired_lsps", languages}};
}

json ToJson(const lsp::v1::ServerStats& server) {
  json users = json::array();
  for (const std::string& user : server.active_sessions()) {
    users.push_back(user);
  }
  return {{"language", server.language()},
          {"workspace_root", server.workspace_root()},
          {"pid", server.pid()},
          {"memory_mb", Megabytes(server.memory_bytes())},
          {"ref_count", server.ref_count()},
          {"active_sessions", std::move(users)},
          {"status", StatusName(server.status())}};
}

}  // namespace

absl::StatusOr<std::string> Overview::SessionsJson(
    const session::v1::Principal& caller, const rpc::CallContext& call) const {
  session::v1::ListSessionsRequest request;
  *request.mutable_principal() = caller;
  ASSIGN_OR_RETURN(const auto listed, sessions_.ListSessions(request, call));
  // Without the pool the page still shows who is connected.
  const absl::StatusOr<PoolStats> pool = AskPools(caller, call);
  const auto in_use = LanguagesInUse(pool.ok() ? pool->answers : PoolAnswers());

  json sessions = json::array();
  json left_behind = json::array();
  for (const auto& entry : listed.entries()) {
    json& list = IsLeftBehind(entry) ? left_behind : sessions;
    list.push_back(ToJson(entry, in_use));
  }
  const size_t total = sessions.size();
  return Dump({{"active_sessions", std::move(sessions)},
               {"total_sessions", total},
               {"handles_of_ended_sessions", std::move(left_behind)}});
}

absl::StatusOr<std::string> Overview::PoolJson(
    const session::v1::Principal& caller, const rpc::CallContext& call) const {
  ASSIGN_OR_RETURN(const PoolStats stats, AskPools(caller, call));
  if (stats.answers.empty() && !stats.silent.empty()) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE,
        absl::StrCat("no lspd answers: ", absl::StrJoin(stats.silent, ", ")));
  }
  json servers = json::array();
  int64_t total_bytes = 0;
  for (const auto& answer : stats.answers) {
    total_bytes += answer.total_memory_bytes();
    for (const auto& server : answer.servers()) {
      servers.push_back(ToJson(server));
    }
  }
  return Dump({{"active_lsps", std::move(servers)},
               {"total_memory_usage_mb", Megabytes(total_bytes)},
               {"unreachable_lspds", stats.silent}});
}

absl::StatusOr<PoolStats> Overview::AskPools(
    const session::v1::Principal& caller, const rpc::CallContext& call) const {
  session::v1::AuthorizeOperatorRequest authorize;
  *authorize.mutable_principal() = caller;
  ASSIGN_OR_RETURN(auto authorized,
                   sessions_.AuthorizeOperator(authorize, call));
  lsp::v1::GetPoolStatsRequest request;
  *request.mutable_grant() = std::move(*authorized.mutable_grant());
  return lsp_.GetPoolStats(request, call);
}

}  // namespace banyan::edge
