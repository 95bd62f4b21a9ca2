// SPDX-License-Identifier: Apache-2.0
//
// Modes and access change the record first: behaviours 56 to 58, where
// "decorated" is a handle whose modes or access were changed. Two daemons on
// one store, A and B.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sessiond/bindings/authorizer.h"
#include "sessiond/store/record_id.h"
#include "tests/support/binding_fixture.h"

namespace banyan::sessiond {
namespace {

using ::testing::ElementsAre;

using rpc::v1::ERROR_REASON_HANDLE_GONE;
using session::v1::UpdateWorkspaceRequest;

class DecoratedHandlesTest : public BindingFixture,
                             public ::testing::WithParamInterface<StoreKind> {
 protected:
  DecoratedHandlesTest() : BindingFixture(GetParam()) {}

  UpdateWorkspaceRequest Planning(const std::string& handle) {
    UpdateWorkspaceRequest request;
    *request.mutable_principal() = ada_;
    request.set_handle(handle);
    request.mutable_modes()->add_modes("planning");
    return request;
  }

  absl::Status Edit(Authorizer& authorizer, const std::string& handle) {
    session::v1::AuthorizeRequest request;
    *request.mutable_principal() = ada_;
    request.set_workspace(handle);
    request.set_access(session::v1::ACCESS_READ_WRITE);
    request.set_tool("replace_content");
    request.set_tool_group("editing");
    return authorizer.Authorize(request).status();
  }

  GrantSigner signer_ =
      *GrantSigner::Create(KeyRing::Ephemeral(), clock_.Now());
  // B.
  const std::unique_ptr<Sessions> other_sessions_ = NewSessions();
  Bindings other_bindings_{store_,    hasher_, *other_sessions_,
                           projects_, {},      clock_.AsFunction()};
  Authorizer other_authorizer_{*other_sessions_, other_bindings_,
                               projects_,        hasher_,
                               signer_,          clock_.AsFunction()};
};

TEST_P(DecoratedHandlesTest, Behaviour56WhatAChangesBJudgesByAtOnce) {
  const std::string handle = Bind(ada_, "", "back");
  ASSERT_THAT(Edit(other_authorizer_, handle), IsOk());
  const auto changed = bindings_->Update(Planning(handle));
  ASSERT_THAT(changed, IsOk());
  EXPECT_THAT(changed->record.modes(), ElementsAre("planning"));
  EXPECT_EQ(changed->record.handle(), handle);
  EXPECT_THAT(Edit(other_authorizer_, handle),
              HasReason(rpc::v1::ERROR_REASON_TOOL_HIDDEN));
}

TEST_P(DecoratedHandlesTest, Behaviour57AnUnknownHandleIsAnError) {
  const int writes = store_.writes;
  EXPECT_THAT(bindings_->Update(Planning(NewWorkspaceHandle())),
              HasReason(ERROR_REASON_HANDLE_GONE));
  EXPECT_THAT(bindings_->Update(Planning("")),
              HasReason(ERROR_REASON_HANDLE_GONE));
  EXPECT_EQ(store_.writes, writes);
}

TEST_P(DecoratedHandlesTest, Behaviour58OneThatEndsMeanwhileStaysEnded) {
  const std::string handle = Bind(ada_, "", "back");
  store_.after_load = [&] {
    ASSERT_TRUE(*other_bindings_.Release(ada_, handle, ""));
  };
  EXPECT_THAT(bindings_->Update(Planning(handle)),
              HasReason(ERROR_REASON_HANDLE_GONE));
  EXPECT_THAT(Edit(other_authorizer_, handle),
              HasReason(ERROR_REASON_HANDLE_GONE));
}

// W1 for handles: neither of two changes undoes the other.
TEST_P(DecoratedHandlesTest, WeakSpot1ChangesOfBothSidesAreKept) {
  const std::string handle = Bind(ada_, "", "back");
  std::thread a(
      [&] { EXPECT_THAT(bindings_->Update(Planning(handle)), IsOk()); });
  UpdateWorkspaceRequest narrow;
  *narrow.mutable_principal() = ada_;
  narrow.set_handle(handle);
  narrow.set_access(session::v1::ACCESS_READ_ONLY);
  EXPECT_THAT(other_bindings_.Update(narrow), IsOk());
  a.join();
  const auto live = bindings_->Get(ada_, handle);
  ASSERT_THAT(live, IsOk());
  EXPECT_THAT(live->record.modes(), ElementsAre("planning"));
  EXPECT_EQ(live->record.access(), session::v1::ACCESS_READ_ONLY);
}

TEST_P(DecoratedHandlesTest, AccessIsNarrowedAndNeverWidened) {
  const std::string handle =
      Bind(ada_, "", "back", session::v1::ACCESS_READ_ONLY);
  UpdateWorkspaceRequest widen;
  *widen.mutable_principal() = ada_;
  widen.set_handle(handle);
  // Nor to a value that only a newer program knows.
  for (const int access : {int{session::v1::ACCESS_READ_WRITE}, 99}) {
    widen.set_access(static_cast<session::v1::Access>(access));
    EXPECT_THAT(bindings_->Update(widen),
                HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  }
  EXPECT_EQ(bindings_->Get(ada_, handle)->record.access(),
            session::v1::ACCESS_READ_ONLY);
}

TEST_P(DecoratedHandlesTest, AChangeOfWhatWasNotReadIsRefused) {
  const std::string handle = Bind(ada_, "", "back");
  UpdateWorkspaceRequest request = Planning(handle);
  request.set_expected_version(bindings_->Get(ada_, handle)->record.version() +
                               1);
  EXPECT_THAT(bindings_->Update(request),
              HasReason(rpc::v1::ERROR_REASON_VERSION_CONFLICT));
  request = Planning(handle);
  request.mutable_modes()->add_modes("no such mode");
  EXPECT_THAT(bindings_->Update(request),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
  request = Planning(handle);
  *request.mutable_principal() = bob_;
  EXPECT_THAT(bindings_->Update(request), HasReason(ERROR_REASON_HANDLE_GONE));
  EXPECT_EQ(bindings_->Get(ada_, handle)->record.modes_size(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, DecoratedHandlesTest, AllStores(), NameOfStore);

}  // namespace
}  // namespace banyan::sessiond
