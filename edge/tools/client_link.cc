// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/client_link.h"

#include "proto/rpc/error_reason.h"

namespace banyan::edge {
namespace {

class AbsentClient final : public ClientLink {
 public:
  bool WantsProgress() const override { return false; }
  void ReportProgress(double, std::optional<double>,
                      absl::string_view) override {}
  void Log(absl::string_view, absl::string_view,
           const nlohmann::json&) override {}
  bool CanAnswer(QuestionKind) const override { return false; }
  absl::StatusOr<nlohmann::json> Ask(const std::vector<Question>&) override {
    return rpc::Error(rpc::v1::ERROR_REASON_UNSUPPORTED,
                      "Nobody can be asked in this call.");
  }
  void LetClientPoll() override {}
};

}  // namespace

absl::string_view MethodOf(QuestionKind kind) {
  switch (kind) {
    case QuestionKind::kElicitation:
      return "elicitation/create";
    case QuestionKind::kSampling:
      return "sampling/createMessage";
    case QuestionKind::kRoots:
      return "roots/list";
  }
  return "";
}

ClientLink& NoClient() {
  static auto* const kClient = new AbsentClient();
  return *kClient;
}

}  // namespace banyan::edge
