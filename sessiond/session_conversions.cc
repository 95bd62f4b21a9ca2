// SPDX-License-Identifier: Apache-2.0
#include "sessiond/session_conversions.h"

#include <set>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "proto/rpc/error_reason.h"

namespace banyan::sessiond {
namespace {

using session::v1::Session;
using session::v1::SessionRecord;
using session::v1::Workspace;
using session::v1::WorkspaceRecord;

constexpr size_t kNameLimit = 256;
constexpr size_t kCapabilitiesLimit = 16 * 1024;
constexpr int kSubscriptionsLimit = 1'000;
constexpr size_t kUriLimit = 2'048;
constexpr size_t kStreamNameLimit = 64;
constexpr int kEventsLimit = 64;

absl::Status Invalid(absl::string_view what) {
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID, what);
}

// Cut between characters.
std::string Cut(const std::string& text, size_t limit) {
  if (text.size() <= limit) return text;
  size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

}  // namespace

Session ToProto(const Sessions::Live& session) {
  const SessionRecord& record = session.record;
  Session proto;
  proto.set_public_id(record.public_id());
  proto.set_version(record.version());
  proto.set_protocol_version(record.protocol_version());
  proto.set_client_name(record.client_name());
  proto.set_client_version(record.client_version());
  proto.set_client_capabilities_json(record.client_capabilities_json());
  proto.set_log_level(record.log_level());
  *proto.mutable_subscriptions() = record.subscriptions();
  if (!record.workspaces().empty()) {
    proto.set_default_workspace(*record.workspaces().rbegin());
  }
  proto.set_created_unix_ms(record.created_unix_ms());
  proto.set_last_seen_unix_ms(absl::ToUnixMillis(session.last_used));
  proto.set_default_project(record.default_project());
  proto.set_default_access(record.default_access());
  return proto;
}

Workspace ToProto(const Bindings::Live& workspace, const LifeLimits& limits) {
  const WorkspaceRecord& record = workspace.record;
  Workspace proto;
  proto.set_handle(record.handle());
  proto.set_public_id(record.public_id());
  proto.set_version(record.version());
  proto.set_root(record.root());
  if (record.has_identity()) *proto.mutable_identity() = record.identity();
  proto.set_project_name(record.project_name());
  proto.set_access(record.access());
  *proto.mutable_modes() = record.modes();
  *proto.mutable_languages() = record.languages();
  proto.set_session_public_id(record.session_public_id());
  proto.set_client_name(record.client_name());
  proto.set_client_version(record.client_version());
  proto.set_client_root(record.client_root());
  // An implicit binding has no life of its own.
  if (record.handle().empty()) return proto;
  proto.set_created_unix_ms(record.created_unix_ms());
  proto.set_last_used_unix_ms(absl::ToUnixMillis(workspace.last_used));
  proto.set_idle_expires_unix_ms(
      absl::ToUnixMillis(workspace.last_used + limits.idle));
  proto.set_absolute_expires_unix_ms(
      record.created_unix_ms() + absl::ToInt64Milliseconds(limits.absolute));
  return proto;
}

session::v1::ListProjectsResponse::Project ToProto(
    const Overview::ListedProject& listed) {
  session::v1::ListProjectsResponse::Project proto;
  proto.set_name(listed.project.name);
  proto.set_root(listed.project.root);
  proto.set_sessions(listed.sessions);
  proto.set_is_registered(listed.project.is_registered);
  proto.mutable_languages()->Assign(listed.languages.begin(),
                                    listed.languages.end());
  return proto;
}

session::v1::ReadEventsResponse ToProto(EventRings::Reading reading) {
  session::v1::ReadEventsResponse proto;
  proto.set_is_known(reading.is_known);
  proto.set_is_complete(reading.is_complete);
  proto.set_has_ended(reading.has_ended);
  for (EventRings::Event& event : reading.events) {
    auto* one = proto.add_events();
    one->set_event_id(event.id);
    one->set_data(std::move(event.data));
  }
  return proto;
}

absl::Status CheckEvents(const session::v1::AppendEventsRequest& request) {
  if (request.stream().empty() || request.stream().size() > kStreamNameLimit) {
    return Invalid("a stream's name has 1 to 64 bytes");
  }
  if (request.events_size() > kEventsLimit) {
    return Invalid("at most 64 events are appended at a time");
  }
  return absl::OkStatus();
}

absl::Status FillRecord(const session::v1::CreateSessionRequest& request,
                        SessionRecord& record) {
  if (request.protocol_version().empty()) {
    return Invalid("a session needs the negotiated protocol version");
  }
  if (request.client_capabilities_json().size() > kCapabilitiesLimit) {
    return Invalid("the client's capabilities are larger than 16 KiB");
  }
  record.set_protocol_version(Cut(request.protocol_version(), kNameLimit));
  record.set_client_name(Cut(request.client_name(), kNameLimit));
  record.set_client_version(Cut(request.client_version(), kNameLimit));
  record.set_client_capabilities_json(request.client_capabilities_json());
  record.set_default_project(request.default_project());
  record.set_default_access(request.default_access());
  return absl::OkStatus();
}

absl::Status ChangeRecord(const session::v1::UpdateSessionRequest& request,
                          SessionRecord& record) {
  if (request.has_log_level()) {
    record.set_log_level(Cut(request.log_level(), kNameLimit));
  }
  std::set<std::string> uris(record.subscriptions().begin(),
                             record.subscriptions().end());
  for (const std::string& uri : request.add_subscriptions()) {
    if (uri.size() > kUriLimit) return Invalid("a resource URI is too long");
    uris.insert(uri);
  }
  for (const std::string& uri : request.remove_subscriptions()) uris.erase(uri);
  if (uris.size() > static_cast<size_t>(kSubscriptionsLimit)) {
    return Invalid("a session takes at most 1000 subscriptions");
  }
  record.mutable_subscriptions()->Assign(uris.begin(), uris.end());
  return absl::OkStatus();
}

}  // namespace banyan::sessiond
