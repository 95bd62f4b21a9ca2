// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/workspace_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "proto/rpc/error_reason.h"
#include "tests/support/git_repo.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FakeRootLeases : public RootLeases {
 public:
  absl::StatusOr<int64_t> Acquire(const std::string& root,
                                  const rpc::CallContext& call) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++acquired_;
    deadline_ = call.deadline;
    if (const auto owner = owners_.find(root); owner != owners_.end()) {
      rpc::v1::ErrorDetail detail;
      detail.set_reason(rpc::v1::ERROR_REASON_MOVED);
      detail.set_owner(owner->second);
      return rpc::Error(detail, "moved");
    }
    held_.insert(root);
    return 7;
  }
  bool IsHeld(const std::string& root) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return held_.count(root) > 0;
  }
  void Release(const std::string& root) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_.erase(root);
  }

  void GiveTo(const std::string& root, const std::string& owner) {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_.erase(root);
    owners_[root] = owner;
  }
  int acquired() const { return acquired_; }
  absl::Time deadline() const { return deadline_; }
  std::set<std::string> held() const { return held_; }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> held_;
  std::map<std::string, std::string> owners_;
  int acquired_ = 0;
  absl::Time deadline_;
};

class WorkspaceRegistryTest : public ::testing::Test {
 protected:
  WorkspaceRegistryTest() {
    for (const char* const folder :
         {"root/one", "root/two", "root-evil/three"}) {
      fs::create_directories(folder_.PathOf(folder));
    }
  }

  std::unique_ptr<WorkspaceRegistry> NewRegistry() {
    WorkspaceRegistry::Options options;
    options.workspaces_roots = {folder_.PathOf("root")};
    options.on_closed = [this](const Workspace& workspace) {
      closed_.push_back(workspace.root().path());
    };
    return std::make_unique<WorkspaceRegistry>(leases_, std::move(options));
  }

  session::v1::Grant GrantOf(const std::string& folder) const {
    session::v1::Grant grant;
    grant.set_root(folder_.PathOf(folder));
    grant.set_access(session::v1::ACCESS_READ_WRITE);
    return grant;
  }

  static void Bind(const Workspace& workspace, session::v1::Grant* grant) {
    const RootIdentity& identity = workspace.root().identity();
    grant->mutable_identity()->set_device(identity.device);
    grant->mutable_identity()->set_inode(identity.inode);
    grant->mutable_identity()->set_birth_ns(identity.birth_ns);
  }

  TempWorkspace folder_;
  FakeRootLeases leases_;
  std::vector<std::string> closed_;
  rpc::CallContext call_;
};

TEST_F(WorkspaceRegistryTest, OpensARootOnceHoweverItIsSpelled) {
  fs::create_symlink("root/one", folder_.PathOf("alias"));
  const auto registry = NewRegistry();
  ASSERT_OK_AND_ASSIGN(const auto first,
                       registry->Open(GrantOf("root/one"), call_));
  EXPECT_EQ(first->root().path(), folder_.PathOf("root/one"));
  EXPECT_EQ(first->lease_epoch(), 7);
  EXPECT_EQ(*registry->Open(GrantOf("root/one"), call_), first);
  EXPECT_EQ(*registry->Open(GrantOf("alias"), call_), first);
  EXPECT_EQ(*registry->Open(GrantOf("root/two/../one"), call_), first);
  EXPECT_EQ(leases_.acquired(), 1);
  EXPECT_THAT(registry->OpenRoots(), ElementsAre(folder_.PathOf("root/one")));
}

TEST_F(WorkspaceRegistryTest, AllowsOnlyWhatLiesBeneathByItsRealPath) {
  fs::create_symlink("../root-evil/three", folder_.PathOf("root/disguised"));
  const auto registry = NewRegistry();
  for (const char* const folder :
       {"root-evil/three", "root/disguised", "root/../root-evil/three", ""}) {
    EXPECT_THAT(registry->Open(GrantOf(folder), call_),
                HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED))
        << folder;
  }
  EXPECT_THAT(registry->Open(GrantOf("root"), call_), IsOk());
  EXPECT_THAT(registry->Open(GrantOf("root/none"), call_),
              HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN));
}

TEST_F(WorkspaceRegistryTest, AllowsNothingWithoutAWorkspacesRoot) {
  WorkspaceRegistry registry(leases_, {});
  EXPECT_THAT(registry.Open(GrantOf("root/one"), call_),
              HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED));
}

TEST_F(WorkspaceRegistryTest, FindsTheRepositoryThatAProjectIsAPartOf) {
  Git(folder_.path(), "init -q");
  ASSERT_OK_AND_ASSIGN(const auto workspace,
                       NewRegistry()->Open(GrantOf("root/one"), call_));
  ASSERT_TRUE(workspace->repository().has_value());
  EXPECT_EQ(workspace->repository()->top(), folder_.path());
}

