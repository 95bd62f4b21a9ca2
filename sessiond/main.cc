// SPDX-License-Identifier: Apache-2.0
//
// banyan-sessiond: who is bound to what, and what they may touch.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "proto/rpc/daemon.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/grpc_server.h"
#include "proto/rpc/metrics_server.h"
#include "proto/rpc/status_macros.h"
#include "proto/rpc/unix_socket.h"
#include "sessiond/sessiond.h"

ABSL_FLAG(std::string, listen, banyan::rpc::DefaultSocket("sessiond"),
          "Address to serve gRPC on: unix:PATH or host:port. Every user of the "
          "machine can call a port on loopback and be whom they like.");
ABSL_FLAG(bool, allow_insecure, false,
          "Serve in plain text on an address that is not loopback. Only behind "
          "a network that others cannot reach.");
ABSL_FLAG(std::string, peer_cert_file, "",
          "Certificate that is shown to other daemons, PEM; with "
          "--peer_key_file and --peer_ca_file. They are read again when they "
          "change.");
ABSL_FLAG(std::string, peer_key_file, "", "Key of --peer_cert_file, PEM.");
ABSL_FLAG(std::string, peer_ca_file, "",
          "Authorities of other daemons' certificates, PEM.");
ABSL_FLAG(std::string, metrics_listen, "127.0.0.1:8434",
          "Address for /metrics, /livez and /readyz.");
ABSL_FLAG(std::vector<std::string>, workspaces_root, {},
          "Folders below which projects may be opened by path; by default the "
          "projects' own.");
ABSL_FLAG(std::vector<std::string>, projects, {},
          "Projects as name=DIR or DIR, separated by commas.");
ABSL_FLAG(std::string, projects_file, "",
          "The operator's projects as JSON; see projects.proto.");
ABSL_FLAG(std::string, store, "sqlite:",
          "Where records are: sqlite:PATH (sqlite: alone is sessions.db in "
          "--data_dir), memory:, redis://HOST:PORT/DATABASE or "
          "redis+sentinel://HOST:PORT,HOST:PORT/MASTER/DATABASE.");
ABSL_FLAG(std::string, redis_user, "", "User of the Redis.");
ABSL_FLAG(std::string, redis_password_file, "",
          "File with the password of the Redis.");
ABSL_FLAG(
    std::string, keys_dir, "",
    "Folder for keys where several session daemons share them; by default "
    "--data_dir.");
ABSL_FLAG(std::string, data_dir, "",
          "Folder for keys and records; by default in $XDG_STATE_HOME.");
ABSL_FLAG(std::string, log_format, "text", "text or json.");
ABSL_FLAG(absl::Duration, idle_limit, absl::Hours(24),
          "A session or workspace handle ends this long after its last use.");
ABSL_FLAG(absl::Duration, absolute_limit, absl::Hours(24 * 7),
          "A session or workspace handle ends this long after its start.");
