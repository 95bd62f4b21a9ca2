// SPDX-License-Identifier: Apache-2.0
//
// The numbers in names are those of the behaviours that this daemon keeps to.
#include "sessiond/sessions/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sessiond/store/record_id.h"
#include "tests/support/session_fixture.h"

namespace banyan::sessiond {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using rpc::v1::ERROR_REASON_ID_MALFORMED;
using rpc::v1::ERROR_REASON_SESSION_GONE;
using rpc::v1::ERROR_REASON_SESSION_LIMIT;
using rpc::v1::ERROR_REASON_STORE_UNREACHABLE;
using rpc::v1::ERROR_REASON_UNAUTHENTICATED;
using rpc::v1::ERROR_REASON_VERSION_CONFLICT;
using session::v1::SessionRecord;

class SessionsTest : public SessionFixture,
                     public ::testing::WithParamInterface<StoreKind> {
 protected:
  SessionsTest() : SessionFixture(GetParam()) {}

  std::optional<SessionRecord> Stored(const std::string& id) {
    return *TypedRecords<SessionRecord>(store_).Load(RecordKey(id));
  }

  bool IsLive(const std::string& id) {
    const auto live = sessions_->Validate(ada_, id);
    EXPECT_THAT(live, IsOk());
    return live->has_value();
  }

  std::unique_ptr<Sessions> sessions_ = NewSessions();
};

TEST_P(SessionsTest, Behaviour1GenerateReservesAnIdWithAPlaceholder) {
  const auto id = sessions_->Generate(ada_);
  ASSERT_THAT(id, IsOk());
  EXPECT_TRUE(IsSessionId(*id));
  const auto record = Stored(*id);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->state(), session::v1::SESSION_STATE_PLACEHOLDER);
  EXPECT_EQ(record->principal_hash(), hasher_.Hash(ada_)->hash);
}

TEST_P(SessionsTest, Behaviour2AStoreThatAlwaysFailsIsTriedTwice) {
  store_.fails_write = [](const RecordWrite&) { return "down"; };
  EXPECT_THAT(sessions_->Generate(ada_),
              HasReason(ERROR_REASON_STORE_UNREACHABLE));
  EXPECT_EQ(store_.writes, 2);
  EXPECT_THAT(*store_.List(RecordKind::kSession, std::nullopt), IsEmpty());
}

TEST_P(SessionsTest, Behaviour2OneFailureOfTheStoreIsForgiven) {
  store_.fails_write = [this](const RecordWrite&) {
    return store_.writes == 1 ? std::make_optional<std::string>("down")
                              : std::nullopt;
  };
  EXPECT_THAT(sessions_->Generate(ada_), IsOk());
}

TEST_P(SessionsTest, Behaviour3AllIdsDiffer) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(*sessions_->Generate(ada_));
  EXPECT_THAT(ids, SizeIs(100));
}

TEST_P(SessionsTest, Behaviour4CreateFillsThePlaceholderOnce) {
  const std::string id = *sessions_->Generate(ada_);
  int runs = 0;
  const auto created =
      sessions_->Create(ada_, id, [&runs](SessionRecord& record) {
        ++runs;
        return Fill(record);
      });
  ASSERT_THAT(created, IsOk());
  EXPECT_EQ(runs, 1);
  const auto record = Stored(id);
  EXPECT_EQ(record->state(), session::v1::SESSION_STATE_LIVE);
  EXPECT_EQ(record->client_name(), "test");
  EXPECT_EQ(record->public_id(), PublicId(RecordKey(id)));
  EXPECT_EQ(CountOf(SessionEvent::kCreated), 1);
}

TEST_P(SessionsTest, ACreateThatIsRepeatedAnswersTheSessionThatIsThere) {
  const std::string id = Initialize(*sessions_, ada_);
  int runs = 0;
  EXPECT_THAT(sessions_->Create(ada_, id,
                                [&runs](SessionRecord&) {
                                  ++runs;
                                  return absl::OkStatus();
                                }),
              IsOk());
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(CountOf(SessionEvent::kCreated), 1);
}

TEST_P(SessionsTest, Behaviour5AnEmptyIdIsAnError) {
  EXPECT_THAT(sessions_->Create(ada_, "", Fill),
              HasReason(ERROR_REASON_ID_MALFORMED));
}

