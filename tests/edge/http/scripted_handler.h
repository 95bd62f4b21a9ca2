// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_EDGE_HTTP_SCRIPTED_HANDLER_H_
#define TESTS_EDGE_HTTP_SCRIPTED_HANDLER_H_

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "edge/http/http_server.h"

namespace banyan::edge {

// Answers every request by a function, "METHOD path body" as it stands, and
// remembers what it was asked.
class ScriptedHandler : public HttpHandler {
 public:
  using Script = std::function<HttpResponse(HttpExchange&)>;

  Admission Admit(const HttpRequest& head, PeerConnection&) override {
    if (head.path != "/refused") return {};
    return {.answer = HttpResponse{.status = 403}};
  }
  HttpHeaders CommonHeaders(const HttpRequest&) override {
    return {{"X-Common", "yes"}};
  }
  HttpResponse Handle(HttpExchange& exchange) override {
    const HttpRequest& request = exchange.request;
    const std::string text =
        absl::StrCat(request.method, " ", request.path, " ", request.body);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      requests_.push_back(request);
    }
    const auto script = scripts.find(request.path);
    return script == scripts.end() ? HttpResponse{.body = text}
                                   : script->second(exchange);
  }

  std::vector<HttpRequest> requests() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return requests_;
  }

  std::map<std::string, Script> scripts;  // By path; set before the first call.

 private:
  std::mutex mutex_;
  std::vector<HttpRequest> requests_;  // Guarded by mutex_.
};

// A listening server on a port of its own with a ScriptedHandler behind it.
class TestServer {
 public:
  explicit TestServer(
      HttpServer::Options options = {},
      std::map<std::string, ScriptedHandler::Script> scripts = {})
      : metrics_(registry_) {
    options.listen = "127.0.0.1:0";
    handler_.scripts = std::move(scripts);
    server_ = *HttpServer::Listen(std::move(options), metrics_);
    server_->Serve(handler_);
  }

  int port() const { return server_->port(); }
  HttpServer& server() { return *server_; }
  ScriptedHandler& handler() { return handler_; }

  // The registry holds this line: `name{label="x"} 1`.
  bool HasMetric(absl::string_view line) {
    return absl::StrContains(
        prometheus::TextSerializer().Serialize(registry_.Collect()), line);
  }

 private:
  prometheus::Registry registry_;
  HttpMetrics metrics_;
  ScriptedHandler handler_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace banyan::edge

#endif  // TESTS_EDGE_HTTP_SCRIPTED_HANDLER_H_
