// SPDX-License-Identifier: Apache-2.0
//
// The numbers in names are those of the behaviours of sessions.
#include "edge/clients/session_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/grant.h"
#include "tests/support/fake_clock.h"
#include "tests/support/processes.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using rpc::v1::ERROR_REASON_SESSION_GONE;
using rpc::v1::ERROR_REASON_STORE_UNREACHABLE;
using session::v1::Principal;
using session::v1::Session;

Principal Named(const std::string& subject) {
  Principal principal;
  principal.set_issuer("local");
  principal.set_subject(subject);
  return principal;
}

class SessionCacheTest : public testing::Test {
 protected:
  SessionCacheTest() { Make(2); }

  void Make(int64_t capacity) {
    cache_ =
        *SessionCache::Create({.capacity = capacity,
                               .is_in_sync = [this] { return in_sync_.load(); },
                               .now = clock_.AsFunction()});
  }

  // What sessiond says now, counted.
  absl::StatusOr<Session> Load() {
    ++loads_;
    if (!failure_.ok()) return failure_;
    Session session;
    session.set_log_level(level_);
    session.set_default_workspace(workspace_);
    return session;
  }

  absl::StatusOr<SessionCache::Entry> Get(const std::string& id) {
    return cache_->Get(ada_, id, [this] { return Load(); });
  }

  std::string LevelOf(const std::string& id) {
    const auto entry = Get(id);
    EXPECT_THAT(entry, IsOk());
    return entry.ok() ? (*entry)->log_level() : "";
  }

  // `count` callers at once while the first one's load takes its time; gives
  // back how many were served with `level`.
  int AtOnce(int count, const std::string& level) {
    std::latch let_go(1);
    std::atomic<int> served = 0;
    std::atomic<int> started = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&] {
        ++started;
        const auto entry = cache_->Get(ada_, "s", [&] {
          let_go.wait();
          return Load();
        });
        if (entry.ok() && (*entry)->log_level() == level) ++served;
      });
    }
    EXPECT_TRUE(banyan::Eventually([&] { return started == count; }));
    let_go.count_down();
    for (std::thread& thread : threads) thread.join();
    return served;
  }

  FakeClock clock_;
  const Principal ada_ = Named("ada");
  const Principal bob_ = Named("bob");
  std::atomic<bool> in_sync_ = true;
  std::atomic<int> loads_ = 0;
  absl::Status failure_;
  std::string level_ = "info";
  std::string workspace_;
  std::unique_ptr<SessionCache> cache_;
};

TEST_F(SessionCacheTest, WeakSpot9AKnownSessionCostsNoRoundTrip) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(LevelOf("s"), "info");
  EXPECT_EQ(loads_, 1);
}

TEST_F(SessionCacheTest, SessiondLearnsOfTheUseNowAndThen) {
  LevelOf("s");
  clock_.Advance(absl::Seconds(10));
  LevelOf("s");
  EXPECT_EQ(loads_, 2);
}

TEST_F(SessionCacheTest, Behaviour44And48WhatNothingWasHeardOfIsKept) {
  LevelOf("s");
  cache_->OnSession(rpc::HashId("other"));
  LevelOf("s");
  EXPECT_EQ(loads_, 1);
}

