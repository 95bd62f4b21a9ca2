// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/metrics_server.h"

#include <CivetServer.h>
#include <prometheus/collectable.h>
#include <prometheus/gauge.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "proto/rpc/daemon.h"

namespace banyan::rpc {
namespace {

// The process_* metrics that Prometheus clients export by convention.
class ProcessMetrics : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> families;
    std::string line;
    std::ifstream stat("/proc/self/stat");
    std::getline(stat, line);
    // The command name may hold blanks; fields count from behind it.
    const size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) return families;
    const std::vector<std::string> fields =
        absl::StrSplit(line.substr(name_end + 2), ' ');
    if (fields.size() < 22) return families;
    const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    const double page = static_cast<double>(sysconf(_SC_PAGESIZE));
    Add(&families, "process_cpu_seconds_total", prometheus::MetricType::Counter,
        (std::stod(fields[11]) + std::stod(fields[12])) / ticks);
    Add(&families, "process_threads", prometheus::MetricType::Gauge,
        std::stod(fields[17]));
    Add(&families, "process_virtual_memory_bytes",
        prometheus::MetricType::Gauge, std::stod(fields[20]));
    Add(&families, "process_resident_memory_bytes",
        prometheus::MetricType::Gauge, std::stod(fields[21]) * page);
    return families;
  }

 private:
  static void Add(std::vector<prometheus::MetricFamily>* families,
                  const std::string& name, prometheus::MetricType type,
                  double value) {
    prometheus::ClientMetric metric;
    if (type == prometheus::MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
    families->push_back({name, "As seen in /proc/self/stat.", type, {metric}});
  }
};

class MetricsRegistry : public prometheus::Registry {
 public:
  explicit MetricsRegistry(const std::string& service) {
    prometheus::BuildGauge()
        .Name("banyan_build_info")
        .Help("1; what runs stands in the labels.")
        .Register(*this)
        .Add({{"version", kProgramVersion}, {"service", service}})
        .Set(1);
  }

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> families =
        prometheus::Registry::Collect();
    for (prometheus::MetricFamily& family : process_.Collect()) {
      families.push_back(std::move(family));
    }
    return families;
  }

 private:
  ProcessMetrics process_;
};

void Answer(mg_connection* connection, int status, const char* type,
            const std::string& body) {
  mg_printf(connection,
            "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
            "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
            status, mg_get_response_code_text(connection, status), type,
            body.size());
  mg_write(connection, body.data(), body.size());
}

// Civetweb's "^" of a plain uri is a prefix, so the path is compared here.
class Page : public CivetHandler {
 public:
  using Writer = std::function<void(mg_connection*)>;

  Page(std::string path, Writer write)
      : path_(std::move(path)), write_(std::move(write)) {}

  bool handleGet(CivetServer* /*server*/, mg_connection* connection) override {
    const mg_request_info* request = mg_get_request_info(connection);
    if (path_ != request->local_uri) return false;
    write_(connection);
    return true;
  }

 private:
  std::string path_;
  Writer write_;
};

// Where a listener on `listen` can be reached from this machine.
std::string LocalHostOf(absl::string_view listen) {
  const std::string host(listen.substr(0, listen.rfind(':')));
  if (host == "0.0.0.0" || host == listen) return "127.0.0.1";
  return host == "[::]" ? "[::1]" : host;
}

class CivetMetricsServer final : public MetricsServer {
 public:
  CivetMetricsServer(const std::string& listen,
                     const std::vector<std::string>& options,
                     std::shared_ptr<prometheus::Registry> registry,
                     std::function<bool()> is_ready)
      : host_(LocalHostOf(listen)),
        registry_(std::move(registry)),
        is_ready_(std::move(is_ready)),
        metrics_("/metrics",
                 [this](mg_connection* connection) {
                   Answer(connection, 200, "text/plain; version=0.0.4",
                          prometheus::TextSerializer().Serialize(
                              registry_->Collect()));
                 }),
        live_("/livez",
              [](mg_connection* connection) {
                Answer(connection, 200, "text/plain", "ok\n");
              }),
        ready_("/readyz",
               [this](mg_connection* connection) {
                 const bool is_ready_now = is_ready_();
                 Answer(connection, is_ready_now ? 200 : 503, "text/plain",
                        is_ready_now ? "ok\n" : "not ready\n");
               }),
        server_(options) {
    server_.addHandler("/metrics", metrics_);
    server_.addHandler("/livez", live_);
    server_.addHandler("/readyz", ready_);
  }

  // Civetweb's accepting thread sees that it is to end when somebody knocks,
  // else only every two seconds.
  ~CivetMetricsServer() override {
    std::atomic<bool> is_closed = false;
    std::thread knocking([this, &is_closed, port = port()] {
      while (!is_closed) {
        std::array<char, 256> error{};
        mg_connection* const connection = mg_connect_client(
            host_.c_str(), port, 0, error.data(), error.size());
        if (connection != nullptr) mg_close_connection(connection);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    server_.close();
    is_closed = true;
    knocking.join();
  }

  int port() const override {
    const std::vector<int> ports =
        const_cast<CivetServer&>(server_).getListeningPorts();
    return ports.empty() ? 0 : ports[0];
  }

 private:
  const std::string host_;
  std::shared_ptr<prometheus::Registry> registry_;
  std::function<bool()> is_ready_;
  Page metrics_;
  Page live_;
  Page ready_;
  CivetServer server_;  // Last: its threads end before what they use.
};

}  // namespace

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Start(
    const std::string& listen, std::shared_ptr<prometheus::Registry> registry,
    std::function<bool()> is_ready) {
  const std::vector<std::string> options = {"listening_ports",
                                            listen,
                                            "num_threads",
                                            "2",
                                            "request_timeout_ms",
                                            "5000",
                                            "enable_directory_listing",
                                            "no"};
  std::unique_ptr<CivetMetricsServer> server;
  try {  // Civetweb's C++ face reports a failed start only so.
    server = std::make_unique<CivetMetricsServer>(
        listen, options, std::move(registry), std::move(is_ready));
  } catch (const CivetException& exception) {
    return absl::UnavailableError(absl::StrCat("cannot serve metrics on ",
                                               listen, ": ", exception.what(),
                                               "; pass --metrics_listen"));
  }
  return server;
}

absl::Status CheckReadiness(const std::string& address) {
  const size_t colon = address.rfind(':');
  int port = 0;
  if (colon == std::string::npos ||
      !absl::SimpleAtoi(address.substr(colon + 1), &port)) {
    return absl::InvalidArgumentError(
        absl::StrCat("not an address: ", address));
  }
  const std::string host = colon == 0 ? "127.0.0.1" : address.substr(0, colon);
  std::array<char, 256> error{};
  mg_connection* connection =
      mg_download(host.c_str(), port, 0, error.data(), error.size(), "%s",
                  "GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n");
  if (connection == nullptr) {
    return absl::UnavailableError(absl::StrCat(address, ": ", error.data()));
  }
  const int status = mg_get_response_info(connection)->status_code;
  mg_close_connection(connection);
  return status == 200
             ? absl::OkStatus()
             : absl::UnavailableError(absl::StrCat("not ready: ", status));
}

std::shared_ptr<prometheus::Registry> NewMetricsRegistry(
    const std::string& service) {
  return std::make_shared<MetricsRegistry>(service);
}

}  // namespace banyan::rpc
