// SPDX-License-Identifier: Apache-2.0
//
// banyan-lspd: language servers and files, asked over gRPC.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lspd/lspd.h"
#include "proto/rpc/daemon.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/grpc_server.h"
#include "proto/rpc/metrics_server.h"
#include "proto/rpc/status_macros.h"
#include "proto/rpc/unix_socket.h"

ABSL_FLAG(std::string, listen, banyan::rpc::DefaultSocket("lspd"),
          "Address to serve gRPC on: unix:PATH or host:port. Every user of the "
          "machine can call a port on loopback and be whom they like.");
ABSL_FLAG(std::string, advertise, "",
          "Address by which edges reach this lspd, as it stands in their "
          "--lspd; by default --listen.");
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
ABSL_FLAG(std::string, metrics_listen, "127.0.0.1:8435",
          "Address for /metrics, /livez and /readyz.");
ABSL_FLAG(std::string, sessiond, banyan::rpc::DefaultSocket("sessiond"),
          "Address of banyan-sessiond.");
ABSL_FLAG(std::vector<std::string>, workspaces_root, {},
          "Only folders beneath one of these are ever opened. Required.");
ABSL_FLAG(std::string, catalog, "",
          "The language servers, as JSON; by default server_catalog.json of "
          "this build or installation.");
ABSL_FLAG(std::string, tools_dir, "",
          "Where language servers are looked for before PATH: its bin/ and "
          "node_modules/.bin/.");
ABSL_FLAG(std::string, data_dir, "",
          "Folder for caches and private copies; by default in "
          "$XDG_STATE_HOME.");
ABSL_FLAG(std::string, name, "",
          "Name of this lspd, stable across restarts and unique; by default "
          "the advertised address.");
ABSL_FLAG(std::string, log_format, "text", "text or json.");
ABSL_FLAG(int64_t, memory_budget_mb, 8192,
          "Of all language servers together; past it idle ones end.");
ABSL_FLAG(int32_t, max_servers, 64, "Language server processes at a time.");
ABSL_FLAG(absl::Duration, idle_life, absl::Minutes(30),
          "A language server ends this long after its last use.");
ABSL_FLAG(absl::Duration, drain_limit, absl::Seconds(10),
          "How long running calls may take after a stop signal.");
ABSL_FLAG(bool, check_health, false,
          "Ask the program that listens on --listen whether it serves; exit 0 "
          "or 1.");

namespace banyan {
namespace {

lspd::Lspd::Options OptionsFromFlags(const std::string& data_dir) {
  const std::string advertised = absl::GetFlag(FLAGS_advertise).empty()
                                     ? absl::GetFlag(FLAGS_listen)
                                     : absl::GetFlag(FLAGS_advertise);
  lspd::Lspd::Options options;
  options.name = absl::GetFlag(FLAGS_name).empty() ? advertised
                                                   : absl::GetFlag(FLAGS_name);
  options.address = advertised;
  options.workspaces_roots = absl::GetFlag(FLAGS_workspaces_root);
  options.catalog = absl::GetFlag(FLAGS_catalog).empty()
                        ? rpc::SharedFile("server_catalog.json")
                        : absl::GetFlag(FLAGS_catalog);
  options.tools_dir = absl::GetFlag(FLAGS_tools_dir);
  options.data_dir = data_dir;
  options.memory_budget_bytes = absl::GetFlag(FLAGS_memory_budget_mb) << 20;
  options.max_servers = absl::GetFlag(FLAGS_max_servers);
  options.idle_life = absl::GetFlag(FLAGS_idle_life);
  return options;
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
  if (absl::GetFlag(FLAGS_workspaces_root).empty()) {
    return absl::InvalidArgumentError(
        "no folder may be opened; pass --workspaces_root=DIR,…");
  }
  ASSIGN_OR_RETURN(const rpc::LogFormat log_format,
                   rpc::ParseLogFormat(absl::GetFlag(FLAGS_log_format)));
  rpc::InitLogging(log_format, rpc::LogLevel::kInfo, "lspd");
  rpc::PrepareProcess();

  RETURN_IF_ERROR(rpc::CheckPeerTls(PeerTlsFromFlags()));
  const std::string data_dir_flag = absl::GetFlag(FLAGS_data_dir);
  ASSIGN_OR_RETURN(
      const rpc::DataDir data_dir,
      rpc::DataDir::Lock(data_dir_flag.empty() ? rpc::DefaultDataDir() + "/lspd"
                                               : data_dir_flag));
  const auto registry = rpc::NewMetricsRegistry("lspd");
  ASSIGN_OR_RETURN(
      const auto lspd,
      lspd::Lspd::Start(
          OptionsFromFlags(data_dir.path()),
          rpc::NewChannel(absl::GetFlag(FLAGS_sessiond), PeerTlsFromFlags()),
          *registry));
  rpc::GrpcServer server({.listen = listen,
                          .allow_insecure = absl::GetFlag(FLAGS_allow_insecure),
                          .tls = PeerTlsFromFlags()});
  RETURN_IF_ERROR(server.Start(lspd->services()));
  ASSIGN_OR_RETURN(
      const auto metrics,
      rpc::MetricsServer::Start(absl::GetFlag(FLAGS_metrics_listen), registry,
                                [&lspd] { return lspd->is_ready(); }));
  rpc::Log({.event = "serving",
            .message = absl::StrCat("[LSP-Pool] Serving on ", listen),
            .fields = {{"listen", listen}, {"data_dir", data_dir.path()}}});

  rpc::WaitForStopSignal();
  server.Drain(absl::GetFlag(FLAGS_drain_limit));
  lspd->Stop();
  return absl::OkStatus();
}

}  // namespace
}  // namespace banyan

int main(int argc, char** argv) {
  const auto words = banyan::rpc::ParseFlags(
      argc, argv, "banyan-lspd: language servers and files.");
  if (!words.ok()) return banyan::rpc::ExitCode(words.status());
  return banyan::rpc::ExitCode(banyan::Run());
}
