// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/edit_transaction.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lspd/edits/edit_journal.h"
#include "proto/rpc/error_reason.h"
#include "tests/lspd/edits/transaction_fixture.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

namespace fs = std::filesystem;

using EditTransactionTest = TransactionFixture;

TEST_F(EditTransactionTest, ChangesCreatesAndDeletesTogether) {
  folder_.Write("a.txt", "old");
  folder_.Write("gone.txt", "bye");
  EXPECT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new"),
                                     {.path = "deep/er/b.txt", .after = "b"},
                                     {.path = "gone.txt", .before = "bye"}}),
              IsOk());
  EXPECT_EQ(Text("a.txt"), "new");
  EXPECT_EQ(Text("deep/er/b.txt"), "b");
  EXPECT_EQ(Text("gone.txt"), "(none)");
}

TEST_F(EditTransactionTest, OneFileThatIsAnotherStopsAllAndShowsTheDifference) {
  folder_.Write("a.txt", "old");
  folder_.Write("b.txt", "theirs");
  const auto result = CommitChanges(*root_, {Change("a.txt", "old", "new"),
                                             {.path = "c.txt", .after = "c"},
                                             Change("b.txt", "ours", "newer")});
  EXPECT_THAT(result, HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  EXPECT_THAT(std::string(result.status().message()),
              testing::AllOf(testing::HasSubstr("-ours"),
                             testing::HasSubstr("+theirs")));
  EXPECT_EQ(Text("a.txt"), "old");
  EXPECT_EQ(Text("b.txt"), "theirs");
  EXPECT_EQ(Text("c.txt"), "(none)");
  EXPECT_EQ(Stages(), 0);
}

// Somebody saves between our look and our rename: the gap that a check alone
// leaves open.
TEST_F(EditTransactionTest, ASaveRightBeforeTheRenameIsSeenAndKept) {
  for (const bool replaces_file : {false, true}) {
    folder_.Write("a.txt", "old");
    folder_.Write("b.txt", "old");
    CommitOptions options;
    options.on_step = [&](absl::string_view step) {
      if (step != "change 1") return;
      if (replaces_file) {
        folder_.Write("b.tmp", "theirs");
        fs::rename(folder_.PathOf("b.tmp"), folder_.PathOf("b.txt"));
      } else {
        folder_.Write("b.txt", "theirs");
      }
    };
    EXPECT_THAT(CommitChanges(*root_,
                              {Change("a.txt", "old", "new"),
                               Change("b.txt", "old", "new")},
                              options),
                HasReason(rpc::v1::ERROR_REASON_CONFLICT));
    EXPECT_EQ(Text("a.txt"), "old");
    EXPECT_EQ(Text("b.txt"), "theirs");
  }
}

TEST_F(EditTransactionTest, AWriteThroughADescriptorThatWasOpenIsNotLost) {
  folder_.Write("a.txt", "old");
  folder_.Write("b.txt", "old");
  const int fd = ::open(folder_.PathOf("a.txt").c_str(), O_WRONLY);
  CommitOptions options;
  options.on_step = [&](absl::string_view step) {
    if (step == "change 1") {
      EXPECT_EQ(::pwrite(fd, "theirs", 6, 0), 6);
    }
  };
  EXPECT_THAT(CommitChanges(*root_,
                            {Change("a.txt", "old", "new"),
                             Change("b.txt", "old", "new")},
                            options),
              HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  ::close(fd);
  EXPECT_EQ(Text("a.txt"), "theirs");
  EXPECT_EQ(Text("b.txt"), "old");
}

TEST_F(EditTransactionTest, AFileThatAppearsMeanwhileIsNotOverwritten) {
  CommitOptions options;
  options.on_step = [&](absl::string_view step) {
    if (step == "change 0") folder_.Write("new.txt", "theirs");
  };
  EXPECT_THAT(
      CommitChanges(*root_, {{.path = "new.txt", .after = "ours"}}, options),
      HasReason(rpc::v1::ERROR_REASON_CONFLICT));
  EXPECT_EQ(Text("new.txt"), "theirs");
}

TEST_F(EditTransactionTest, ModeAndAttributesStay) {
  folder_.Write("run.sh", "old");
  ASSERT_EQ(::chmod(folder_.PathOf("run.sh").c_str(), 0755), 0);
  const bool has_attributes = ::setxattr(folder_.PathOf("run.sh").c_str(),
                                         "user.banyan", "x", 1, 0) == 0;
  ASSERT_THAT(CommitChanges(*root_, {Change("run.sh", "old", "new")}), IsOk());
  EXPECT_EQ(Text("run.sh"), "new");
  EXPECT_EQ(ModeOf("run.sh"), 0755);
  if (!has_attributes) GTEST_SKIP() << "no extended attributes here";
  char value = 0;
  EXPECT_EQ(
      ::getxattr(folder_.PathOf("run.sh").c_str(), "user.banyan", &value, 1),
      1);
}

TEST_F(EditTransactionTest, TheOwnerStays) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs another owner";
  folder_.Write("theirs.txt", "old");
  ASSERT_EQ(::chown(folder_.PathOf("theirs.txt").c_str(), 1234, 4321), 0);
  ASSERT_THAT(CommitChanges(*root_, {Change("theirs.txt", "old", "new")}),
              IsOk());
  struct stat info {};
  ASSERT_EQ(::stat(folder_.PathOf("theirs.txt").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 1234);
  EXPECT_EQ(info.st_gid, 4321);
}

TEST_F(EditTransactionTest, AHardLinkStaysOneFile) {
  folder_.Write("a.txt", "old");
  fs::create_hard_link(folder_.PathOf("a.txt"), folder_.PathOf("same.txt"));
  ASSERT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "newer text")}),
              IsOk());
  EXPECT_EQ(Text("same.txt"), "newer text");
  EXPECT_EQ(fs::hard_link_count(folder_.PathOf("a.txt")), 2);
}

