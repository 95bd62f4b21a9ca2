// SPDX-License-Identifier: Apache-2.0
//
// banyan-edge: MCP over HTTP for agents, gRPC to the daemons.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "edge/edge.h"
#include "proto/rpc/daemon.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/grpc_server.h"
#include "proto/rpc/metrics_server.h"
#include "proto/rpc/status_macros.h"
#include "proto/rpc/unix_socket.h"

ABSL_FLAG(std::string, listen, "127.0.0.1:8420", "Address to serve MCP on.");
ABSL_FLAG(std::string, admin_listen, "127.0.0.1:8421",
          "Address of the overview and the statistics.");
ABSL_FLAG(std::string, metrics_listen, "127.0.0.1:8422",
          "Address for /metrics, /livez and /readyz.");
ABSL_FLAG(std::string, sessiond, banyan::rpc::DefaultSocket("sessiond"),
          "Address of banyan-sessiond.");
ABSL_FLAG(std::vector<std::string>, lspd, {banyan::rpc::DefaultSocket("lspd")},
          "Addresses of every banyan-lspd, separated by commas.");
ABSL_FLAG(std::vector<std::string>, allowed_hosts, {},
          "Names that clients may use in Host beside the loopback ones: "
          "mcp.example.com or mcp.example.com:8443.");
ABSL_FLAG(std::vector<std::string>, allowed_origins, {},
          "Web origins that may call, whole: https://inspector.example.com.");
ABSL_FLAG(std::vector<std::string>, trusted_proxies, {},
          "Addresses whose X-Forwarded-Host is believed.");
ABSL_FLAG(std::string, data_dir, "",
          "Unused by an edge, which keeps nothing; accepted because every "
          "program takes it.");
ABSL_FLAG(std::string, log_format, "text", "text or json.");
ABSL_FLAG(absl::Duration, drain_limit, absl::Seconds(10),
          "How long running calls may take after a stop signal.");
ABSL_FLAG(bool, check_health, false,
          "Ask the program that serves --metrics_listen whether it is ready; "
          "exit 0 or 1.");

namespace banyan {
namespace {

edge::Edge::Options OptionsFromFlags() {
  edge::Edge::Options options;
  options.listen = absl::GetFlag(FLAGS_listen);
  options.admin_listen = absl::GetFlag(FLAGS_admin_listen);
  options.allowed_hosts = absl::GetFlag(FLAGS_allowed_hosts);
  options.allowed_origins = absl::GetFlag(FLAGS_allowed_origins);
  options.trusted_proxies = absl::GetFlag(FLAGS_trusted_proxies);
  return options;
}

edge::Edge::Daemons DaemonsFromFlags() {
  edge::Edge::Daemons daemons;
  daemons.sessiond = rpc::NewChannel(absl::GetFlag(FLAGS_sessiond));
  for (const std::string& address : absl::GetFlag(FLAGS_lspd)) {
    daemons.lspds.emplace_back(address, rpc::NewChannel(address));
  }
  return daemons;
}

absl::Status Run() {
  if (absl::GetFlag(FLAGS_check_health)) {
    return rpc::CheckReadiness(absl::GetFlag(FLAGS_metrics_listen));
  }
  if (absl::GetFlag(FLAGS_lspd).empty()) {
    return absl::InvalidArgumentError("no lspd; pass --lspd=ADDR,…");
  }
  ASSIGN_OR_RETURN(const rpc::LogFormat log_format,
                   rpc::ParseLogFormat(absl::GetFlag(FLAGS_log_format)));
  rpc::InitLogging(log_format, rpc::LogLevel::kInfo, "edge");
  rpc::PrepareProcess();

  const auto registry = rpc::NewMetricsRegistry("edge");
  ASSIGN_OR_RETURN(
      const auto edge,
      edge::Edge::Start(OptionsFromFlags(), DaemonsFromFlags(), *registry));
  ASSIGN_OR_RETURN(
      const auto metrics,
      rpc::MetricsServer::Start(absl::GetFlag(FLAGS_metrics_listen), registry,
                                [&edge] { return edge->is_ready(); }));
  const std::string listen = absl::GetFlag(FLAGS_listen);
  rpc::Log(
      {.event = "serving",
       .message = absl::StrCat("[Edge] Serving MCP on http://", listen, "/mcp"),
       .fields = {{"listen", listen}}});

  rpc::WaitForStopSignal();
  edge->Stop(absl::GetFlag(FLAGS_drain_limit));
  return absl::OkStatus();
}

}  // namespace
}  // namespace banyan

int main(int argc, char** argv) {
  const auto words =
      banyan::rpc::ParseFlags(argc, argv, "banyan-edge: MCP over HTTP.");
  if (!words.ok()) return banyan::rpc::ExitCode(words.status());
  return banyan::rpc::ExitCode(banyan::Run());
}
