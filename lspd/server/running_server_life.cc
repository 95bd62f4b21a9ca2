// SPDX-License-Identifier: Apache-2.0
//
// How a language server begins and ends ("Server lifecycle" of LSP).
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "absl/time/clock.h"
#include "lspd/server/client_capabilities.h"
#include "lspd/server/launch.h"
#include "lspd/server/quirks.h"
#include "lspd/server/running_server.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

constexpr absl::Duration kConfigurationLimit = absl::Seconds(5);

}  // namespace

absl::Status RunningServer::Start(Guardian& guardian) {
  std::error_code error;
  std::filesystem::create_directories(
      absl::StrCat(request_.private_dir, "/cache"), error);
  if (HasQuirk(entry_, kQuirkCompileDatabase)) {
    ASSIGN_OR_RETURN(
        compile_database_,
        CopyCompileDatabase(request_.roots.front(), request_.private_dir));
    // What was learnt with other flags is of no use any more.
    absl::StrAppend(&fingerprint_, "|", compile_database_.digest);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<ChildProcess> child,
                   guardian.Spawn(SpawnRequestOf(request_, OurEnvironment())));
  pid_ = child->pid();
  JsonRpcPeer::Options options;
  options.server_name = name();
  peer_ = JsonRpcPeer::Start(std::move(child), options, Handlers());
  const absl::Status initialized = Initialize();
  if (initialized.ok()) return initialized;
  std::string message =
      absl::StrCat(name(), " did not start: ", initialized.message());
  const std::string errors = peer_->child().RecentErrors();
  if (!errors.empty()) {
    // The end says why; the beginning is often a banner.
    constexpr size_t kMost = 600;
    absl::StrAppend(
        &message, "; its last words: ",
        errors.substr(errors.size() - std::min(errors.size(), kMost)));
  }
  return rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN, message);
}

JsonRpcPeer::Handlers RunningServer::Handlers() {
  JsonRpcPeer::Handlers handlers;
  handlers.on_request = [this](const std::string& method, const json& params) {
    return dialogue_.Answer(method, params);
  };
  handlers.on_notification = [this](const std::string& method,
                                    const json& params) {
    dialogue_.Hear(method, params);
  };
  handlers.on_closed = [this](const absl::Status& reason) {
    Fail(std::string(reason.message()));
  };
  return handlers;
}

absl::Status RunningServer::Initialize() {
  rpc::CallContext call;
  call.deadline = absl::Now() + request_.start_limit;
  if (request_.is_unwanted) call.is_cancelled = request_.is_unwanted;
  const json options = ToJson(entry_.initialization_options(),
                              VariablesOf(request_, request_.roots.front()));
  ASSIGN_OR_RETURN(
      const json result,
      peer_->Request("initialize",
                     InitializeParams(request_.roots, options, getpid()),
                     call));
  dialogue_.OnInitialized(result);
  RETURN_IF_ERROR(peer_->Notify("initialized", json::object()));
  const json settings = SettingsOf(request_.roots.front());
  if (!settings.empty()) {
    RETURN_IF_ERROR(peer_->Notify("workspace/didChangeConfiguration",
                                  {{"settings", settings}}));
  }
  if (HasQuirk(entry_, kQuirkAsksConfigurationFirst)) {
    dialogue_.WaitForConfiguration(kConfigurationLimit);
  }
  return absl::OkStatus();
}

void RunningServer::Fail(const std::string& why) {
  std::function<void(const std::string&)> tell;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (death_.has_value()) return;
    death_ = why;
    if (!is_stopping_) tell = std::exchange(on_death_, nullptr);
  }
  dialogue_.End(
      rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN,
                 absl::StrCat(why, "; ask again, a new one will be started")));
  if (tell) tell(why);
}

void RunningServer::OnDeath(
    std::function<void(const std::string& why)> callback) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!death_.has_value()) {
    on_death_ = std::move(callback);
    return;
  }
  const std::string why = *death_;
  const bool is_stopping = is_stopping_;
  lock.unlock();
  if (!is_stopping) callback(why);
}

void RunningServer::Stop(absl::Duration limit) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
  }
  ChildProcess& child = peer_->child();
  if (peer_->IsOpen()) {
    rpc::CallContext call;
    call.deadline = absl::Now() + limit / 2;
    peer_->Request("shutdown", json(nullptr), call).IgnoreError();
    peer_->Notify("exit", json(nullptr)).IgnoreError();
    peer_->CloseInput();
    child.exit().WaitFor(limit / 4);
  }
  if (child.IsRunning()) {
    child.Kill(SIGTERM).IgnoreError();
    child.exit().WaitFor(limit / 4);
  }
  // Also for what a server that has ended left behind.
  child.Kill(SIGKILL).IgnoreError();
  child.exit().WaitFor(absl::Seconds(5));
  peer_->Close(absl::StrCat(name(), " was stopped"));
}

}  // namespace banyan::lspd
