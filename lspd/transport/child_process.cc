// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/child_process.h"

#include <signal.h>
#include <string.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"

namespace banyan::lspd {

std::string ExitStatus::ToString() const {
  switch (kind) {
    case Kind::kExited:
      return absl::StrCat("exited with code ", value);
    case Kind::kSignaled: {
      const char* name = ::sigdescr_np(value);
      return absl::StrCat("was killed by signal ", value, " (",
                          name != nullptr ? name : "unknown", ")");
    }
    case Kind::kLost:
      break;
  }
  return "ended together with the guardian process";
}

void ExitNotice::Subscribe(std::function<void(const ExitStatus&)> callback) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!status_.has_value()) {
    callbacks_.push_back(std::move(callback));
    return;
  }
  const ExitStatus status = *status_;
  lock.unlock();
  callback(status);
}

bool ExitNotice::WaitFor(absl::Duration timeout) const {
  std::unique_lock<std::mutex> lock(mutex_);
  return ended_.wait_for(lock, absl::ToChronoMilliseconds(timeout),
                         [this] { return status_.has_value(); });
}

std::optional<ExitStatus> ExitNotice::status() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return status_;
}

void ExitNotice::Set(const ExitStatus& status) {
  std::vector<std::function<void(const ExitStatus&)>> callbacks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (status_.has_value()) return;
    status_ = status;
    callbacks.swap(callbacks_);
  }
  ended_.notify_all();
  for (const auto& callback : callbacks) callback(status);
}

ChildProcess::~ChildProcess() {
  if (IsRunning()) Kill(SIGKILL).IgnoreError();
}

absl::Status ChildProcess::Kill(int signal) {
  if (!IsRunning()) return absl::OkStatus();
  return parts_.kill(signal);
}

}  // namespace banyan::lspd
