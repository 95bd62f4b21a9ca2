// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/legacy_lifecycle.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "edge/mcp/client_info.h"
#include "edge/mcp/protocol_versions.h"
#include "edge/tools/result_format.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

// What sessiond takes.
constexpr size_t kMaxCapabilitiesBytes = 16 << 10;

// A project in the address that is none is the client's to correct, at once and
// not at its first question.
absl::Status AboutTheAddress(const absl::Status& status) {
  switch (rpc::ReasonOf(status)) {
    case rpc::v1::ERROR_REASON_PROJECT_UNKNOWN:
    case rpc::v1::ERROR_REASON_PROJECT_AMBIGUOUS:
    case rpc::v1::ERROR_REASON_HANDLE_GONE:
      return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                        absl::StrCat("The address /mcp/p/… cannot be used: ",
                                     status.message(), "."));
    default:
      return status;
  }
}

}  // namespace

absl::string_view NegotiateVersion(absl::string_view asked) {
  return IsLegacyVersion(asked) ? asked : kLegacyVersions.front();
}

session::v1::Access DefaultAccessOf(const McpRequest& request) {
  if (request.default_access.empty()) return session::v1::ACCESS_UNSPECIFIED;
  return request.default_access == "read-write" ? session::v1::ACCESS_READ_WRITE
                                                : session::v1::ACCESS_READ_ONLY;
}

LegacyLifecycle::LegacyLifecycle(SessionClient& sessions,
                                 ServerIdentity identity, bool lists_change)
    : sessions_(sessions),
      identity_(std::move(identity)),
      lists_change_(lists_change) {}

absl::StatusOr<LegacyLifecycle::Opened> LegacyLifecycle::Initialize(
    const McpRequest& request, const RpcMessage& message,
    const rpc::CallContext& call) {
  const std::string asked = TextMember(message.params, "protocolVersion");
  if (asked.empty()) {
    return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                      "params.protocolVersion must be a string.");
  }
  session::v1::GenerateSessionRequest generate;
  *generate.mutable_principal() = request.principal;
  ASSIGN_OR_RETURN(const auto generated,
                   sessions_.GenerateSession(generate, call));

  const ClientInfo client =
      ReadClientInfo(Member(message.params, "clientInfo"));
  const json& capabilities = Member(message.params, "capabilities");
  session::v1::CreateSessionRequest create;
  *create.mutable_principal() = request.principal;
  create.set_session_id(generated.session_id());
  create.set_protocol_version(std::string(NegotiateVersion(asked)));
  create.set_client_name(client.name);
  create.set_client_version(client.version);
  std::string declared =
      capabilities.is_object() ? Compact(capabilities) : std::string("{}");
  if (declared.size() > kMaxCapabilitiesBytes) declared = "{}";
  create.set_client_capabilities_json(std::move(declared));
  create.set_default_project(request.default_project);
  create.set_default_access(DefaultAccessOf(request));
  const auto created = sessions_.CreateSession(create, call);
  if (!created.ok()) return AboutTheAddress(created.status());

  return Opened{
      .result = {{"protocolVersion", create.protocol_version()},
                 {"capabilities",
                  ServerCapabilities(/*is_modern=*/false, lists_change_)},
                 {"serverInfo", ServerInfo(identity_)},
                 {"instructions", ServerInstructions()}},
      .session_id = generated.session_id(),
      .version = create.protocol_version()};
}

absl::StatusOr<session::v1::Session> LegacyLifecycle::Validate(
    const McpRequest& request, const std::string& session_id,
    const rpc::CallContext& call) {
  session::v1::ValidateSessionRequest validate;
  *validate.mutable_principal() = request.principal;
  validate.set_session_id(session_id);
  ASSIGN_OR_RETURN(auto answer, sessions_.ValidateSession(validate, call));
  if (!answer.is_live()) {
    return rpc::Error(rpc::v1::ERROR_REASON_SESSION_GONE, "no such session");
  }
  return std::move(*answer.mutable_session());
}

absl::Status LegacyLifecycle::Update(session::v1::UpdateSessionRequest update,
                                     const McpRequest& request,
                                     const std::string& session_id,
                                     const rpc::CallContext& call) {
  *update.mutable_principal() = request.principal;
  update.set_session_id(session_id);
  return sessions_.UpdateSession(update, call).status();
}

absl::StatusOr<session::v1::Session> LegacyLifecycle::End(
    const McpRequest& request, const std::string& session_id,
    const rpc::CallContext& call) {
  ASSIGN_OR_RETURN(auto session, Validate(request, session_id, call));
  session::v1::TerminateSessionRequest terminate;
  *terminate.mutable_principal() = request.principal;
  terminate.set_session_id(session_id);
  RETURN_IF_ERROR(sessions_.TerminateSession(terminate, call).status());
  return session;
}

}  // namespace banyan::edge
