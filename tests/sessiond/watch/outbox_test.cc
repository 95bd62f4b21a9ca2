// SPDX-License-Identifier: Apache-2.0
#include "sessiond/watch/outbox.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace banyan::sessiond {
namespace {

TEST(OutboxTest, MessagesComeOutInOrder) {
  Outbox<int> outbox(10);
  outbox.Push(1);
  outbox.Push(2);
  EXPECT_EQ(outbox.Next(), 1);
  EXPECT_EQ(outbox.Next(), 2);
}

TEST(OutboxTest, ACloseGivesOutWhatIsInItAndWakesWhoWaits) {
  Outbox<int> outbox(10);
  outbox.Push(1);
  std::optional<int> last = 7;
  std::thread reader([&] {
    EXPECT_EQ(outbox.Next(), 1);
    last = outbox.Next();
  });
  outbox.Close();
  reader.join();
  EXPECT_EQ(last, std::nullopt);
  outbox.Push(2);
  EXPECT_EQ(outbox.Next(), std::nullopt);
  EXPECT_FALSE(outbox.has_overflowed());
}

TEST(OutboxTest, APeerThatDoesNotReadClosesIt) {
  Outbox<int> outbox(3);
  for (int i = 0; i < 1'000; ++i) outbox.Push(i);
  EXPECT_TRUE(outbox.has_overflowed());
  EXPECT_EQ(outbox.Next(), std::nullopt);
}

}  // namespace
}  // namespace banyan::sessiond
