// SPDX-License-Identifier: Apache-2.0
//
// Two daemons on one store, A and B: what one does is so for the other at once.
// With the in-process store they are two doors of one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sessiond/store/record_id.h"
#include "tests/support/session_fixture.h"

namespace banyan::sessiond {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

using rpc::v1::ERROR_REASON_SESSION_GONE;
using rpc::v1::ERROR_REASON_STORE_UNREACHABLE;
using session::v1::SessionRecord;

class ReplicasTest : public SessionFixture,
                     public ::testing::WithParamInterface<StoreKind> {
 protected:
  ReplicasTest() : SessionFixture(GetParam()) {}

  bool IsLive(Sessions& sessions, const std::string& id) {
    const auto live = sessions.Validate(ada_, id);
    EXPECT_THAT(live, IsOk());
    return live->has_value();
  }

  std::optional<SessionRecord> Stored(const std::string& id) {
    return *TypedRecords<SessionRecord>(store_).Load(RecordKey(id));
  }

  const std::unique_ptr<Sessions> a_ = NewSessions();
  const std::unique_ptr<Sessions> b_ = NewSessions();
};

TEST_P(ReplicasTest, Behaviour10To12CreatingWaitsForNothingButTheStore) {
  const std::string id = Initialize(*a_, ada_);
  // A placeholder and a session: two writes and no more.
  EXPECT_EQ(store_.writes, 2);
  EXPECT_TRUE(IsLive(*a_, id));
}

TEST_P(ReplicasTest, Behaviour29AnUnknownIdIsNotFoundOnAnyReplica) {
  const std::string id = NewSessionId();
  EXPECT_THAT(a_->Get(ada_, id), HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_THAT(b_->Get(ada_, id), HasReason(ERROR_REASON_SESSION_GONE));
}

TEST_P(ReplicasTest, Behaviour31ASessionWithoutAWorkspaceIsRestored) {
  const std::string id = Initialize(*a_, ada_);
  const auto restored = b_->Get(ada_, id);
  ASSERT_THAT(restored, IsOk());
  EXPECT_THAT(restored->record.workspaces(), IsEmpty());
  EXPECT_EQ(restored->record.client_name(), "test");
}

TEST_P(ReplicasTest, Behaviour32ARecordOfAnOlderOwnerFormatIsNeverBoundAnew) {
  const std::string id = NewSessionId();
  SessionRecord record;
  record.set_state(session::v1::SESSION_STATE_LIVE);
  record.set_principal_hash("hash of a token");
  ASSERT_THAT(
      TypedRecords<SessionRecord>(store_).Create(RecordKey(id), record, {}),
      IsOk());
  EXPECT_THAT(a_->Get(ada_, id), HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_EQ(Stored(id)->principal_hash(), "hash of a token");
}

TEST_P(ReplicasTest, Behaviour33ARecordThatCannotBeReadFailsClosed) {
  const std::string id = NewSessionId();
  ASSERT_THAT(store_.Write({.record = {.kind = RecordKind::kSession,
                                       .key = RecordKey(id),
                                       .body = "\xff\xff no record"}}),
              IsOk());
  EXPECT_THAT(a_->Validate(ada_, id),
              HasReason(rpc::v1::ERROR_REASON_INTERNAL));
}

TEST_P(ReplicasTest, Behaviour34WhatARestoreChangesIsWrittenBack) {
  const std::string id = Initialize(*a_, ada_);
  const SecretKey new_key = ToSecretKey(std::string(32, 'n'));
  const PrincipalHasher rotated(
      KeyRing({new_key, ToSecretKey(std::string(32, 'k'))}));
  Sessions restored(store_, rotated, {}, clock_.AsFunction());
  ASSERT_TRUE(restored.Validate(ada_, id)->has_value());
  EXPECT_EQ(Stored(id)->principal_key_id(), new_key.id);
}

TEST_P(ReplicasTest, Behaviour35DeletedBetweenReadAndWriteBackIsNotFound) {
  const std::string id = Initialize(*a_, ada_);
  const PrincipalHasher rotated(KeyRing(
      {ToSecretKey(std::string(32, 'n')), ToSecretKey(std::string(32, 'k'))}));
  Sessions restoring(store_, rotated, {}, clock_.AsFunction());
  store_.after_load = [&] { ASSERT_TRUE(*b_->Terminate(ada_, id)); };
  EXPECT_FALSE(restoring.Validate(ada_, id)->has_value());
  EXPECT_FALSE(Stored(id).has_value());
}

TEST_P(ReplicasTest, Behaviour36AFailureOfLastUsesLeavesTheSessionServed) {
  const std::string id = Initialize(*a_, ada_);
  clock_.Advance(absl::Hours(2));
  ASSERT_TRUE(IsLive(*a_, id));
  store_.fails_write = [](const RecordWrite&) { return "down"; };
  EXPECT_THAT(a_->WriteLastUses(/*all=*/true),
              HasReason(ERROR_REASON_STORE_UNREACHABLE));
  EXPECT_TRUE(IsLive(*a_, id));
}

TEST_P(ReplicasTest, Behaviour37And39OnlyTheRecordsPrincipalRestores) {
  const std::string id = Initialize(*a_, ada_);
  EXPECT_THAT(b_->Use(bob_, id), HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_THAT(b_->Use({}, id),
              HasReason(rpc::v1::ERROR_REASON_UNAUTHENTICATED));
  EXPECT_THAT(b_->Use(ada_, id), IsOk());
}

TEST_P(ReplicasTest, Behaviour38WhatAMakesBServes) {
  const std::string id = Initialize(*a_, ada_);
  ASSERT_THAT(b_->Update(ada_, id, 0,
                         [](SessionRecord& record) {
                           record.add_subscriptions("file:///x");
                           return absl::OkStatus();
                         }),
              IsOk());
  // The weak spot W7: subscriptions are part of the record.
  EXPECT_THAT(a_->Get(ada_, id)->record.subscriptions(), SizeIs(1));
}

TEST_P(ReplicasTest, Behaviour45And46WhatIsDeletedOrMarkedIsOverForBoth) {
  const std::string deleted = Initialize(*a_, ada_);
  ASSERT_TRUE(*b_->Terminate(ada_, deleted));
  EXPECT_FALSE(IsLive(*a_, deleted));
  const std::string marked = *a_->Generate(ada_);
  ASSERT_TRUE(*b_->Terminate(ada_, marked));
  EXPECT_FALSE(IsLive(*a_, marked));
  EXPECT_THAT(a_->Create(ada_, marked, Fill),
              HasReason(ERROR_REASON_SESSION_GONE));
}

// No round of reading, on either side, changes anything for the other.
TEST_P(ReplicasTest, Behaviour44And48To50ReadingByTurnsIsNoStorm) {
  const std::string id = Initialize(*a_, ada_);
  const int writes = store_.writes;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(IsLive(i % 2 == 0 ? *a_ : *b_, id));
  }
  EXPECT_EQ(store_.writes, writes);
}

TEST_P(ReplicasTest, Behaviour54ALateWriteResurrectsNothingOnAnyReplica) {
  const std::string id = Initialize(*a_, ada_);
  clock_.Advance(absl::Hours(2));
  ASSERT_TRUE(IsLive(*a_, id));
  ASSERT_TRUE(*b_->Terminate(ada_, id));
  EXPECT_THAT(a_->WriteLastUses(/*all=*/true), IsOk());
  EXPECT_FALSE(Stored(id).has_value());
  EXPECT_FALSE(IsLive(*a_, id));
  EXPECT_FALSE(IsLive(*b_, id));
}

TEST_P(ReplicasTest, Behaviour70UseOnOneReplicaKeepsItAliveOnTheOther) {
  const std::string id = Initialize(*a_, ada_);
  for (int i = 0; i < 3; ++i) {
    clock_.Advance(absl::Hours(20));
    ASSERT_TRUE(IsLive(*a_, id));
    ASSERT_THAT(a_->WriteLastUses(/*all=*/false), IsOk());
  }
  ASSERT_TRUE(IsLive(*b_, id));
  clock_.Advance(absl::Hours(25));
  EXPECT_FALSE(IsLive(*b_, id));
}

// A has seen uses that it has not written yet: B does not judge without them.
TEST_P(ReplicasTest, AUseThatOnlyTheOtherReplicaHasSeenIsAllowedFor) {
  const Sessions::Options shared = {.is_shared = true};
  const auto a = NewSessions(shared);
  const auto b = NewSessions(shared);
  const std::string id = Initialize(*a, ada_);
  clock_.Advance(absl::Minutes(70));
  ASSERT_TRUE(IsLive(*a, id));
  ASSERT_THAT(a->WriteLastUses(/*all=*/false), IsOk());  // Not due yet.
  clock_.Advance(absl::Hours(24) - absl::Milliseconds(1));
  EXPECT_THAT(b->Sweep(), IsOk());
  EXPECT_TRUE(IsLive(*b, id));
  clock_.Advance(absl::Hours(27));
  EXPECT_FALSE(IsLive(*b, id));
}

// W1: a write from what was read before does not undo what another has written.
TEST_P(ReplicasTest, WeakSpot1AStaleWriteIsAppliedAgainToWhatIsThere) {
  const std::string id = Initialize(*a_, ada_);
  const auto subscribe = [](const std::string& uri) {
    return [uri](SessionRecord& record) {
      record.add_subscriptions(uri);
      return absl::OkStatus();
    };
  };
  bool is_first = true;
  ASSERT_THAT(a_->Update(ada_, id, 0,
                         [&](SessionRecord& record) {
                           if (is_first) {
                             is_first = false;
                             EXPECT_THAT(
                                 b_->Update(ada_, id, 0, subscribe("b")),
                                 IsOk());
                           }
                           return subscribe("a")(record);
                         }),
              IsOk());
  EXPECT_THAT(Stored(id)->subscriptions(),
              ::testing::UnorderedElementsAre("a", "b"));
}

// W2: what is past its limit is over at the read itself, swept or not.
TEST_P(ReplicasTest, WeakSpot2ExpiryIsJudgedAtReadToTheMillisecond) {
  const std::string id = Initialize(*a_, ada_);
  clock_.Advance(absl::Hours(24) - absl::Milliseconds(1));
  EXPECT_THAT(a_->Get(ada_, id), IsOk());
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_THAT(b_->Get(ada_, id), HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_FALSE(IsLive(*a_, id));
}

// W3: use alone does not make it immortal.
TEST_P(ReplicasTest, WeakSpot3TheAbsoluteLimitHolds) {
  const std::string id = Initialize(*a_, ada_);
  for (int half_day = 1; half_day < 14; ++half_day) {
    clock_.Advance(absl::Hours(12));
    Sessions& one = half_day % 2 == 0 ? *a_ : *b_;
    ASSERT_TRUE(IsLive(one, id));
    // As housekeeping does: what one has seen used the other must know.
    ASSERT_THAT(one.WriteLastUses(/*all=*/false), IsOk());
  }
  clock_.Advance(absl::Hours(12));
  EXPECT_FALSE(IsLive(*a_, id));
}

// W4: no half of it keeps saying yes while the store is out of reach.
TEST_P(ReplicasTest, WeakSpot4WithoutTheStoreNobodySaysYes) {
  const std::string id = Initialize(*a_, ada_);
  ASSERT_TRUE(IsLive(*a_, id));
  store_.fails_reads = true;
  EXPECT_THAT(a_->Validate(ada_, id),
              HasReason(ERROR_REASON_STORE_UNREACHABLE));
  EXPECT_THAT(a_->Use(ada_, id), HasReason(ERROR_REASON_STORE_UNREACHABLE));
}

// W8: many callers at once, each judged by its own principal.
TEST_P(ReplicasTest, WeakSpot8NobodyRidesOnAnothersLookUp) {
  const std::string id = Initialize(*a_, ada_);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        const auto live = b_->Use(i % 2 == 0 ? ada_ : bob_, id);
        if (i % 2 == 0) {
          EXPECT_THAT(live, IsOk());
        } else {
          EXPECT_THAT(live, HasReason(ERROR_REASON_SESSION_GONE));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// W13: neither issuer nor subject is in what is stored.
TEST_P(ReplicasTest, WeakSpot13NoNameIsStored) {
  session::v1::Principal named;
  named.set_issuer("https://issuer.example");
  named.set_subject("ada@example.org");
  Initialize(*a_, named);
  const auto records = store_.List(RecordKind::kSession, std::nullopt);
  ASSERT_THAT(*records, SizeIs(1));
  EXPECT_EQ(records->front().body.find("ada@"), std::string::npos);
  EXPECT_EQ(records->front().body.find("issuer.example"), std::string::npos);
  EXPECT_EQ(records->front().principal.find("ada@"), std::string::npos);
}

// W14: when all places are taken a new one is refused, and none is dropped.
TEST_P(ReplicasTest, WeakSpot14LiveOnesAreNeverDroppedForNewOnes) {
  const auto full = NewSessions({.quota = {.per_principal = 10, .total = 2}});
  const std::string first = Initialize(*full, ada_);
  const std::string second = Initialize(*full, bob_);
  clock_.Advance(absl::Hours(23));
  EXPECT_THAT(full->Generate(ada_),
              HasReason(rpc::v1::ERROR_REASON_SESSION_LIMIT));
  EXPECT_TRUE(IsLive(*full, first));
  EXPECT_TRUE(full->Validate(bob_, second)->has_value());
}

INSTANTIATE_TEST_SUITE_P(All, ReplicasTest, AllStores(), NameOfStore);

// Two processes share a Redis, not a memory.
TEST(RedisReplicasTest, Behaviour42OtherThanInMemoryASecondStoreSeesIt) {
  FakeClock clock;
  const TestRedis& server = SharedRedis();
  const Stores a = OpenTestRedis(server, clock.AsFunction());
  const Stores b = OpenTestRedis(server, clock.AsFunction());
  const PrincipalHasher hasher(KeyRing({ToSecretKey(std::string(32, 'k'))}));
  Sessions on_a(*a.records, hasher, {}, clock.AsFunction());
  Sessions on_b(*b.records, hasher, {}, clock.AsFunction());
  const auto ada = LocalPrincipal("1000");
  const auto id = on_a.Generate(ada);
  ASSERT_THAT(
      on_b.Create(ada, *id, [](SessionRecord&) { return absl::OkStatus(); }),
      IsOk());
  EXPECT_TRUE(on_a.Validate(ada, *id)->has_value());
  ASSERT_TRUE(*on_b.Terminate(ada, *id));
  EXPECT_FALSE(on_a.Validate(ada, *id)->has_value());
}

TEST(MemoryReplicasTest, Behaviour42InMemoryASecondStoreSeesNothing) {
  FakeClock clock;
  const auto a = NewMemoryRecordStore(clock.AsFunction());
  const auto b = NewMemoryRecordStore(clock.AsFunction());
  const PrincipalHasher hasher(KeyRing({ToSecretKey(std::string(32, 'k'))}));
  Sessions on_a(*a, hasher, {}, clock.AsFunction());
  Sessions on_b(*b, hasher, {}, clock.AsFunction());
  const auto ada = LocalPrincipal("1000");
  const auto id = on_a.Generate(ada);
  ASSERT_THAT(
      on_a.Create(ada, *id, [](SessionRecord&) { return absl::OkStatus(); }),
      IsOk());
  EXPECT_FALSE(on_b.Validate(ada, *id)->has_value());
  EXPECT_TRUE(on_a.Validate(ada, *id)->has_value());
}

}  // namespace
}  // namespace banyan::sessiond