TEST_F(EditTransactionTest, AWriteProtectedFileIsLeftAlone) {
  folder_.Write("a.txt", "old");
  folder_.Write("b.txt", "old");
  ASSERT_EQ(::chmod(folder_.PathOf("b.txt").c_str(), 0444), 0);
  EXPECT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new"),
                                     Change("b.txt", "old", "new")}),
              HasReason(rpc::v1::ERROR_REASON_PATH_FORBIDDEN));
  EXPECT_EQ(Text("a.txt"), "old");
}

TEST_F(EditTransactionTest, TheGrantIsLookedAtOnceMoreBeforeTheFirstFile) {
  folder_.Write("a.txt", "old");
  CommitOptions options;
  options.may_commit = [] {
    return rpc::Error(rpc::v1::ERROR_REASON_HANDLE_GONE, "released");
  };
  EXPECT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new")}, options),
              HasReason(rpc::v1::ERROR_REASON_HANDLE_GONE));
  EXPECT_EQ(Text("a.txt"), "old");
  EXPECT_EQ(Stages(), 0);
}

// Without a journal that is believed, a crash would leave half an edit.
TEST_F(EditTransactionTest, NothingIsChangedWhenTheJournalCannotBeNamed) {
  folder_.Write("a.txt", "old");
  CommitOptions options;
  options.on_step = [&](absl::string_view step) {
    if (step != "name the journal") return;
    for (const auto& entry :
         fs::directory_iterator(folder_.PathOf(".banyan/edits"))) {
      if (entry.is_directory()) std::ofstream(entry.path() / "journal") << "x";
    }
  };
  EXPECT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new")}, options),
              HasReason(rpc::v1::ERROR_REASON_PATH_FORBIDDEN));
  EXPECT_EQ(Text("a.txt"), "old");
  EXPECT_EQ(Stages(), 0);
}

TEST_F(EditTransactionTest, AFolderOfOursThatIsALinkIsRefused) {
  folder_.Write("a.txt", "old");
  fs::create_directories(folder_.PathOf(".banyan"));
  fs::create_directories(folder_.PathOf("elsewhere"));
  fs::create_directory_symlink("../elsewhere", folder_.PathOf(".banyan/edits"));
  EXPECT_THAT(CommitChanges(*root_, {Change("a.txt", "old", "new")}),
              HasReason(rpc::v1::ERROR_REASON_PATH_FORBIDDEN));
  EXPECT_EQ(Text("a.txt"), "old");
}

}  // namespace
}  // namespace banyan::lspd
