// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/progress_watch.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace banyan::edge {
namespace {

constexpr absl::Duration kPause = absl::Seconds(1);
constexpr char kUnknown[] = "working";

}  // namespace

std::string DescribeProgress(const lsp::v1::GetProgressResponse& progress) {
  std::vector<std::string> parts;
  for (const lsp::v1::ServerProgress& server : progress.servers()) {
    parts.push_back(server.is_starting()
                        ? absl::StrCat(server.server(), " is starting")
                        : absl::StrCat(server.server(), ": ", server.work()));
  }
  return parts.empty() ? kUnknown : absl::StrJoin(parts, "; ");
}

void ProgressWatch::Look(absl::Time now) {
  if (now < last_ + kPause) return;
  last_ = now;
  const auto progress = ask_();
  tell_(progress.has_value() ? DescribeProgress(*progress) : kUnknown);
}

}  // namespace banyan::edge
