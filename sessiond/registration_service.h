// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_REGISTRATION_SERVICE_H_
#define SESSIOND_REGISTRATION_SERVICE_H_

#include "banyan/session/v1/registration_service.grpc.pb.h"
#include "sessiond/bindings/grant_signer.h"
#include "sessiond/bindings/servers_in_use.h"
#include "sessiond/leases/root_leases.h"
#include "sessiond/leases/writer_leases.h"
#include "sessiond/open_streams.h"
#include "sessiond/store/record_store.h"
#include "sessiond/watch/change_feed.h"

namespace banyan::sessiond {

// The gRPC door for lspds: keys, clock and revocations go down, root leases are
// given. After the welcome comes a lease for each root that the lspd named: it
// is told which are still its own. Everything passed outlives it.
class RegistrationService : public session::v1::RegistrationService::Service {
 public:
  struct Parts {
    RootLeases& leases;
    WriterLeases& writers;
    ServersInUse& servers;
    ChangeFeed& feed;
    OpenStreams& streams;
    const GrantSigner& signer;
    Clock now;
  };

  explicit RegistrationService(Parts parts) : parts_(std::move(parts)) {}

  grpc::Status Register(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<session::v1::RegisterResponse,
                               session::v1::RegisterRequest>* stream) override;

 private:
  absl::StatusOr<session::v1::RegisterResponse> Welcome() const;
  std::vector<session::v1::RegisterResponse> NamedLeases(
      const session::v1::RegisterRequest::Hello& hello,
      const RootLeases::Connected& connected) const;
  session::v1::RegisterResponse AnswerAcquire(
      const RootLeases::Connection& connection, const std::string& root) const;
  void NoteServers(
      const std::string& name,
      const session::v1::RegisterRequest::ServersInUse& servers) const;

  const Parts parts_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_REGISTRATION_SERVICE_H_