TEST_F(SessionCacheTest, Behaviour45And46WhatHasEndedIsGone) {
  LevelOf("s");
  cache_->OnSession(rpc::HashId("s"));
  failure_ = rpc::Error(ERROR_REASON_SESSION_GONE, "gone");
  EXPECT_THAT(Get("s"), HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_EQ(cache_->size(), 0u);
}

TEST_F(SessionCacheTest, Behaviour47WhatHasChangedIsReadAgain) {
  LevelOf("s");
  level_ = "debug";
  cache_->OnSession(rpc::HashId("s"));
  EXPECT_EQ(LevelOf("s"), "debug");
}

TEST_F(SessionCacheTest, AChangeOfItsDefaultWorkspaceIsOneOfTheSession) {
  workspace_ = "ws_1";
  LevelOf("s");
  cache_->OnWorkspace(rpc::HashId("ws_2"));
  LevelOf("s");
  EXPECT_EQ(loads_, 1);
  cache_->OnWorkspace(rpc::HashId("ws_1"));
  LevelOf("s");
  EXPECT_EQ(loads_, 2);
}

TEST_F(SessionCacheTest, Behaviour55WhoHoldsAnEntryKeepsItTheNextReadsAnew) {
  const auto held = Get("s");
  level_ = "debug";
  cache_->OnSession(rpc::HashId("s"));
  EXPECT_EQ((*held)->log_level(), "info");
  EXPECT_EQ(LevelOf("s"), "debug");
}

TEST_F(SessionCacheTest, Behaviour59AnErrorOfTheLoadIsNotKept) {
  failure_ = rpc::Error(ERROR_REASON_SESSION_GONE, "gone");
  EXPECT_THAT(Get("s"), HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_EQ(cache_->size(), 0u);
  failure_ = absl::OkStatus();
  EXPECT_THAT(Get("s"), IsOk());
}

// Ours: while the watch is in sync nobody asks; once it is not, everybody does,
// and a store out of reach is an error and no stale yes.
TEST_F(SessionCacheTest, Behaviour60AndWeakSpot4OutOfSyncNobodyIsServedFromIt) {
  LevelOf("s");
  failure_ = rpc::Error(ERROR_REASON_STORE_UNREACHABLE, "down");
  EXPECT_EQ(LevelOf("s"), "info");
  in_sync_ = false;
  EXPECT_THAT(Get("s"), HasReason(ERROR_REASON_STORE_UNREACHABLE));
  failure_ = absl::OkStatus();
  EXPECT_THAT(Get("s"), IsOk());
  EXPECT_THAT(Get("s"), IsOk());
  EXPECT_EQ(loads_, 4);
  EXPECT_EQ(cache_->size(), 0u);
}

TEST_F(SessionCacheTest, Behaviour61WhatIsOverIsLookedAtOnceAndGone) {
  LevelOf("s");
  cache_->Clear();
  EXPECT_EQ(cache_->size(), 0u);
  failure_ = rpc::Error(ERROR_REASON_SESSION_GONE, "gone");
  EXPECT_THAT(Get("s"), HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_EQ(loads_, 2);
  EXPECT_EQ(cache_->size(), 0u);
}

TEST_F(SessionCacheTest, Behaviour62ReadsAndWritesRefreshRecency) {
  LevelOf("a");
  LevelOf("b");
  LevelOf("a");  // Now b is the oldest.
  LevelOf("c");
  EXPECT_EQ(loads_, 3);
  LevelOf("a");
  EXPECT_EQ(loads_, 3);
  cache_->Put(ada_, "c", Session());
  LevelOf("d");  // a goes.
  LevelOf("c");
  EXPECT_EQ(loads_, 4);
  LevelOf("a");
  EXPECT_EQ(loads_, 5);
}

TEST_F(SessionCacheTest, Behaviour63ACapacityOfOneWorks) {
  Make(1);
  for (int i = 0; i < 3; ++i) {
    LevelOf("a");
    LevelOf("b");
    EXPECT_EQ(cache_->size(), 1u);
  }
  EXPECT_EQ(loads_, 6);
}

TEST_F(SessionCacheTest, Behaviour64WhatIsPutDuringALoadWins) {
  const auto loaded = cache_->Get(ada_, "s", [&] {
    Session put;
    put.set_log_level("error");
    cache_->Put(ada_, "s", put);
    return Load();
  });
  EXPECT_EQ((*loaded)->log_level(), "info");
  EXPECT_EQ(LevelOf("s"), "error");
  EXPECT_EQ(loads_, 1);
}

TEST_F(SessionCacheTest, WhatIsHeardDuringALoadIsNotForgotten) {
  const std::vector<std::function<void()>> news = {
      [this] { cache_->OnSession(rpc::HashId("s")); },
      [this] { cache_->OnWorkspace(rpc::HashId("ws")); },
      [this] { cache_->Clear(); }};
  for (const auto& hear : news) {
    const auto loaded = cache_->Get(ada_, "s", [&] {
      auto session = Load();
      hear();
      return session;
    });
    EXPECT_THAT(loaded, IsOk());
    EXPECT_EQ(cache_->size(), 0u);
  }
}

TEST_F(SessionCacheTest, Behaviour65TenMissesAtOnceAreOneLoad) {
  EXPECT_EQ(AtOnce(10, "info"), 10);
  EXPECT_EQ(loads_, 1);
}

TEST_F(SessionCacheTest, Behaviour66TenLookUpsOfAnOldEntryAreOneLoad) {
  LevelOf("s");
  level_ = "debug";
  clock_.Advance(absl::Minutes(1));
  EXPECT_EQ(AtOnce(10, "debug"), 10);
  EXPECT_EQ(loads_, 2);
}

TEST_F(SessionCacheTest, Behaviour67WhatCannotWorkIsRefusedAtTheStart) {
  const auto now = clock_.AsFunction();
  const auto yes = [] { return true; };
  EXPECT_FALSE(
      SessionCache::Create({.capacity = -1, .is_in_sync = yes, .now = now})
          .ok());
  EXPECT_FALSE(SessionCache::Create({.now = now}).ok());
  EXPECT_FALSE(SessionCache::Create({.is_in_sync = yes}).ok());
  EXPECT_TRUE(
      SessionCache::Create({.capacity = 0, .is_in_sync = yes, .now = now})
          .ok());
}

// W5: whoever lets go of an entry does so outside the lock, however long the
// calls that hold it take.
TEST_F(SessionCacheTest, WeakSpot5ASlowCallHoldsNobodyUp) {
  Make(1);
  const auto held = Get("slow");
  for (int i = 0; i < 100; ++i) LevelOf(absl::StrCat("s", i));
  EXPECT_EQ((*held)->log_level(), "info");
  EXPECT_LE(cache_->size(), 2u);
}

// W6: an entry with a call in flight is not pushed out.
TEST_F(SessionCacheTest, WeakSpot6AnEntryWithACallInFlightStays) {
  {
    const auto held = Get("busy");
    LevelOf("b");
    LevelOf("c");
    LevelOf("d");
    EXPECT_EQ(LevelOf("busy"), "info");
    EXPECT_EQ(loads_, 4);
  }
  LevelOf("e");
  LevelOf("f");
  LevelOf("g");
  LevelOf("busy");
  EXPECT_EQ(loads_, 8);
}

// W8: whoever waits for a look-up waits for one of its own principal.
TEST_F(SessionCacheTest, WeakSpot8NobodyRidesOnAnothersLookUp) {
  const auto own = cache_->Get(ada_, "s", [&] {
    const auto foreign =
        cache_->Get(bob_, "s", []() -> absl::StatusOr<Session> {
          return rpc::Error(ERROR_REASON_SESSION_GONE, "gone");
        });
    EXPECT_THAT(foreign, HasReason(ERROR_REASON_SESSION_GONE));
    return Load();
  });
  EXPECT_THAT(own, IsOk());
  EXPECT_THAT(cache_->Get(bob_, "s",
                          []() -> absl::StatusOr<Session> {
                            return rpc::Error(ERROR_REASON_SESSION_GONE,
                                              "gone");
                          }),
              HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_EQ(LevelOf("s"), "info");
  EXPECT_EQ(loads_, 1);
}

TEST_F(SessionCacheTest, ALoadThatItsCallerGaveUpIsBegunAnewByTheNext) {
  std::latch is_loading(1);
  std::latch let_go(1);
  std::thread leaver([&] {
    const auto left = cache_->Get(ada_, "s", [&]() -> absl::StatusOr<Session> {
      is_loading.count_down();
      let_go.wait();
      return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, "left");
    });
    EXPECT_THAT(left, HasReason(rpc::v1::ERROR_REASON_CANCELLED));
  });
  is_loading.wait();
  std::thread waiter([&] { EXPECT_EQ(LevelOf("s"), "info"); });
  let_go.count_down();
  leaver.join();
  waiter.join();
  EXPECT_EQ(loads_, 1);
}

}  // namespace
}  // namespace banyan::edge
