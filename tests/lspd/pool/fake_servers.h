// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_LSPD_POOL_FAKE_SERVERS_H_
#define TESTS_LSPD_POOL_FAKE_SERVERS_H_

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lspd/pool/server_starter.h"
#include "proto/rpc/error_reason.h"

namespace banyan::lspd {

// What a test sees of a fake server, and does to it. Thread-safe.
class FakeServerLife {
 public:
  explicit FakeServerLife(LaunchRequest request)
      : launch(std::move(request)),
        roots_(launch.roots.begin(), launch.roots.end()) {}

  void Die() {
    std::function<void(const std::string&)> tell;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      is_alive_ = false;
      tell = std::exchange(on_death_, nullptr);
    }
    if (tell) tell("it died");
  }
  // While it may not, Stop() blocks.
  void AllowStop(bool may_stop) {
    std::lock_guard<std::mutex> lock(mutex_);
    may_stop_ = may_stop;
    changed_.notify_all();
  }
  void SetInFlight(int64_t count) {
    std::lock_guard<std::mutex> lock(mutex_);
    in_flight_ = count;
  }
  bool is_alive() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return is_alive_;
  }
  bool is_watched() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return on_death_ != nullptr;
  }
  std::set<std::string> roots() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return roots_;
  }

  const LaunchRequest launch;

 private:
  friend class FakeServer;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> roots_;
  bool is_alive_ = true;
  bool may_stop_ = true;
  int64_t in_flight_ = 0;
  std::function<void(const std::string&)> on_death_;
};

// A language server without a process.
class FakeServer : public LanguageServer {
 public:
  FakeServer(std::shared_ptr<FakeServerLife> life, pid_t pid)
      : life_(std::move(life)), pid_(pid), documents_({}) {}

  absl::StatusOr<nlohmann::json> Request(absl::string_view,
                                         const nlohmann::json&,
                                         const rpc::CallContext&) override {
    return nlohmann::json();
  }
  absl::Status Notify(absl::string_view, const nlohmann::json&) override {
    return absl::OkStatus();
  }
  bool Supports(absl::string_view) const override { return true; }
  PositionEncoding encoding() const override { return PositionEncoding::kUtf8; }
  OpenDocuments& documents() override { return documents_; }
  ReadinessState readiness() const override { return ReadinessState::kReady; }
  absl::StatusOr<ReadinessState> WaitUntilReady(
      const rpc::CallContext&) override {
    return ReadinessState::kReady;
  }
  void ReportCanary(bool) override {}
  std::optional<std::string> SeedFile() const override { return std::nullopt; }
  std::vector<lsp::v1::Incompleteness> Caveats() const override { return {}; }
  bool IsOutdated() const override { return false; }
  absl::StatusOr<std::vector<LspDiagnostic>> Diagnostics(
      const DocumentPin&, const rpc::CallContext&) override {
    return std::vector<LspDiagnostic>();
  }
  const ServerEntry& entry() const override {
    return *life_->launch.installed.entry;
  }
  std::string name() const override { return entry().id(); }
  const std::string& fingerprint() const override { return fingerprint_; }
  pid_t pid() const override { return pid_; }
  bool is_alive() const override { return life_->is_alive(); }
  absl::Status AddRoot(const std::string& root) override {
    std::lock_guard<std::mutex> lock(life_->mutex_);
    life_->roots_.insert(root);
    return absl::OkStatus();
  }
  absl::Status RemoveRoot(const std::string& root) override {
    std::lock_guard<std::mutex> lock(life_->mutex_);
    life_->roots_.erase(root);
    return absl::OkStatus();
  }
  int64_t in_flight() const override {
    std::lock_guard<std::mutex> lock(life_->mutex_);
    return life_->in_flight_;
  }
  void Stop(absl::Duration) override {
    std::unique_lock<std::mutex> lock(life_->mutex_);
    life_->changed_.wait(lock, [this] { return life_->may_stop_; });
    life_->is_alive_ = false;
    life_->on_death_ = nullptr;
  }
  void OnDeath(std::function<void(const std::string& why)> callback) override {
    std::lock_guard<std::mutex> lock(life_->mutex_);
    life_->on_death_ = std::move(callback);
  }

 private:
  const std::shared_ptr<FakeServerLife> life_;
  const std::string fingerprint_ = "fake";
  const pid_t pid_;
  OpenDocuments documents_;
};

// Starts fake servers, and lets a test hold the starts up or fail them.
// Thread-safe.
class StartBook {
 public:
  void Block(bool is_blocked) {
    std::lock_guard<std::mutex> lock(mutex_);
    is_blocked_ = is_blocked;
    changed_.notify_all();
  }
  void FailNext(int count) {
    std::lock_guard<std::mutex> lock(mutex_);
    failures_left_ = count;
  }
  int begun() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return begun_;
  }
  // In order of their starts.
  std::vector<std::shared_ptr<FakeServerLife>> servers() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return servers_;
  }
  // The most that lived at once with one private folder.
  int most_at_once() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return most_at_once_;
  }

  absl::StatusOr<std::unique_ptr<LanguageServer>> Start(LaunchRequest request) {
    std::unique_lock<std::mutex> lock(mutex_);
    const pid_t pid = 1000 + ++begun_;
    changed_.wait(lock, [this] { return !is_blocked_; });
    if (failures_left_ > 0) {
      --failures_left_;
      return rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN, "it does not start");
    }
    int alive = 1;
    for (const auto& server : servers_) {
      if (server->launch.private_dir == request.private_dir &&
          server->is_alive()) {
        ++alive;
      }
    }
    most_at_once_ = std::max(most_at_once_, alive);
    servers_.push_back(std::make_shared<FakeServerLife>(std::move(request)));
    return std::make_unique<FakeServer>(servers_.back(), pid);
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_blocked_ = false;
  int failures_left_ = 0;
  int begun_ = 0;
  int most_at_once_ = 0;
  std::vector<std::shared_ptr<FakeServerLife>> servers_;
};

// The pool owns its starter; the book stays with the test.
class FakeStarter : public ServerStarter {
 public:
  explicit FakeStarter(StartBook& book) : book_(book) {}
  absl::StatusOr<std::unique_ptr<LanguageServer>> Start(
      LaunchRequest request) override {
    return book_.Start(std::move(request));
  }

 private:
  StartBook& book_;
};

}  // namespace banyan::lspd

#endif  // TESTS_LSPD_POOL_FAKE_SERVERS_H_
