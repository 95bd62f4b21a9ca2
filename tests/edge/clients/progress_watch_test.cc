// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/progress_watch.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace banyan::edge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const absl::Time kBegun = absl::FromUnixSeconds(1000);

TEST(ProgressWatchTest, TellsOnceASecondAndNothingOfWhatIsOverSooner) {
  int asked = 0;
  std::vector<std::string> told;
  ProgressWatch watch(
      [&] {
        ++asked;
        return lsp::v1::GetProgressResponse();
      },
      [&](const std::string& work) { told.push_back(work); }, kBegun);
  for (int ms = 0; ms < 1000; ms += 50) {
    watch.Look(kBegun + absl::Milliseconds(ms));
  }
  EXPECT_THAT(told, IsEmpty());
  for (int ms = 1000; ms < 3000; ms += 50) {
    watch.Look(kBegun + absl::Milliseconds(ms));
  }
  EXPECT_THAT(told, ElementsAre("working", "working"));
  EXPECT_EQ(asked, 2);
}

TEST(ProgressWatchTest, WhereNothingIsKnownItIsStillASignOfLife) {
  std::vector<std::string> told;
  ProgressWatch watch([] { return std::nullopt; },
                      [&](const std::string& work) { told.push_back(work); },
                      kBegun);
  watch.Look(kBegun + absl::Seconds(5));
  EXPECT_THAT(told, ElementsAre("working"));
}

TEST(ProgressWatchTest, EachServerIsNamedWithItsWork) {
  lsp::v1::GetProgressResponse progress;
  lsp::v1::ServerProgress& clangd = *progress.add_servers();
  clangd.set_server("clangd");
  clangd.set_work("indexing 12/35 (34 %)");
  lsp::v1::ServerProgress& gopls = *progress.add_servers();
  gopls.set_server("gopls");
  gopls.set_is_starting(true);
  EXPECT_EQ(DescribeProgress(progress),
            "clangd: indexing 12/35 (34 %); gopls is starting");
}

}  // namespace
}  // namespace banyan::edge
