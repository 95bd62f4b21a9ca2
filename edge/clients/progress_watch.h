// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_CLIENTS_PROGRESS_WATCH_H_
#define EDGE_CLIENTS_PROGRESS_WATCH_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "banyan/lsp/v1/pool_service.pb.h"

namespace banyan::edge {

// "clangd: indexing 12/35 (34 %); gopls is starting". Without servers that do
// anything it is the question itself that takes its time.
std::string DescribeProgress(const lsp::v1::GetProgressResponse& progress);

// Tells somebody who waits what is being done, once a second at most, and
// nothing of what is over sooner. Not thread-safe: of one call.
class ProgressWatch {
 public:
  // `ask`: nothing where it is not known.
  ProgressWatch(
      std::function<std::optional<lsp::v1::GetProgressResponse>()> ask,
      std::function<void(const std::string& work)> tell, absl::Time begun)
      : ask_(std::move(ask)), tell_(std::move(tell)), last_(begun) {}

  // Called as often as one likes.
  void Look(absl::Time now);

 private:
  const std::function<std::optional<lsp::v1::GetProgressResponse>()> ask_;
  const std::function<void(const std::string& work)> tell_;
  absl::Time last_;
};

}  // namespace banyan::edge

#endif  // EDGE_CLIENTS_PROGRESS_WATCH_H_
