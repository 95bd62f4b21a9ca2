// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_SESSIOND_H_
#define SESSIOND_SESSIOND_H_

#include <grpcpp/impl/codegen/service_type.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "sessiond/leases/root_leases.h"
#include "sessiond/projects/project_registry.h"
#include "sessiond/sessions/expiry.h"
#include "sessiond/store/event_rings.h"
#include "sessiond/store/record_store.h"

namespace banyan::sessiond {

// The session daemon without its listener: everything assembled, as gRPC
// services to be put into a server. main.cc and `banyan` only map flags to
// Options.
//
//   ASSIGN_OR_RETURN(const auto sessiond, Sessiond::Create(options));
//   server.Start(sessiond->services());
//   rpc::WaitForStopSignal();
//   sessiond->EndStreams();
//   server.Drain(absl::Seconds(10));
//
// The server must be gone before this is.
class Sessiond {
 public:
  struct Options {
    // "sqlite:PATH" ("sqlite:" alone is <data_dir>/sessions.db), "memory:", or
    // a Redis (redis_address.h).
    std::string store = "sqlite:";
    std::string redis_user;
    std::string redis_password_file;  // Empty: no password.
    std::string
        data_dir;  // Keys live here; locked by the caller. Empty: keys end with the process.
    std::string keys_dir;  // Keys of several sessiond; empty: in data_dir.
    std::vector<std::string> projects;  // "name=DIR" or "DIR".
    std::string projects_file;  // JSON, see projects.proto; empty for none.
    std::vector<std::string>
        workspaces_roots;  // Empty = the projects' folders.
    LifeLimits limits;
    Quota session_quota = {.per_principal = 1'000, .total = 100'000};
    Quota workspace_quota = {.per_principal = 1'000, .total = 100'000};
    EventRings::Limits event_rings;
    RootLeases::Options leases;
    absl::Duration housekeeping_interval =
        absl::Seconds(30);  // Expired records go, last uses are written.
    std::shared_ptr<prometheus::Registry>
        metrics;  // Null: nothing is counted anywhere.
    Clock now;    // Null = the system's clock.
  };

  // Codes, each with a message for the operator:
  //   kInvalidArgument     a flag or the projects file; named
  //   kFailedPrecondition  store or key files, see NewSqliteRecordStore,
  //                        OpenRedisStore, KeyRing
  //   kUnavailable         a file cannot be read or made
  static absl::StatusOr<std::unique_ptr<Sessiond>> Create(Options options);

  // Last uses are written.
  virtual ~Sessiond() = default;

  // SessionService and RegistrationService.
  virtual std::vector<grpc::Service*> services() = 0;

  virtual const ProjectRegistry& projects() const = 0;

  // Watches and registrations end and come back no more: they would outlive
  // any drain. Before GrpcServer::Drain.
  virtual void EndStreams() = 0;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_SESSIOND_H_