TEST_F(WorkspaceRegistryTest, TheInsideOfARepositoryIsNoProject) {
  fs::create_directories(folder_.PathOf("root/one/.git/modules"));
  EXPECT_THAT(NewRegistry()->Open(GrantOf("root/one/.git/modules"), call_),
              HasReason(rpc::v1::ERROR_REASON_PATH_FORBIDDEN));
}

TEST_F(WorkspaceRegistryTest, RefusesAFolderThatReplacedTheBoundOne) {
  const auto registry = NewRegistry();
  session::v1::Grant grant = GrantOf("root/one");
  Bind(**registry->Open(grant, call_), &grant);
  EXPECT_THAT(registry->Open(grant, call_), IsOk());

  fs::rename(folder_.PathOf("root/one"), folder_.PathOf("root/moved"));
  fs::create_directory(folder_.PathOf("root/one"));
  EXPECT_THAT(registry->Open(grant, call_),
              HasReason(rpc::v1::ERROR_REASON_ROOT_REPLACED));
  EXPECT_THAT(closed_, ElementsAre(folder_.PathOf("root/one")));
  EXPECT_THAT(leases_.held(), IsEmpty());

  // Bound anew, it is a root like any other.
  EXPECT_THAT(registry->Open(GrantOf("root/one"), call_), IsOk());
}

TEST_F(WorkspaceRegistryTest, SaysWhoOwnsARootThatLivesElsewhere) {
  leases_.GiveTo(folder_.PathOf("root/one"), "lspd-2:8432");
  const auto result = NewRegistry()->Open(GrantOf("root/one"), call_);
  EXPECT_THAT(result, HasReason(rpc::v1::ERROR_REASON_MOVED));
  EXPECT_EQ(rpc::DetailOf(result.status()).owner(), "lspd-2:8432");
}

TEST_F(WorkspaceRegistryTest, WaitsForALeaseOnlySoLong) {
  ASSERT_THAT(NewRegistry()->Open(GrantOf("root/one"), call_), IsOk());
  EXPECT_LE(leases_.deadline(), absl::Now() + absl::Seconds(3));
}

TEST_F(WorkspaceRegistryTest, GivesUpARootWhoseLeaseWasLost) {
  const auto registry = NewRegistry();
  ASSERT_THAT(registry->Open(GrantOf("root/one"), call_), IsOk());
  leases_.GiveTo(folder_.PathOf("root/one"), "lspd-2:8432");
  EXPECT_THAT(registry->Open(GrantOf("root/one"), call_),
              HasReason(rpc::v1::ERROR_REASON_MOVED));
  EXPECT_THAT(closed_, ElementsAre(folder_.PathOf("root/one")));
}

TEST_F(WorkspaceRegistryTest, MeetsAnotherProcessAtTheLock) {
  const auto registry = NewRegistry();
  {
    const auto other = *RootDirectory::Open(folder_.PathOf("root/one"), {});
    ASSERT_THAT(other->Lock(), IsOk());
    EXPECT_THAT(registry->Open(GrantOf("root/one"), call_),
                HasReason(rpc::v1::ERROR_REASON_ROOT_BUSY));
    EXPECT_THAT(leases_.held(), IsEmpty());
  }
  EXPECT_THAT(registry->Open(GrantOf("root/one"), call_), IsOk());
  const auto other = *RootDirectory::Open(folder_.PathOf("root/one"), {});
  EXPECT_THAT(other->Lock(), HasReason(rpc::v1::ERROR_REASON_ROOT_BUSY));
}

TEST_F(WorkspaceRegistryTest, ClosesWhatIsIdleAndNotHeld) {
  const auto registry = NewRegistry();
  auto held = *registry->Open(GrantOf("root/one"), call_);
  ASSERT_THAT(registry->Open(GrantOf("root/two"), call_), IsOk());
  registry->CloseIdle(absl::Hours(1));
  EXPECT_THAT(closed_, IsEmpty());
  registry->CloseIdle(absl::ZeroDuration());
  EXPECT_THAT(closed_, ElementsAre(folder_.PathOf("root/two")));
  EXPECT_THAT(registry->OpenRoots(), ElementsAre(folder_.PathOf("root/one")));
  held.reset();
  registry->CloseIdle(absl::ZeroDuration());
  EXPECT_THAT(registry->OpenRoots(), IsEmpty());
  EXPECT_THAT(leases_.held(), IsEmpty());
}

TEST_F(WorkspaceRegistryTest, LetsGoOfTheLockThoughSomebodyHoldsTheWorkspace) {
  auto registry = NewRegistry();
  const auto held = *registry->Open(GrantOf("root/one"), call_);
  registry.reset();
  const auto other = *RootDirectory::Open(folder_.PathOf("root/one"), {});
  EXPECT_THAT(other->Lock(), IsOk());
}

TEST_F(WorkspaceRegistryTest, ManyCallersOpenOneRootOnce) {
  const auto registry = NewRegistry();
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      EXPECT_THAT(registry->Open(GrantOf("root/one"), rpc::CallContext()),
                  IsOk());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(leases_.acquired(), 1);
}

}  // namespace
}  // namespace banyan::lspd
