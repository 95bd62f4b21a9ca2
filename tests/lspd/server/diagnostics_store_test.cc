// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/diagnostics_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace banyan::lspd {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr char kUri[] = "file:///r/a.cc";

class DiagnosticsStoreTest : public testing::Test {
 protected:
  PublishedDiagnostics Push(std::optional<int> version, size_t count) const {
    PublishedDiagnostics pushed;
    pushed.uri = kUri;
    pushed.version = version;
    pushed.diagnostics.resize(count);
    return pushed;
  }
  absl::Time After(int milliseconds) const {
    return absl::FromUnixSeconds(9) + absl::Milliseconds(milliseconds);
  }

  DiagnosticsStore store_;
};

TEST_F(DiagnosticsStoreTest, NothingIsSettledBeforeAPush) {
  store_.OnSent(kUri, 1, After(0));
  EXPECT_EQ(store_.SettledAt(kUri), absl::InfiniteFuture());
  EXPECT_EQ(store_.SettledAt("file:///never"), absl::InfiniteFuture());
}

TEST_F(DiagnosticsStoreTest, APushOfAnOlderTextIsNotOfThisOne) {
  store_.OnSent(kUri, 1, After(0));
  store_.OnSent(kUri, 2, After(10));
  store_.OnPushed(Push(1, 3), After(20));
  EXPECT_EQ(store_.SettledAt(kUri), absl::InfiniteFuture());
  store_.OnPushed(Push(2, 1), After(30));
  EXPECT_LT(store_.SettledAt(kUri), After(1000));
  EXPECT_THAT(store_.Of(kUri), SizeIs(1));
}

TEST_F(DiagnosticsStoreTest, APushWithoutVersionSettlesWhenNothingFollows) {
  store_.OnSent(kUri, 1, After(0));
  store_.OnPushed(Push(std::nullopt, 0), After(100));
  store_.OnPushed(Push(std::nullopt, 2), After(600));
  EXPECT_GT(store_.SettledAt(kUri), After(1200));
  EXPECT_LT(store_.SettledAt(kUri), After(2000));
  EXPECT_THAT(store_.Of(kUri), SizeIs(2));
}

TEST_F(DiagnosticsStoreTest, ANewTextUnsettlesWhatWasPushed) {
  store_.OnSent(kUri, 1, After(0));
  store_.OnPushed(Push(std::nullopt, 2), After(10));
  store_.OnSent(kUri, 2, After(5000));
  EXPECT_EQ(store_.SettledAt(kUri), absl::InfiniteFuture());
}

TEST_F(DiagnosticsStoreTest, TheServersSpellingOfTheUriIsTheSame) {
  store_.OnSent("file:///r/a%20b.cc", 1, After(0));
  PublishedDiagnostics pushed = Push(1, 1);
  pushed.uri = "file:///r/a b.cc";
  store_.OnPushed(pushed, After(1));
  EXPECT_THAT(store_.Of("file:///r/a%20b.cc"), SizeIs(1));
}

TEST_F(DiagnosticsStoreTest, AFloodAboutFilesThatAreNotOpenIsNotKept) {
  store_.OnPushed(Push(std::nullopt, 5), After(0));
  EXPECT_THAT(store_.Of(kUri), IsEmpty());
  store_.OnSent(kUri, 1, After(1));
  store_.OnPushed(Push(1, 1), After(2));
  store_.OnClosed(kUri);
  EXPECT_THAT(store_.Of(kUri), IsEmpty());
}

}  // namespace
}  // namespace banyan::lspd
