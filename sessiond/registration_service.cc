// SPDX-License-Identifier: Apache-2.0
#include "sessiond/registration_service.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_convert.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/store/record_id.h"
#include "sessiond/stream_pump.h"
#include "sessiond/watch/outbox.h"

namespace banyan::sessiond {
namespace {

namespace v1 = session::v1;

constexpr size_t kOutboxCapacity = 10'000;
// A grant that was given out just before its handle ended is good for so long.
constexpr absl::Duration kRevocationsKept = kGrantLife;

v1::RegisterResponse ToProto(const RootLease& lease) {
  v1::RegisterResponse response;
  auto* proto = response.mutable_root_lease();
  proto->set_root(lease.root);
  proto->set_epoch(lease.epoch);
  proto->set_is_granted(lease.is_granted);
  if (!lease.is_granted) proto->set_owner(lease.address);
  return response;
}

v1::RegisterResponse Refusal(const std::string& root) {
  return ToProto(RootLease{.root = root});
}

void LogStream(absl::string_view event, const v1::RegisterRequest::Hello& hello,
               absl::string_view what) {
  rpc::Log({.event = std::string(event),
            .message = absl::StrCat("[Registration] ", hello.name(), " at ",
                                    hello.address(), " ", what),
            .fields = {{"lspd", hello.name()}, {"address", hello.address()}}});
}

}  // namespace

grpc::Status RegistrationService::Register(
    grpc::ServerContext* context,
    grpc::ServerReaderWriter<v1::RegisterResponse, v1::RegisterRequest>*
        stream) {
  const auto lease = parts_.streams.Add([context] { context->TryCancel(); });
  v1::RegisterRequest first;
  if (lease == nullptr || !stream->Read(&first)) return grpc::Status::CANCELLED;
  const v1::RegisterRequest::Hello& hello = first.hello();
  if (!first.has_hello() || hello.name().empty()) {
    return rpc::ToGrpc(rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                                  "a registration begins with a hello that "
                                  "gives a name"));
  }
  Outbox<v1::RegisterResponse> outbox(kOutboxCapacity);
  const auto subscription =
      parts_.feed.Subscribe([&outbox](const RecordChange& change) {
        // It registers anew, and the welcome says what was revoked.
        if (change.is_gap) outbox.Close();
        if (!change.is_over || change.kind == RecordKind::kWriter) return;
        v1::RegisterResponse response;
        if (change.kind == RecordKind::kWorkspace) {
          response.mutable_revocation()->set_handle_hash(change.key);
        } else {
          response.mutable_session_end()->set_session_public_id(
              PublicId(change.key));
        }
        outbox.Push(std::move(response));
      });
  // Written past the outbox, so that no revocation comes before it.
  const absl::StatusOr<v1::RegisterResponse> welcome = Welcome();
  if (!welcome.ok()) return rpc::ToGrpc(welcome.status());
  if (!stream->Write(*welcome)) return grpc::Status::CANCELLED;

  parts_.writers.RaiseEpochs(hello.highest_epoch());
  const RootLeases::Connected connected = parts_.leases.Connect(
      hello.name(), hello.address(), hello.highest_epoch(),
      {hello.roots().begin(), hello.roots().end()}, parts_.now(),
      [&outbox](const RootLease& lost) { outbox.Push(ToProto(lost)); });
  const RootLeases::Connection& connection = connected.connection;
  LogStream("lspd_registered", hello, "registered");
  for (v1::RegisterResponse& response : NamedLeases(hello, connected)) {
    outbox.Push(std::move(response));
  }
  PumpStream<v1::RegisterRequest, v1::RegisterResponse>(
      *context, *stream,
      [&](const v1::RegisterRequest& request) {
        v1::RegisterResponse response;
        switch (request.request_case()) {
          case v1::RegisterRequest::kAcquireRoot:
            outbox.Push(
                AnswerAcquire(connection, request.acquire_root().root()));
            break;
          case v1::RegisterRequest::kReleaseRoot:
            parts_.leases.Release(connection, request.release_root().root());
            break;
          case v1::RegisterRequest::kPing:
            response.mutable_pong()->set_number(request.ping().number());
            response.mutable_pong()->set_now_unix_ms(
                absl::ToUnixMillis(parts_.now()));
            outbox.Push(std::move(response));
            break;
          case v1::RegisterRequest::kServersInUse:
            NoteServers(hello.name(), request.servers_in_use());
            break;
          default:
            // A second hello, or what only a newer lspd says.
            break;
        }
      },
      [&outbox] { return outbox.Next(); }, [&outbox] { outbox.Close(); });
  parts_.leases.Disconnect(connection, parts_.now());
  LogStream("lspd_lost", hello, "has gone");
  return grpc::Status::OK;
}

absl::StatusOr<v1::RegisterResponse> RegistrationService::Welcome() const {
  ASSIGN_OR_RETURN(
      const std::vector<std::string> revoked,
      parts_.feed.HandlesEndedSince(parts_.now() - kRevocationsKept));
  v1::RegisterResponse response;
  auto* welcome = response.mutable_welcome();
  for (const v1::VerificationKey& key : parts_.signer.keys()) {
    *welcome->add_keys() = key;
  }
  welcome->set_now_unix_ms(absl::ToUnixMillis(parts_.now()));
  for (const std::string& key : revoked) {
    welcome->add_revoked_handle_hashes(key);
  }
  return response;
}

std::vector<v1::RegisterResponse> RegistrationService::NamedLeases(
    const v1::RegisterRequest::Hello& hello,
    const RootLeases::Connected& connected) const {
  std::vector<v1::RegisterResponse> responses;
  for (const std::string& root : hello.roots()) {
    v1::RegisterResponse response = Refusal(root);
    for (const RootLease& lease : connected.kept) {
      if (lease.root == root) response = ToProto(lease);
    }
    const std::optional<RootLease> owner =
        parts_.leases.OwnerOf(root, parts_.now());
    if (!response.root_lease().is_granted() && owner.has_value()) {
      response = ToProto(*owner);
    }
    responses.push_back(std::move(response));
  }
  return responses;
}

v1::RegisterResponse RegistrationService::AnswerAcquire(
    const RootLeases::Connection& connection, const std::string& root) const {
  const absl::StatusOr<RootLease> lease =
      parts_.leases.Acquire(connection, root, parts_.now());
  v1::RegisterResponse response = lease.ok() ? ToProto(*lease) : Refusal(root);
  // As it was asked for, so that the answer finds its question.
  response.mutable_root_lease()->set_root(root);
  if (!response.root_lease().is_granted()) return response;
  // Whoever had it before cannot say any more; without it servers start late.
  const auto warm = parts_.servers.Of(lease->root);
  if (warm.ok()) {
    response.mutable_root_lease()->mutable_warm_languages()->Assign(
        warm->begin(), warm->end());
  }
  return response;
}

// Of a root's owner only. Best effort: it is said again when it changes.
void RegistrationService::NoteServers(
    const std::string& name,
    const v1::RegisterRequest::ServersInUse& servers) const {
  const std::optional<RootLease> owner =
      parts_.leases.OwnerOf(servers.root(), parts_.now());
  if (!owner.has_value() || owner->owner != name) return;
  (void)parts_.servers.Note(
      servers.root(), {servers.languages().begin(), servers.languages().end()});
}

}  // namespace banyan::sessiond
