// SPDX-License-Identifier: Apache-2.0
//
// A server that died is taken off the records: behaviours 40 to 43 and 47 to
// 55, where "backend" is a language server. Two daemons on one store, A and B.
#include "sessiond/bindings/servers_in_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "sessiond/store/record_id.h"
#include "tests/support/binding_fixture.h"

namespace banyan::sessiond {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using rpc::v1::ERROR_REASON_HANDLE_GONE;
using session::v1::WorkspaceRecord;

class ServersInUseTest : public BindingFixture,
                         public ::testing::WithParamInterface<StoreKind> {
 protected:
  ServersInUseTest() : BindingFixture(GetParam()) {}

  std::optional<WorkspaceRecord> Stored(const std::string& handle) {
    return *TypedRecords<WorkspaceRecord>(store_).Load(RecordKey(handle));
  }

  ServersInUse a_{store_};
  ServersInUse b_{store_};
};

TEST_P(ServersInUseTest, Behaviour40And43RestoringAsksNoServerAndWaitsForNone) {
  const std::string session = Initialize(*sessions_, ada_);
  const std::string handle = Bind(ada_, session, "back");
  ASSERT_THAT(a_.Note("/srv/back", {}), IsOk());  // All of them are down.
  const int writes = store_.writes;
  Sessions restored(store_, hasher_, {}, clock_.AsFunction());
  Bindings bindings(store_, hasher_, restored, projects_, {},
                    clock_.AsFunction());
  EXPECT_THAT(restored.Use(ada_, session), IsOk());
  const auto live = bindings.Use(ada_, handle);
  ASSERT_THAT(live, IsOk());
  EXPECT_THAT(live->record.servers_in_use(), IsEmpty());
  EXPECT_EQ(store_.writes, writes);
}

TEST_P(ServersInUseTest, Behaviour41WhatDiedIsGoneForEveryDaemon) {
  Bind(ada_, "", "back");
  ASSERT_THAT(a_.Note("/srv/back", {"rust", "cpp", "cpp"}), IsOk());
  EXPECT_THAT(*b_.Of("/srv/back"), ElementsAre("cpp", "rust"));
  ASSERT_THAT(a_.Note("/srv/back", {"rust"}), IsOk());
  EXPECT_THAT(*b_.Of("/srv/back"), ElementsAre("rust"));
}

TEST_P(ServersInUseTest,
       Behaviour47And48AChangedListIsANewVersionAnEqualOneNone) {
  const std::string handle = Bind(ada_, "", "back");
  ASSERT_THAT(a_.Note("/srv/back", {"cpp"}), IsOk());
  const int64_t version = Stored(handle)->version();
  ASSERT_THAT(b_.Note("/srv/back", {"cpp"}), IsOk());
  EXPECT_EQ(Stored(handle)->version(), version);
  ASSERT_THAT(b_.Note("/srv/back", {"cpp", "rust"}), IsOk());
  EXPECT_EQ(Stored(handle)->version(), version + 1);
}

TEST_P(ServersInUseTest, Behaviour51WithoutItsLastServerAHandleLivesOn) {
  const std::string handle = Bind(ada_, "", "back");
  ASSERT_THAT(a_.Note("/srv/back", {"cpp"}), IsOk());
  ASSERT_THAT(a_.Note("/srv/back", {}), IsOk());
  EXPECT_THAT(*b_.Of("/srv/back"), IsEmpty());
  EXPECT_THAT(bindings_->Get(ada_, handle), IsOk());
}

TEST_P(ServersInUseTest, Behaviour49And52WhereNothingIsSaidNothingIsWritten) {
  Bind(ada_, "", "back");
  const int writes = store_.writes;
  for (int i = 0; i < 10; ++i) ASSERT_THAT(a_.Note("/srv/back", {}), IsOk());
  EXPECT_EQ(store_.writes, writes);
}

TEST_P(ServersInUseTest, Behaviour53ARootWithoutHandlesIsSilent) {
  Bind(ada_, "", "back");
  const int writes = store_.writes;
  EXPECT_THAT(a_.Note("/srv/nobody", {"cpp"}), IsOk());
  EXPECT_EQ(store_.writes, writes);
  EXPECT_THAT(*a_.Of("/srv/nobody"), IsEmpty());
}

TEST_P(ServersInUseTest, Behaviour54WhatHasEndedMeanwhileIsNotBroughtBack) {
  const std::string handle = Bind(ada_, "", "back");
  // Between the look at the list and the change of the record, by another.
  store_.after_load = [&] {
    ASSERT_TRUE(*bindings_->Release(ada_, handle, ""));
  };
  EXPECT_THAT(a_.Note("/srv/back", {"cpp"}), IsOk());
  EXPECT_FALSE(Stored(handle).has_value());
  EXPECT_THAT(bindings_->Get(ada_, handle),
              HasReason(ERROR_REASON_HANDLE_GONE));
  EXPECT_THAT(b_.Note("/srv/back", {"cpp"}), IsOk());
  EXPECT_FALSE(Stored(handle).has_value());
}

// What a caller holds stays what it was; its next look sees the change.
TEST_P(ServersInUseTest, Behaviour55TheNextLookSeesTheNotice) {
  const std::string handle = Bind(ada_, "", "back");
  ASSERT_THAT(a_.Note("/srv/back", {"cpp"}), IsOk());
  const auto held = bindings_->Get(ada_, handle);
  ASSERT_THAT(b_.Note("/srv/back", {}), IsOk());
  EXPECT_THAT(held->record.servers_in_use(), ElementsAre("cpp"));
  EXPECT_THAT(bindings_->Get(ada_, handle)->record.servers_in_use(), IsEmpty());
}

TEST_P(ServersInUseTest, OneRootsNoticeLeavesOthersAlone) {
  Bind(ada_, "", "back");
  Bind(bob_, "", "front");
  ASSERT_THAT(a_.Note("/srv/back", {"cpp"}), IsOk());
  ASSERT_THAT(a_.Note("/srv/front", {"go"}), IsOk());
  ASSERT_THAT(a_.Note("/srv/back", {}), IsOk());
  EXPECT_THAT(*b_.Of("/srv/front"), ElementsAre("go"));
}

TEST_P(ServersInUseTest, AStoreThatDoesNotAnswerIsAnErrorAndChangesNothing) {
  const std::string handle = Bind(ada_, "", "back");
  store_.fails_write = [](const RecordWrite&) { return "down"; };
  EXPECT_THAT(a_.Note("/srv/back", {"cpp"}),
              HasReason(rpc::v1::ERROR_REASON_STORE_UNREACHABLE));
  EXPECT_THAT(Stored(handle)->servers_in_use(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, ServersInUseTest, AllStores(), NameOfStore);

}  // namespace
}  // namespace banyan::sessiond
