// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/readiness.h"

#include <re2/re2.h>

#include "absl/strings/str_cat.h"

namespace banyan::lspd {
namespace {

// One piece of work ends and the next begins a moment later: an end counts
// only when nothing follows for this long.
constexpr absl::Duration kSettle = absl::Milliseconds(150);

re2::StringPiece ToPiece(absl::string_view text) {
  return re2::StringPiece(text.data(), text.size());
}

}  // namespace

Readiness::Readiness(const lsp::v1::Readiness& rule, absl::Time start)
    : rule_(rule),
      pattern_(std::make_unique<re2::RE2>(rule.pattern(), re2::RE2::Quiet)),
      armed_at_(start) {}

Readiness::~Readiness() = default;

void Readiness::Arm(absl::Time now) {
  armed_at_ = now;
  has_progressed_ = !running_.empty();
  canary_holds_ = false;
}

void Readiness::OnProgress(absl::string_view token, ProgressKind kind,
                           absl::string_view title, absl::Time now) {
  const std::string key(token);
  if (kind == ProgressKind::kEnd) {
    if (running_.erase(key) > 0) quiet_since_ = now;
    return;
  }
  // A report whose begin was lost can be known by its token alone.
  if (running_.count(key) == 0 && !Matches(title) && !Matches(token)) return;
  running_.insert(key);
  has_progressed_ = true;
}

void Readiness::OnLogMessage(absl::string_view text, absl::Time now) {
  if (rule_.kind() != lsp::v1::READINESS_KIND_LOG_MESSAGE) return;
  if (lines_wanted_ == 0 || !Matches(text)) return;
  --lines_wanted_;
  quiet_since_ = now;
}

void Readiness::OnServerStatus(bool is_quiescent, absl::Time now) {
  if (is_quiescent && !is_quiescent_) quiet_since_ = now;
  has_status_ = true;
  is_quiescent_ = is_quiescent;
}

void Readiness::OnDocumentOpened(absl::Time now) {
  if (has_document_) return;
  has_document_ = true;
  if (rule_.needs_open_file()) Arm(now);
}

void Readiness::OnFolderAdded(absl::Time now) {
  Arm(now);
  has_status_ = has_status_ && !is_quiescent_;
  ++lines_wanted_;
}

void Readiness::OnCanary(bool is_right) { canary_holds_ = is_right; }

bool Readiness::WaitsForDocument() const {
  return rule_.needs_open_file() && !has_document_;
}

bool Readiness::Matches(absl::string_view text) const {
  return re2::RE2::PartialMatch(ToPiece(text), *pattern_);
}

ReadinessState Readiness::At(absl::Time now) const {
  if (rule_.kind() == lsp::v1::READINESS_KIND_IMMEDIATE) {
    return ReadinessState::kReady;
  }
  if (WaitsForDocument()) return ReadinessState::kIndexing;
  const bool is_settled = now >= quiet_since_ + kSettle;
  switch (rule_.kind()) {
    case lsp::v1::READINESS_KIND_PROGRESS:
      return ByProgress(now);
    case lsp::v1::READINESS_KIND_LOG_MESSAGE:
      if (lines_wanted_ > 0) return Unsignalled(now);
      return is_settled ? ReadinessState::kReady : ReadinessState::kIndexing;
    case lsp::v1::READINESS_KIND_SERVER_STATUS:
      if (!has_status_) return Unsignalled(now);
      return is_quiescent_ && is_settled ? ReadinessState::kReady
                                         : ReadinessState::kIndexing;
    default:
      return Unsignalled(now);
  }
}

ReadinessState Readiness::ByProgress(absl::Time now) const {
  if (!running_.empty()) return ReadinessState::kIndexing;
  if (!has_progressed_) return Unsignalled(now);
  return now >= quiet_since_ + kSettle ? ReadinessState::kReady
                                       : ReadinessState::kIndexing;
}

ReadinessState Readiness::Unsignalled(absl::Time now) const {
  if (canary_holds_) return ReadinessState::kReady;
  return now < armed_at_ + absl::Milliseconds(rule_.grace_ms())
             ? ReadinessState::kIndexing
             : ReadinessState::kUnknown;
}

absl::Time Readiness::NextChange(absl::Time now) const {
  absl::Time next = absl::InfiniteFuture();
  for (const absl::Time time :
       {quiet_since_ + kSettle,
        armed_at_ + absl::Milliseconds(rule_.grace_ms())}) {
    if (time > now && time < next) next = time;
  }
  return next;
}

}  // namespace banyan::lspd
