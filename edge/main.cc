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
ABSL_FLAG(std::string, peer_cert_file, "",
          "Certificate that is shown to other daemons, PEM; with "
          "--peer_key_file and --peer_ca_file. They are read again when they "
          "change.");
ABSL_FLAG(std::string, peer_key_file, "", "Key of --peer_cert_file, PEM.");
ABSL_FLAG(std::string, peer_ca_file, "",
          "Authorities of other daemons' certificates, PEM.");
ABSL_FLAG(std::vector<std::string>, allowed_hosts, {},
          "Names that clients may use in Host beside the loopback ones: "
          "mcp.example.com or mcp.example.com:8443.");
ABSL_FLAG(std::vector<std::string>, allowed_origins, {},
          "Web origins that may call, whole: https://inspector.example.com.");
ABSL_FLAG(std::vector<std::string>, trusted_proxies, {},
          "Addresses whose X-Forwarded-Host is believed.");
ABSL_FLAG(std::string, tokens_file, "",
          "Who may call: a file that `banyan token` makes. Without it and "
          "--jwt_issuer only this user, on loopback.");
ABSL_FLAG(std::string, jwt_issuer, "",
          "Who may call: bearers of this issuer's tokens, `iss` exactly.");
ABSL_FLAG(std::string, jwt_audience, "",
          "The URL that clients use, path included; tokens must be for it.");
ABSL_FLAG(std::string, jwt_keys, "",
          "The issuer's key set (JWKS): a file or an https URL.");
ABSL_FLAG(std::string, tls_certificate, "",
          "PEM file with the certificate of --listen and its chain; without "
          "it plain HTTP is spoken.");
ABSL_FLAG(std::string, tls_key, "", "PEM file with the certificate's key.");
ABSL_FLAG(double, max_requests_per_second, 0,
          "Of one caller, twice as many at once; more are answered 429. 0: no "
          "limit.");
ABSL_FLAG(bool, conformance_fixtures, false,
          "Serve also what the MCP conformance suite calls; for tests, on "
          "loopback only.");
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
  options.tokens_file = absl::GetFlag(FLAGS_tokens_file);
  options.jwt_issuer = absl::GetFlag(FLAGS_jwt_issuer);
  options.jwt_audience = absl::GetFlag(FLAGS_jwt_audience);
  options.jwt_keys = absl::GetFlag(FLAGS_jwt_keys);
  options.tls_certificate = absl::GetFlag(FLAGS_tls_certificate);
  options.tls_key = absl::GetFlag(FLAGS_tls_key);
  options.max_requests_per_second =
      absl::GetFlag(FLAGS_max_requests_per_second);
  options.conformance_fixtures = absl::GetFlag(FLAGS_conformance_fixtures);
  return options;
}

rpc::PeerTls PeerTlsFromFlags() {
  return {.certificate_file = absl::GetFlag(FLAGS_peer_cert_file),
          .key_file = absl::GetFlag(FLAGS_peer_key_file),
          .authorities_file = absl::GetFlag(FLAGS_peer_ca_file)};
}

edge::Edge::Daemons DaemonsFromFlags() {
  edge::Edge::Daemons daemons;
  daemons.sessiond =
      rpc::NewChannel(absl::GetFlag(FLAGS_sessiond), PeerTlsFromFlags());
  for (const std::string& address : absl::GetFlag(FLAGS_lspd)) {
    daemons.lspds.emplace_back(address,
                               rpc::NewChannel(address, PeerTlsFromFlags()));
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

  RETURN_IF_ERROR(rpc::CheckPeerTls(PeerTlsFromFlags()));
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
