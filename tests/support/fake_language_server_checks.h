// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_FAKE_LANGUAGE_SERVER_CHECKS_H_
#define TESTS_SUPPORT_FAKE_LANGUAGE_SERVER_CHECKS_H_

#include <chrono>
#include <map>
#include <set>
#include <string>

#include "nlohmann/json.hpp"

namespace banyan::fake_server {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

// Watches all that passes between a client and the fake server and writes what
// breaks the protocol to a file, one line each: what real servers tolerate
// until the one strict server comes along.
class ClientChecks {
 public:
  // Nothing is written while not `is_strict`; documents are followed always.
  ClientChecks(bool is_strict, std::string report)
      : is_strict_(is_strict), report_(std::move(report)) {}

  void OnClientMessage(const Json& message);
  void OnServerRequest(const Json& id, const std::string& method,
                       const Json& params);
  void OnInitializeAnswered() { initialize_answered_ = true; }
  void OnEnd();

  bool IsOpen(const std::string& uri) const {
    return versions_.count(uri) != 0;
  }
  bool IsShutDown() const { return is_shut_down_; }

  void Report(const std::string& violation) const;

 private:
  struct ServerRequest {
    std::string method;
    size_t items = 0;  // Of workspace/configuration.
    Clock::time_point asked;
  };

  void OnAnswer(const Json& message);
  void CheckRequest(const Json& message, const std::string& method);
  void CheckOrder(const std::string& method, bool is_request);
  void CheckNotification(const std::string& method, const Json& params);
  void CheckOpen(const Json& document);
  void CheckChange(const Json& params);
  void CheckFolders(const Json& event);
  void CheckPosition(const std::string& method, const Json& params);

  const bool is_strict_;
  const std::string report_;

  bool initialize_asked_ = false;
  bool initialize_answered_ = false;
  bool is_initialized_ = false;
  bool is_shut_down_ = false;
  std::set<Json> ids_;
  std::map<Json, ServerRequest> server_requests_;
  std::map<std::string, int64_t> versions_;  // Of the open documents.
  std::set<std::string> folders_;
};

}  // namespace banyan::fake_server

#endif  // TESTS_SUPPORT_FAKE_LANGUAGE_SERVER_CHECKS_H_
