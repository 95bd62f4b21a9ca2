// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/server_starter.h"

#include <utility>

namespace banyan::lspd {
namespace {

class ProcessStarter : public ServerStarter {
 public:
  explicit ProcessStarter(Guardian& guardian) : guardian_(guardian) {}

  absl::StatusOr<std::unique_ptr<LanguageServer>> Start(
      LaunchRequest request) override {
    return StartLanguageServer(guardian_, std::move(request));
  }

 private:
  Guardian& guardian_;
};

}  // namespace

std::unique_ptr<ServerStarter> NewProcessStarter(Guardian& guardian) {
  return std::make_unique<ProcessStarter>(guardian);
}

}  // namespace banyan::lspd
