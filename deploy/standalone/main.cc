// SPDX-License-Identifier: Apache-2.0
//
// banyan: edge, sessiond and lspd in one process, for a single machine. They
// speak the same contracts as the three programs, over in-process channels.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "deploy/standalone/token_command.h"
#include "edge/edge.h"
#include "lspd/lspd.h"
#include "proto/rpc/daemon.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/grpc_server.h"
#include "proto/rpc/metrics_server.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/projects/project_registry.h"
#include "sessiond/sessiond.h"

ABSL_FLAG(std::string, listen, "127.0.0.1:8420", "Address to serve MCP on.");
ABSL_FLAG(std::string, admin_listen, "127.0.0.1:8421",
          "Address of the overview and the statistics.");
ABSL_FLAG(std::string, metrics_listen, "127.0.0.1:8422",
          "Address for /metrics, /livez and /readyz.");
ABSL_FLAG(std::vector<std::string>, projects, {},
          "Projects as name=DIR or DIR, separated by commas.");
ABSL_FLAG(std::string, projects_file, "",
          "The operator's projects as JSON; see projects.proto.");
ABSL_FLAG(std::vector<std::string>, workspaces_root, {},
          "Folders below which projects may be opened by path; by default the "
          "projects' own.");
ABSL_FLAG(std::string, store, "sqlite:",
          "Where records are: sqlite:PATH (sqlite: alone is sessions.db in "
          "--data_dir) or memory:.");
ABSL_FLAG(std::string, data_dir, "",
          "Folder for keys, records and caches; by default "
          "$XDG_STATE_HOME/banyan.");
ABSL_FLAG(std::string, catalog, "",
          "The language servers, as JSON; by default server_catalog.json of "
          "this build or installation.");
ABSL_FLAG(std::string, tools_dir, "",
          "Where language servers are looked for before PATH: its bin/ and "
          "node_modules/.bin/.");
ABSL_FLAG(std::vector<std::string>, allowed_hosts, {},
          "Names that clients may use in Host beside the loopback ones.");
ABSL_FLAG(std::vector<std::string>, allowed_origins, {},
          "Web origins that may call, whole: https://inspector.example.com.");
ABSL_FLAG(std::string, tokens_file, "",
          "Who may call: a file that `banyan token` makes. Without it and "
          "--jwt_issuer only this user, on loopback.");
ABSL_FLAG(std::string, subject, "", "token create: whose token it is.");
ABSL_FLAG(std::vector<std::string>, scopes,
          std::vector<std::string>({"code:read", "code:write"}),
          "token create: of code:read, code:write, admin.");
ABSL_FLAG(std::vector<std::string>, allowed_roots, {},
          "token create: folders that it may use; by default all that are "
          "registered.");
ABSL_FLAG(absl::Duration, expires_in, absl::InfiniteDuration(),
          "token create: how long it is good, such as 2160h.");
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
ABSL_FLAG(int64_t, memory_budget_mb, 8192,
          "Of all language servers together; past it idle ones end.");
ABSL_FLAG(absl::Duration, idle_life, absl::Minutes(30),
          "A language server ends this long after its last use.");
ABSL_FLAG(std::string, log_format, "text", "text or json.");
ABSL_FLAG(absl::Duration, drain_limit, absl::Seconds(10),
          "How long running calls may take after a stop signal.");
ABSL_FLAG(bool, check_health, false,
          "Ask the program that serves --metrics_listen whether it is ready; "
          "exit 0 or 1.");

namespace banyan {
namespace {

constexpr char kUsage[] =
    "banyan serve [flags]\n"
    "  Serves code intelligence over MCP to any number of agents.\n"
    "  banyan serve --projects=backend=/src/backend,web=/src/web\n"
    "banyan token create --tokens_file=FILE --subject=ana "
    "[--scopes=code:read]\n"
    "banyan token list --tokens_file=FILE\n"
    "banyan token revoke ID --tokens_file=FILE\n"
    "  Makes, shows and ends the tokens of `banyan serve --tokens_file=FILE`, "
    "which looks at the file by itself.\n"
    "  banyan --help lists the flags; BANYAN_<FLAG> in the environment "
    "sets them too.";

// What the one lspd of this process is called.
constexpr char kLspd[] = "in-process";

// On one machine a project that is not there is a mistake of the flags.
absl::Status CheckFolders(const sessiond::ProjectRegistry& projects) {
  for (const sessiond::Project& project : projects.List({})) {
    std::error_code error;
    if (!std::filesystem::is_directory(project.root, error)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the project ", project.name, " has no folder: ", project.root,
          " does not exist or is no folder"));
    }
  }
  return absl::OkStatus();
}

sessiond::Sessiond::Options SessiondOptions(
    const std::string& data_dir,
    const std::shared_ptr<prometheus::Registry>& metrics) {
  sessiond::Sessiond::Options options;
  options.store = absl::GetFlag(FLAGS_store);
  options.data_dir = data_dir;
  options.projects = absl::GetFlag(FLAGS_projects);
  options.projects_file = absl::GetFlag(FLAGS_projects_file);
  options.workspaces_roots = absl::GetFlag(FLAGS_workspaces_root);
  options.metrics = metrics;
  return options;
}