ABSL_FLAG(int64_t, max_sessions, 100'000, "Sessions at a time.");
ABSL_FLAG(int64_t, max_sessions_per_principal, 1'000,
          "Sessions of one principal at a time.");
ABSL_FLAG(int64_t, max_workspaces, 100'000, "Workspace handles at a time.");
ABSL_FLAG(int64_t, max_workspaces_per_principal, 1'000,
          "Workspace handles of one principal at a time.");
ABSL_FLAG(absl::Duration, drain_limit, absl::Seconds(10),
          "How long running calls may take after a stop signal.");
ABSL_FLAG(bool, check_health, false,
          "Ask the program that listens on --listen whether it serves; exit 0 "
          "or 1.");

namespace banyan {
namespace {

sessiond::Sessiond::Options OptionsFromFlags() {
  sessiond::Sessiond::Options options;
  options.store = absl::GetFlag(FLAGS_store);
  options.redis_user = absl::GetFlag(FLAGS_redis_user);
  options.redis_password_file = absl::GetFlag(FLAGS_redis_password_file);
  options.keys_dir = absl::GetFlag(FLAGS_keys_dir);
  options.projects = absl::GetFlag(FLAGS_projects);
  options.projects_file = absl::GetFlag(FLAGS_projects_file);
  options.workspaces_roots = absl::GetFlag(FLAGS_workspaces_root);
  options.limits = {.idle = absl::GetFlag(FLAGS_idle_limit),
                    .absolute = absl::GetFlag(FLAGS_absolute_limit)};
  options.session_quota = {
      .per_principal = absl::GetFlag(FLAGS_max_sessions_per_principal),
      .total = absl::GetFlag(FLAGS_max_sessions)};
  options.workspace_quota = {
      .per_principal = absl::GetFlag(FLAGS_max_workspaces_per_principal),
      .total = absl::GetFlag(FLAGS_max_workspaces)};
  return options;
}

std::string DataDirFlag() {
  const std::string data_dir = absl::GetFlag(FLAGS_data_dir);
  return data_dir.empty() ? rpc::DefaultDataDir() + "/sessiond" : data_dir;
}

rpc::PeerTls PeerTlsFromFlags() {
  return {.certificate_file = absl::GetFlag(FLAGS_peer_cert_file),
          .key_file = absl::GetFlag(FLAGS_peer_key_file),
          .authorities_file = absl::GetFlag(FLAGS_peer_ca_file)};
}

absl::Status Run() {
  const std::string listen = absl::GetFlag(FLAGS_listen);
  if (absl::GetFlag(FLAGS_check_health)) {
    // A certificate names a host, not the address that is listened on.
    return PeerTlsFromFlags().is_on()
               ? rpc::CheckReadiness(absl::GetFlag(FLAGS_metrics_listen))
               : rpc::CheckHealth(listen, absl::Seconds(3));
  }
  ASSIGN_OR_RETURN(const rpc::LogFormat log_format,
                   rpc::ParseLogFormat(absl::GetFlag(FLAGS_log_format)));
  rpc::InitLogging(log_format, rpc::LogLevel::kInfo, "sessiond");
  rpc::PrepareProcess();

  ASSIGN_OR_RETURN(const rpc::DataDir data_dir,
                   rpc::DataDir::Lock(DataDirFlag()));
  sessiond::Sessiond::Options options = OptionsFromFlags();
  options.data_dir = data_dir.path();
  options.metrics = rpc::NewMetricsRegistry("sessiond");
  const auto registry = options.metrics;
  ASSIGN_OR_RETURN(const auto sessiond,
                   sessiond::Sessiond::Create(std::move(options)));

  rpc::GrpcServer server({.listen = listen,
                          .allow_insecure = absl::GetFlag(FLAGS_allow_insecure),
                          .tls = PeerTlsFromFlags()});
  RETURN_IF_ERROR(server.Start(sessiond->services()));
  ASSIGN_OR_RETURN(const auto metrics, rpc::MetricsServer::Start(
                                           absl::GetFlag(FLAGS_metrics_listen),
                                           registry, [] { return true; }));
  rpc::Log({.event = "serving",
            .message = absl::StrCat("[Sessions] Serving on ", listen),
            .fields = {{"listen", listen}, {"data_dir", data_dir.path()}}});

  rpc::WaitForStopSignal();
  server.SetServing(false);
  sessiond->EndStreams();
  server.Drain(absl::GetFlag(FLAGS_drain_limit));
  return absl::OkStatus();
}

}  // namespace
}  // namespace banyan

int main(int argc, char** argv) {
  const auto words = banyan::rpc::ParseFlags(
      argc, argv, "banyan-sessiond: sessions, workspaces, grants.");
  if (!words.ok()) return banyan::rpc::ExitCode(words.status());
  return banyan::rpc::ExitCode(banyan::Run());
}
