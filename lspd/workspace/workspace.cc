// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/workspace.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

std::string ExtensionOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  const absl::string_view name =
      slash == absl::string_view::npos ? path : path.substr(slash + 1);
  // A name that only begins with a dot has no extension.
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos || dot == 0) return std::string(name);
  return absl::AsciiStrToLower(name.substr(dot));
}

}  // namespace

Workspace::Workspace(std::shared_ptr<RootDirectory> root,
                     const std::string& highest, int64_t lease_epoch,
                     Options options)
    : root_(std::move(root)),
      lease_epoch_(lease_epoch),
      proposals_(*root_, GitRepository::Find(*root_, highest),
                 std::move(options.proposals)),
      text_(*root_, proposals_, options.text),
      files_(*root_, proposals_, options.files),
      changes_(
          NewChangeCounter(*root_, proposals_, std::move(options.changes))) {}

Workspace::~Workspace() = default;

absl::StatusOr<Workspace::FileCounts> Workspace::ExtensionCounts(
    const rpc::CallContext& call) const {
  const uint64_t now = changes_->Read();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (counted_at_ == now) return counts_;
  }
  ASSIGN_OR_RETURN(const Listing listing, files_.AllFiles("", call));
  FileCounts counts;
  counts.incomplete = listing.incomplete;
  for (const std::string& file : listing.files) {
    ++counts.endings[ExtensionOf(file)];
  }
  if (listing.incomplete.empty()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    counted_at_ = now;
    counts_ = counts;
  }
  return counts;
}

std::shared_ptr<void> Workspace::StateOf(
    std::type_index type,
    const std::function<std::shared_ptr<void>()>& make) const {
  const std::lock_guard<std::mutex> lock(state_mutex_);
  std::shared_ptr<void>& state = states_[type];
  if (state == nullptr) state = make();
  return state;
}

}  // namespace banyan::lspd