lspd::Lspd::Options LspdOptions(const std::string& data_dir,
                                const sessiond::ProjectRegistry& projects) {
  lspd::Lspd::Options options;
  options.name = kLspd;
  options.address = kLspd;
  options.workspaces_roots = projects.OpenableRoots();
  options.catalog = absl::GetFlag(FLAGS_catalog).empty()
                        ? rpc::SharedFile("server_catalog.json")
                        : absl::GetFlag(FLAGS_catalog);
  options.tools_dir = absl::GetFlag(FLAGS_tools_dir);
  options.data_dir = absl::StrCat(data_dir, "/lspd");
  options.memory_budget_bytes = absl::GetFlag(FLAGS_memory_budget_mb) << 20;
  options.idle_life = absl::GetFlag(FLAGS_idle_life);
  return options;
}

edge::Edge::Options EdgeOptions() {
  edge::Edge::Options options;
  options.listen = absl::GetFlag(FLAGS_listen);
  options.admin_listen = absl::GetFlag(FLAGS_admin_listen);
  options.allowed_hosts = absl::GetFlag(FLAGS_allowed_hosts);
  options.allowed_origins = absl::GetFlag(FLAGS_allowed_origins);
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

absl::Status Serve() {
  if (absl::GetFlag(FLAGS_check_health)) {
    return rpc::CheckReadiness(absl::GetFlag(FLAGS_metrics_listen));
  }
  ASSIGN_OR_RETURN(const rpc::LogFormat log_format,
                   rpc::ParseLogFormat(absl::GetFlag(FLAGS_log_format)));
  rpc::InitLogging(log_format, rpc::LogLevel::kInfo, "banyan");
  rpc::PrepareProcess();
  const std::string data_dir_flag = absl::GetFlag(FLAGS_data_dir);
  ASSIGN_OR_RETURN(
      const rpc::DataDir data_dir,
      rpc::DataDir::Lock(data_dir_flag.empty() ? rpc::DefaultDataDir()
                                               : data_dir_flag));
  const auto registry = rpc::NewMetricsRegistry("banyan");

  ASSIGN_OR_RETURN(
      const auto sessiond,
      sessiond::Sessiond::Create(SessiondOptions(data_dir.path(), registry)));
  RETURN_IF_ERROR(CheckFolders(sessiond->projects()));
  rpc::GrpcServer sessiond_server({});
  RETURN_IF_ERROR(sessiond_server.Start(sessiond->services()));

  ASSIGN_OR_RETURN(
      const auto lspd,
      lspd::Lspd::Start(LspdOptions(data_dir.path(), sessiond->projects()),
                        sessiond_server.InProcessChannel(), *registry));
  rpc::GrpcServer lspd_server({});
  RETURN_IF_ERROR(lspd_server.Start(lspd->services()));

  ASSIGN_OR_RETURN(
      const auto edge,
      edge::Edge::Start(EdgeOptions(),
                        {.sessiond = sessiond_server.InProcessChannel(),
                         .lspds = {{kLspd, lspd_server.InProcessChannel()}},
                         .are_in_process = true},
                        *registry));
  ASSIGN_OR_RETURN(const auto metrics,
                   rpc::MetricsServer::Start(
                       absl::GetFlag(FLAGS_metrics_listen), registry,
                       [&] { return edge->is_ready() && lspd->is_ready(); }));
  const std::string listen = absl::GetFlag(FLAGS_listen);
  rpc::Log({.event = "serving",
            .message =
                absl::StrCat("[Banyan] Serving MCP on http://", listen, "/mcp"),
            .fields = {{"listen", listen}, {"data_dir", data_dir.path()}}});

  rpc::WaitForStopSignal();
  const absl::Duration drain_limit = absl::GetFlag(FLAGS_drain_limit);
  edge->Stop(drain_limit);
  lspd->Stop();
  lspd_server.Drain(drain_limit);
  sessiond->EndStreams();
  sessiond_server.Drain(drain_limit);
  return absl::OkStatus();
}

}  // namespace
}  // namespace banyan

int main(int argc, char** argv) {
  const auto words = banyan::rpc::ParseFlags(argc, argv, banyan::kUsage);
  if (!words.ok()) return banyan::rpc::ExitCode(words.status());
  if (*words == std::vector<std::string>{"serve"}) {
    return banyan::rpc::ExitCode(banyan::Serve());
  }
  if (!words->empty() && words->front() == "token") {
    banyan::standalone::TokenCommand command;
    command.words.assign(words->begin() + 1, words->end());
    command.tokens_file = absl::GetFlag(FLAGS_tokens_file);
    command.subject = absl::GetFlag(FLAGS_subject);
    command.scopes = absl::GetFlag(FLAGS_scopes);
    command.allowed_roots = absl::GetFlag(FLAGS_allowed_roots);
    command.expires_in = absl::GetFlag(FLAGS_expires_in);
    const auto answer = banyan::standalone::RunTokenCommand(command);
    if (answer.ok()) std::fputs(answer->c_str(), stdout);
    return banyan::rpc::ExitCode(answer.status());
  }
  std::fprintf(stderr, "%s\n", banyan::kUsage);
  return 2;
}
