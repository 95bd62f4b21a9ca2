// SPDX-License-Identifier: Apache-2.0
//
// A folder and a link to the outside change places a hundred thousand times
// while everything that reads does so.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lspd/workspace/workspace.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

constexpr int kSwaps = 100'000;
constexpr int kSearches = 20;
constexpr char kOutside[] = "outside_word";

class RenameRaceTest : public ::testing::Test {
 protected:
  RenameRaceTest() {
    for (int i = 0; i < 20; ++i) {
      parent_.Write(absl::StrCat("root/swapped/f", i, ".txt"),
                    "inside_word one\n");
      parent_.Write(absl::StrCat("outside/f", i, ".txt"),
                    absl::StrCat(kOutside, " one\n"));
    }
    parent_.Write("outside/only_outside.txt", absl::StrCat(kOutside, "\n"));
    std::filesystem::create_symlink("../outside", parent_.PathOf("root/other"));
    workspace_ = std::make_unique<Workspace>(
        *RootDirectory::Open(parent_.PathOf("root"), {}), parent_.path(), 1,
        Workspace::Options());
  }

  // Swaps until so many swaps are made and `is_done`.
  void Swap(const std::atomic<bool>& is_done) {
    const std::string one = parent_.PathOf("root/swapped");
    const std::string other = parent_.PathOf("root/other");
    for (int i = 0; i < kSwaps || !is_done; ++i) {
      ASSERT_EQ(::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(),
                            RENAME_EXCHANGE),
                0);
      ++swaps_;
    }
  }

  void ReadOnce() {
    const RootDirectory& root = workspace_->root();
    for (const char* const folder : {"swapped", "other"}) {
      const absl::StatusOr<FileContent> content =
          root.ReadFile(absl::StrCat(folder, "/f1.txt"));
      ++(content.ok() ? reads_ : refusals_);
      if (content.ok()) {
        EXPECT_EQ(content->bytes, "inside_word one\n");
      }
      const auto entries = root.ListDirectory(folder);
      if (entries.ok()) {
        EXPECT_EQ(entries->size(), 20u);
      }
      EXPECT_THAT(root.ReadFile(absl::StrCat(folder, "/only_outside.txt")).ok(),
                  false);
    }
  }

  void SearchOnce() {
    rpc::CallContext call;
    TextQuery query;
    query.pattern = "word";
    query.include_ignored_files = true;
    const absl::StatusOr<TextResult> hits =
        workspace_->text().Search(query, call);
    ASSERT_THAT(hits, IsOk());
    for (const TextHits& file : hits->files) {
      EXPECT_FALSE(absl::StrContains(file.relative_path, "only_outside"));
      for (const TextBlock& block : file.blocks) {
        for (const TextLine& line : block.lines) {
          EXPECT_EQ(line.text, "inside_word one") << file.relative_path;
        }
      }
    }
    const absl::StatusOr<Listing> listing =
        workspace_->files().ListDirectory("", true, false, call);
    ASSERT_THAT(listing, IsOk());
    const absl::StatusOr<Listing> found =
        workspace_->files().FindFiles("*.txt", "", call);
    ASSERT_THAT(found, IsOk());
    const absl::StatusOr<WordResult> words =
        workspace_->text().FilesContaining({.word = kOutside,
                                            .is_whole_word = true,
                                            .name_globs = {},
                                            .relative_path = ""},
                                           call);
    ASSERT_THAT(words, IsOk());
    for (const auto* const files :
         {&listing->files, &found->files, &words->files}) {
      for (const std::string& file : *files) {
        EXPECT_FALSE(absl::StrContains(file, "only_outside")) << file;
      }
    }
  }

  TempWorkspace parent_;
  std::unique_ptr<Workspace> workspace_;
  std::atomic<int> swaps_ = 0;
  std::atomic<int> reads_ = 0;
  std::atomic<int> refusals_ = 0;
};

TEST_F(RenameRaceTest, NoOutsideByteInAHundredThousandSwaps) {
  std::atomic<bool> is_done = false;
  std::thread swapper([&] { Swap(is_done); });
  std::thread searcher([&] {
    for (int i = 0; i < kSearches; ++i) SearchOnce();
    is_done = true;
  });
  while (!is_done || swaps_ < kSwaps) ReadOnce();
  searcher.join();
  swapper.join();
  EXPECT_GE(swaps_, kSwaps);
  // Both ways of ending were met, so the race was one.
  EXPECT_GT(reads_, 0);
  EXPECT_GT(refusals_, 0);
  RecordProperty("swaps", swaps_);
  RecordProperty("reads", reads_);
}

}  // namespace
}  // namespace banyan::lspd