TEST_P(SessionsTest, Behaviour6WhenFillingFailsThePlaceholderIsTerminated) {
  const std::string id = *sessions_->Generate(ada_);
  EXPECT_THAT(sessions_->Create(ada_, id,
                                [](SessionRecord&) {
                                  return rpc::Error(
                                      rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                                      "bad");
                                }),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  EXPECT_EQ(Stored(id)->state(), session::v1::SESSION_STATE_TERMINATED);
  EXPECT_FALSE(IsLive(id));
}

TEST_P(SessionsTest, Behaviour7WithoutAPlaceholderNothingIsFilled) {
  int runs = 0;
  const auto fill = [&runs](SessionRecord&) {
    ++runs;
    return absl::OkStatus();
  };
  EXPECT_THAT(sessions_->Create(ada_, NewSessionId(), fill),
              HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(store_.writes, 0);
}

TEST_P(SessionsTest, Behaviour8ATerminatedPlaceholderIsNotFilled) {
  const std::string id = *sessions_->Generate(ada_);
  ASSERT_TRUE(*sessions_->Terminate(ada_, id));
  int runs = 0;
  EXPECT_THAT(sessions_->Create(ada_, id,
                                [&runs](SessionRecord&) {
                                  ++runs;
                                  return absl::OkStatus();
                                }),
              HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_EQ(runs, 0);
}

TEST_P(SessionsTest, Behaviour9ATerminationInBetweenWins) {
  const std::string id = *sessions_->Generate(ada_);
  EXPECT_THAT(sessions_->Create(ada_, id,
                                [&](SessionRecord& record) {
                                  EXPECT_TRUE(*sessions_->Terminate(ada_, id));
                                  return Fill(record);
                                }),
              HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_EQ(Stored(id)->state(), session::v1::SESSION_STATE_TERMINATED);
  EXPECT_FALSE(IsLive(id));
  EXPECT_EQ(CountOf(SessionEvent::kCreated), 0);
}

TEST_P(SessionsTest, Behaviour13ACallerWithoutANameWritesNothing) {
  EXPECT_THAT(sessions_->Generate({}), HasReason(ERROR_REASON_UNAUTHENTICATED));
  EXPECT_EQ(store_.writes, 0);
  const std::string id = *sessions_->Generate(ada_);
  EXPECT_THAT(sessions_->Create({}, id, Fill),
              HasReason(ERROR_REASON_UNAUTHENTICATED));
  EXPECT_EQ(store_.writes, 1);
}

TEST_P(SessionsTest, Behaviour14AnEmptyIdIsAnErrorAndNotTerminated) {
  EXPECT_THAT(sessions_->Validate(ada_, ""),
              HasReason(ERROR_REASON_ID_MALFORMED));
}

TEST_P(SessionsTest, Behaviour15AnUnknownIdIsGoneWithoutAnError) {
  EXPECT_FALSE(IsLive(NewSessionId()));
}

TEST_P(SessionsTest, Behaviour16ValidatingALiveOneRenewsIt) {
  const std::string id = Initialize(*sessions_, ada_);
  clock_.Advance(absl::Hours(1));
  const auto live = sessions_->Validate(ada_, id);
  ASSERT_TRUE(live->has_value());
  EXPECT_EQ((*live)->last_used, clock_.Now());
  EXPECT_EQ(sessions_->Get(ada_, id)->last_used, clock_.Now());
}

TEST_P(SessionsTest, GettingDoesNotRenew) {
  const std::string id = Initialize(*sessions_, ada_);
  const absl::Time start = clock_.Now();
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(sessions_->Get(ada_, id)->last_used, start);
}

TEST_P(SessionsTest, Behaviour17ATerminatedPlaceholderIsTerminated) {
  const std::string id = *sessions_->Generate(ada_);
  ASSERT_TRUE(*sessions_->Terminate(ada_, id));
  EXPECT_FALSE(IsLive(id));
}

TEST_P(SessionsTest, Behaviour18WhatOneReplicaEndsIsOverForTheNext) {
  const auto other = NewSessions();
  const std::string id = Initialize(*sessions_, ada_);
  ASSERT_TRUE(other->Validate(ada_, id)->has_value());
  ASSERT_TRUE(*other->Terminate(ada_, id));
  EXPECT_FALSE(IsLive(id));
}

TEST_P(SessionsTest, Behaviour19ValidatingInTimeKeepsItAliveRoundAfterRound) {
  const std::string id = Initialize(*sessions_, ada_);
  for (int round = 0; round < 5; ++round) {
    clock_.Advance(absl::Hours(24) - absl::Milliseconds(50));
    EXPECT_TRUE(IsLive(id)) << round;
  }
}

TEST_P(SessionsTest, Behaviour20WithoutActivityItEnds) {
  const std::string id = Initialize(*sessions_, ada_);
  clock_.Advance(absl::Hours(24) + absl::Milliseconds(50));
  EXPECT_FALSE(IsLive(id));
  EXPECT_FALSE(Stored(id).has_value());
  EXPECT_EQ(CountOf(SessionEvent::kExpiredIdle), 1);
}

TEST_P(SessionsTest, NobodyOutlivesTheAbsoluteLimit) {
  const std::string id = Initialize(*sessions_, ada_);
  for (int day = 0; day < 13; ++day) {
    clock_.Advance(absl::Hours(12));
    EXPECT_TRUE(IsLive(id));
  }
  clock_.Advance(absl::Hours(12));
  EXPECT_FALSE(IsLive(id));
  EXPECT_EQ(CountOf(SessionEvent::kExpiredAbsolute), 1);
}

TEST_P(SessionsTest, Behaviour21AnUnreachableStoreIsAnErrorAndChangesNothing) {
  const std::string id = Initialize(*sessions_, ada_);
  store_.fails_reads = true;
  EXPECT_THAT(sessions_->Validate(ada_, id),
              HasReason(ERROR_REASON_STORE_UNREACHABLE));
  store_.fails_reads = false;
  EXPECT_TRUE(IsLive(id));
}

TEST_P(SessionsTest, AnExpiredOneIsGoneThoughTheStoreTakesNoWrites) {
  const std::string id = Initialize(*sessions_, ada_);
  clock_.Advance(absl::Hours(25));
  store_.fails_write = [](const RecordWrite&) { return "disk full"; };
  EXPECT_FALSE(IsLive(id));
}

TEST_P(SessionsTest, Behaviour22EndingAnEmptyIdIsAnError) {
  EXPECT_THAT(sessions_->Terminate(ada_, ""),
              HasReason(ERROR_REASON_ID_MALFORMED));
}

TEST_P(SessionsTest, Behaviour23EndingAnUnknownIdIsASuccess) {
  const auto ended = sessions_->Terminate(ada_, NewSessionId());
  ASSERT_THAT(ended, IsOk());
  EXPECT_FALSE(*ended);
}

TEST_P(SessionsTest, Behaviour24TheRecordOfAFullSessionIsDeleted) {
  const std::string id = Initialize(*sessions_, ada_);
  EXPECT_TRUE(*sessions_->Terminate(ada_, id));
  EXPECT_FALSE(Stored(id).has_value());
  EXPECT_FALSE(*sessions_->Terminate(ada_, id));
  EXPECT_EQ(CountOf(SessionEvent::kTerminated), 1);
}

TEST_P(SessionsTest, Behaviour25APlaceholderIsMarkedAndNotDeleted) {
  const std::string id = *sessions_->Generate(ada_);
  EXPECT_TRUE(*sessions_->Terminate(ada_, id));
  EXPECT_EQ(Stored(id)->state(), session::v1::SESSION_STATE_TERMINATED);
}

TEST_P(SessionsTest, Behaviour26WhenMarkingFailsThePlaceholderIsDeleted) {
  const std::string id = *sessions_->Generate(ada_);
  store_.fails_write = [](const RecordWrite& write) {
    return write.verb == RecordWrite::Verb::kUpdate
               ? std::make_optional<std::string>("no updates")
               : std::nullopt;
  };
  EXPECT_TRUE(*sessions_->Terminate(ada_, id));
  EXPECT_FALSE(Stored(id).has_value());
}

TEST_P(SessionsTest, Behaviour27WhenMarkingAndDeletingFailTheErrorNamesBoth) {
  const std::string id = *sessions_->Generate(ada_);
  store_.fails_write = [](const RecordWrite& write) {
    return write.verb == RecordWrite::Verb::kUpdate ? "no updates"
                                                    : "no deletes";
  };
  const auto ended = sessions_->Terminate(ada_, id);
  EXPECT_THAT(ended, HasReason(ERROR_REASON_STORE_UNREACHABLE));
  EXPECT_THAT(std::string(ended.status().message()),
              AllOf(HasSubstr("no updates"), HasSubstr("no deletes")));
}

TEST_P(SessionsTest, Behaviour28ARecordWithoutAnOwnerTakesThePlaceholdersPath) {
  const std::string id = NewSessionId();
  SessionRecord record;
  record.set_state(session::v1::SESSION_STATE_LIVE);
  ASSERT_THAT(
      TypedRecords<SessionRecord>(store_).Create(RecordKey(id), record, {}),
      IsOk());
  EXPECT_FALSE(IsLive(id));
  EXPECT_TRUE(*sessions_->Terminate(ada_, id));
  EXPECT_EQ(Stored(id)->state(), session::v1::SESSION_STATE_TERMINATED);
}

TEST_P(SessionsTest, Behaviour30ThePlaceholderOfACrashIsGone) {
  const std::string id = *sessions_->Generate(ada_);
  EXPECT_THAT(sessions_->Get(ada_, id), HasReason(ERROR_REASON_SESSION_GONE));
}

// Hijack: the intruder sees "gone", and nothing changes for the owner.
TEST_P(SessionsTest, AnotherPrincipalSeesNothingAndEndsNothing) {
  const std::string id = Initialize(*sessions_, ada_);
  EXPECT_THAT(sessions_->Get(bob_, id), HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_FALSE(sessions_->Validate(bob_, id)->has_value());
  EXPECT_FALSE(*sessions_->Terminate(bob_, id));
  EXPECT_THAT(sessions_->Update(bob_, id, 0, Fill),
              HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_THAT(sessions_->Create(bob_, id, Fill),
              HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_TRUE(IsLive(id));
  EXPECT_GE(CountOf(SessionEvent::kHijackRefused), 4);
}

TEST_P(SessionsTest, APlaceholderOfAnotherPrincipalCannotBeFilled) {
  const std::string id = *sessions_->Generate(ada_);
  EXPECT_THAT(sessions_->Create(bob_, id, Fill),
              HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_THAT(sessions_->Create(ada_, id, Fill), IsOk());
}

// Table exhaustion: ids that we never minted take no space.
TEST_P(SessionsTest, MadeUpIdsWriteNothing) {
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_FALSE(IsLive(NewSessionId()));
    EXPECT_THAT(sessions_->Validate(ada_, absl::StrCat("guess", i)),
                HasReason(ERROR_REASON_ID_MALFORMED));
  }
  EXPECT_EQ(store_.writes, 0);
  EXPECT_THAT(sessions_->WriteLastUses(/*all=*/true), IsOk());
  EXPECT_EQ(store_.writes, 0);
}

TEST_P(SessionsTest, AnUpdateNamesTheVersionItHasRead) {
  const std::string id = Initialize(*sessions_, ada_);
  const int64_t version = sessions_->Get(ada_, id)->record.version();
  const auto set_level = [](SessionRecord& record) {
    record.set_log_level("debug");
    return absl::OkStatus();
  };
  const auto updated = sessions_->Update(ada_, id, version, set_level);
  ASSERT_THAT(updated, IsOk());
  EXPECT_EQ(updated->record.version(), version + 1);
  EXPECT_THAT(sessions_->Update(ada_, id, version, set_level),
              HasReason(ERROR_REASON_VERSION_CONFLICT));
  EXPECT_THAT(sessions_->Update(ada_, id, 0, set_level), IsOk());
}

TEST_P(SessionsTest, ALateUpdateDoesNotBringATerminatedOneBack) {
  const std::string id = Initialize(*sessions_, ada_);
  EXPECT_THAT(sessions_->Update(ada_, id, 0,
                                [&](SessionRecord& record) {
                                  EXPECT_THAT(sessions_->Terminate(ada_, id),
                                              IsOk());
                                  return Fill(record);
                                }),
              HasReason(ERROR_REASON_SESSION_GONE));
  EXPECT_FALSE(Stored(id).has_value());
}

TEST_P(SessionsTest, UpdatesSideBySideAreAllKept) {
  const std::string id = Initialize(*sessions_, ada_);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, &id, i] {
      for (int n = 0; n < 10; ++n) {
        EXPECT_THAT(sessions_->Update(ada_, id, 0,
                                      [i, n](SessionRecord& record) {
                                        record.add_subscriptions(
                                            absl::StrCat(i, "/", n));
                                        return absl::OkStatus();
                                      }),
                    IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Stored(id)->subscriptions(), SizeIs(80));
}

// Create and Terminate race: whoever loses, a terminated one stays so.
TEST_P(SessionsTest, NoRaceOfCreateAndTerminateLeavesALiveTerminatedOne) {
  for (int i = 0; i < 50; ++i) {
    const std::string id = *sessions_->Generate(ada_);
    std::atomic<bool> ended = false;
    std::thread rival([&] { ended = *sessions_->Terminate(ada_, id); });
    const bool created = sessions_->Create(ada_, id, Fill).ok();
    rival.join();
    EXPECT_TRUE(ended);
    EXPECT_FALSE(IsLive(id)) << (created ? "created" : "refused");
  }
}

TEST_P(SessionsTest, AtItsCapAPrincipalsLongestIdleSessionMakesPlace) {
  sessions_ = NewSessions({.quota = {.per_principal = 3, .total = 100}});
  const std::string first = Initialize(*sessions_, ada_);
  clock_.Advance(absl::Minutes(10));
  const std::string second = Initialize(*sessions_, ada_);
  const std::string third = Initialize(*sessions_, ada_);
  EXPECT_THAT(sessions_->Generate(ada_), HasReason(ERROR_REASON_SESSION_LIMIT));
  EXPECT_THAT(sessions_->Generate(bob_), IsOk());

  clock_.Advance(absl::Hours(1) + absl::Minutes(1));
  ASSERT_TRUE(IsLive(first));  // In use: now the second is the longest idle.
  clock_.Advance(absl::Minutes(1));
  ASSERT_TRUE(IsLive(third));
  EXPECT_THAT(sessions_->Generate(ada_), IsOk());
  EXPECT_FALSE(IsLive(second));
  EXPECT_TRUE(IsLive(first));
  EXPECT_TRUE(IsLive(third));
  EXPECT_EQ(CountOf(SessionEvent::kEvicted), 1);
}

TEST_P(SessionsTest, AtTheTotalCapLiveOnesAreNeverDropped) {
  sessions_ = NewSessions({.quota = {.per_principal = 3, .total = 2}});
  const std::string first = Initialize(*sessions_, ada_);
  const std::string second = Initialize(*sessions_, bob_);
  clock_.Advance(absl::Hours(10));
  EXPECT_THAT(sessions_->Generate(ada_), HasReason(ERROR_REASON_SESSION_LIMIT));
  EXPECT_TRUE(IsLive(first));
}

TEST_P(SessionsTest, TerminatedPlaceholdersTakeNoPlace) {
  sessions_ = NewSessions({.quota = {.per_principal = 1, .total = 1}});
  for (int i = 0; i < 5; ++i) {
    const auto id = sessions_->Generate(ada_);
    ASSERT_THAT(id, IsOk());
    ASSERT_TRUE(*sessions_->Terminate(ada_, *id));
  }
}

TEST_P(SessionsTest, ASweepDeletesWhatIsOver) {
  const std::string kept = Initialize(*sessions_, ada_);
  const std::string idle = Initialize(*sessions_, ada_);
  const std::string placeholder = *sessions_->Generate(ada_);
  const std::string terminated = *sessions_->Generate(ada_);
  ASSERT_TRUE(*sessions_->Terminate(ada_, terminated));
  clock_.Advance(absl::Minutes(9));
  ASSERT_THAT(sessions_->Sweep(), IsOk());
  EXPECT_TRUE(Stored(placeholder).has_value());
  EXPECT_TRUE(Stored(terminated).has_value());
  clock_.Advance(absl::Minutes(1));
  ASSERT_THAT(sessions_->Sweep(), IsOk());
  EXPECT_FALSE(Stored(placeholder).has_value());
  EXPECT_FALSE(Stored(terminated).has_value());
  EXPECT_TRUE(Stored(idle).has_value());
  clock_.Advance(absl::Hours(20));
  ASSERT_TRUE(IsLive(kept));
  clock_.Advance(absl::Hours(20));
  ASSERT_THAT(sessions_->Sweep(), IsOk());
  EXPECT_FALSE(Stored(idle).has_value());
  EXPECT_TRUE(Stored(kept).has_value());
}

TEST_P(SessionsTest, LastUsesAreWrittenSeldomAndAllAtTheEnd) {
  const std::string id = Initialize(*sessions_, ada_);
  const int writes = store_.writes;
  for (int minute = 0; minute < 60; ++minute) {
    clock_.Advance(absl::Minutes(1));
    ASSERT_TRUE(IsLive(id));
    ASSERT_THAT(sessions_->WriteLastUses(/*all=*/false), IsOk());
  }
  EXPECT_EQ(store_.writes, writes);
  clock_.Advance(absl::Minutes(12));
  ASSERT_TRUE(IsLive(id));
  ASSERT_THAT(sessions_->WriteLastUses(/*all=*/false), IsOk());
  EXPECT_EQ(store_.writes, writes + 1);
  EXPECT_EQ(Stored(id)->last_seen_unix_ms(), absl::ToUnixMillis(clock_.Now()));
  clock_.Advance(absl::Minutes(1));
  ASSERT_TRUE(IsLive(id));
  ASSERT_THAT(sessions_->WriteLastUses(/*all=*/true), IsOk());
  EXPECT_EQ(Stored(id)->last_seen_unix_ms(), absl::ToUnixMillis(clock_.Now()));
}

// A stop does not wait for the sync of many thousands.
TEST_P(SessionsTest, LastUsesAreWrittenForNoLongerThanThereIsTime) {
  Initialize(*sessions_, ada_);
  clock_.Advance(absl::Minutes(1));
  const std::string id = Initialize(*sessions_, ada_);
  ASSERT_TRUE(IsLive(id));
  const int writes = store_.writes;
  EXPECT_THAT(sessions_->WriteLastUses(/*all=*/true, absl::ZeroDuration()),
              IsOk());
  EXPECT_EQ(store_.writes, writes);
  EXPECT_TRUE(IsLive(id));
}

// Killed 71 minutes after the last write: those minutes are not taken away.
TEST_P(SessionsTest, AKilledProcessTakesNoLifeAway) {
  const std::string id = Initialize(*sessions_, ada_);
  clock_.Advance(absl::Minutes(71));
  ASSERT_TRUE(IsLive(id));
  sessions_ = NewSessions();
  clock_.Advance(absl::Hours(24) - absl::Milliseconds(1));
  EXPECT_TRUE(IsLive(id));
}

TEST_P(SessionsTest, AfterARotationOfKeysSessionsLiveOnAndAreRehashed) {
  const std::string id = Initialize(*sessions_, ada_);
  const SecretKey old_key = ToSecretKey(std::string(32, 'k'));
  const SecretKey new_key = ToSecretKey(std::string(32, 'n'));
  const PrincipalHasher rotated(KeyRing({new_key, old_key}));
  Sessions sessions(store_, rotated, {}, clock_.AsFunction());
  EXPECT_THAT(*sessions.List(ada_), SizeIs(1));
  ASSERT_TRUE(sessions.Validate(ada_, id)->has_value());
  EXPECT_EQ(Stored(id)->principal_key_id(), new_key.id);
  EXPECT_THAT(*sessions.List(ada_), SizeIs(1));

  // Now the old key can go.
  const PrincipalHasher later(KeyRing({new_key}));
  Sessions last(store_, later, {}, clock_.AsFunction());
  EXPECT_TRUE(last.Validate(ada_, id)->has_value());
}

TEST_P(SessionsTest, AnOperatorEndsASessionByItsPublicId) {
  const std::string id = Initialize(*sessions_, ada_);
  EXPECT_FALSE(*sessions_->TerminatePublic("0123456789abcdef"));
  EXPECT_TRUE(*sessions_->TerminatePublic(PublicId(RecordKey(id))));
  EXPECT_FALSE(IsLive(id));
}

TEST_P(SessionsTest, ListsHoldLiveOnesOnly) {
  const std::string id = Initialize(*sessions_, ada_);
  ASSERT_THAT(sessions_->Generate(ada_), IsOk());
  Initialize(*sessions_, bob_);
  EXPECT_THAT(*sessions_->List(ada_), SizeIs(1));
  EXPECT_THAT(*sessions_->List(std::nullopt), SizeIs(2));
  clock_.Advance(absl::Hours(25));
  EXPECT_THAT(*sessions_->List(std::nullopt), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, SessionsTest, AllStores(), NameOfStore);

}  // namespace
}  // namespace banyan::sessiond
