// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/open_documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class OpenDocumentsTest : public testing::Test {
 protected:
  OpenDocuments::Options Options() {
    OpenDocuments::Options options;
    options.notify = [this](absl::string_view method, const json& params) {
      sent_.push_back({{"method", std::string(method)}, {"params", params}});
      return send_status_;
    };
    options.document_id = [](absl::string_view path) {
      return path.find(".md") == absl::string_view::npos ? "cpp" : "";
    };
    return options;
  }

  std::vector<std::string> Methods() const {
    std::vector<std::string> methods;
    for (const json& message : sent_) {
      methods.push_back(message["method"].get<std::string>());
    }
    return methods;
  }

  std::vector<json> sent_;
  absl::Status send_status_;
};

TEST_F(OpenDocumentsTest, OpensOnceAndChangesWithTheWholeText) {
  OpenDocuments documents(Options());
  ASSERT_THAT(documents.Sync("/r/a b.cc", "one", "h1"), IsOk());
  ASSERT_THAT(documents.Sync("/r/a b.cc", "one", "h1"), IsOk());
  ASSERT_THAT(documents.Sync("/r/a b.cc", "two", "h2"), IsOk());
  ASSERT_THAT(Methods(),
              ElementsAre("textDocument/didOpen", "textDocument/didChange"));
  const json& opened = sent_[0]["params"]["textDocument"];
  EXPECT_EQ(opened["uri"], "file:///r/a%20b.cc");
  EXPECT_EQ(opened["languageId"], "cpp");
  EXPECT_EQ(opened["text"], "one");
  const json& change = sent_[1]["params"];
  EXPECT_EQ(change["contentChanges"], json::parse(R"([{"text": "two"}])"));
  EXPECT_EQ(documents.SentHash("/r/a b.cc"), "h2");
}

TEST_F(OpenDocumentsTest, VersionsGrowEvenAcrossAReopening) {
  OpenDocuments::Options options = Options();
  options.max_open = 1;
  OpenDocuments documents(options);
  int last = 0;
  for (const char* hash : {"1", "2", "3"}) {
    for (const char* path : {"/r/a.cc", "/r/b.cc"}) {
      ASSERT_OK_AND_ASSIGN(const DocumentPin pin,
                           documents.Sync(path, hash, hash));
      EXPECT_GT(pin.version(), last);
      EXPECT_EQ(documents.VersionOf(pin.uri()), pin.version());
      last = pin.version();
    }
  }
}

TEST_F(OpenDocumentsTest, ClosesTheLongestUnusedButNothingThatIsHeld) {
  OpenDocuments::Options options = Options();
  options.max_open = 2;
  OpenDocuments documents(options);
  {
    ASSERT_OK_AND_ASSIGN(const DocumentPin held,
                         documents.Sync("/r/a", "", ""));
    ASSERT_THAT(documents.Sync("/r/b", "", ""), IsOk());
    ASSERT_THAT(documents.Sync("/r/c", "", ""), IsOk());
    EXPECT_TRUE(documents.IsOpen("/r/a"));
    EXPECT_FALSE(documents.IsOpen("/r/b"));
    EXPECT_EQ(documents.size(), 2u);
  }
  ASSERT_THAT(documents.Sync("/r/d", "", ""), IsOk());
  EXPECT_FALSE(documents.IsOpen("/r/a"));
}

TEST_F(OpenDocumentsTest, WhatIsHeldMayPassTheLimitUntilItIsGivenBack) {
  OpenDocuments::Options options = Options();
  options.max_open = 1;
  OpenDocuments documents(options);
  {
    ASSERT_OK_AND_ASSIGN(const DocumentPin a, documents.Sync("/r/a", "", ""));
    ASSERT_OK_AND_ASSIGN(const DocumentPin b, documents.Sync("/r/b", "", ""));
    EXPECT_EQ(documents.size(), 2u);
  }
  EXPECT_EQ(documents.size(), 1u);
}

TEST_F(OpenDocumentsTest, SendsTextThatIsNotUtf8InAFormThatJsonCanHold) {
  OpenDocuments documents(Options());
  ASSERT_THAT(documents.Sync("/r/a.cc", "x\xff\xfey", "h"), IsOk());
  EXPECT_NO_THROW(static_cast<void>(sent_[0].dump()));
}

TEST_F(OpenDocumentsTest, AByteOrderMarkIsNoTextOfTheFirstLine) {
  OpenDocuments documents(Options());
  ASSERT_THAT(documents.Sync("/r/a.cc", "\xEF\xBB\xBFone", "h1"), IsOk());
  ASSERT_THAT(documents.Sync("/r/a.cc", "\xEF\xBB\xBFtwo", "h2"), IsOk());
  EXPECT_EQ(sent_[0]["params"]["textDocument"]["text"], "one");
  EXPECT_EQ(sent_[1]["params"]["contentChanges"][0]["text"], "two");
}

TEST_F(OpenDocumentsTest, AServerThatIsGoneIsAnError) {
  OpenDocuments documents(Options());
  send_status_ = rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN, "gone");
  EXPECT_THAT(documents.Sync("/r/a.cc", "", ""),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  EXPECT_FALSE(documents.IsOpen("/r/a.cc"));
}

TEST_F(OpenDocumentsTest, ReportsOnlyWhatTheServerWatches) {
  OpenDocuments documents(Options());
  documents.WatchFiles("1", json::parse(R"({"watchers": [
      {"globPattern": "**/*.go", "kind": 3},
      {"globPattern": {"baseUri": "file:///r/conf", "pattern": "*.toml"}},
      {"globPattern": {"baseUri": {"uri": "file:///w", "name": "w"},
                       "pattern": "**"}}]})"));
  ASSERT_OK_AND_ASSIGN(
      const auto wanted,
      documents.FilesChanged({{"/r/a.go", DiskChange::Kind::kCreated},
                              {"/r/b.go", DiskChange::Kind::kDeleted},
                              {"/r/c.txt", DiskChange::Kind::kChanged},
                              {"/r/conf/d.toml", DiskChange::Kind::kDeleted},
                              {"/r/e.toml", DiskChange::Kind::kChanged},
                              {"/w/f", DiskChange::Kind::kChanged}}));
  EXPECT_THAT(wanted, IsEmpty());
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0]["params"]["changes"], json::parse(R"([
      {"uri": "file:///r/a.go", "type": 1},
      {"uri": "file:///r/conf/d.toml", "type": 3},
      {"uri": "file:///w/f", "type": 2}])"));
}

TEST_F(OpenDocumentsTest, RegistrationsAreReplacedAndTakenBackById) {
  OpenDocuments documents(Options());
  const json all = json::parse(R"({"watchers": [{"globPattern": "**"}]})");
  const json none = json::parse(R"({"watchers": []})");
  documents.WatchFiles("1", all);
  documents.WatchFiles("1", none);
  ASSERT_THAT(documents.FilesChanged({{"/r/a", DiskChange::Kind::kChanged}}),
              IsOk());
  EXPECT_THAT(sent_, IsEmpty());
  documents.WatchFiles("2", all);
  documents.UnwatchFiles("2");
  ASSERT_THAT(documents.FilesChanged({{"/r/a", DiskChange::Kind::kChanged}}),
              IsOk());
  EXPECT_THAT(sent_, IsEmpty());
}

TEST_F(OpenDocumentsTest, MalformedRegistrationsAreNotTakenForAnything) {
  OpenDocuments documents(Options());
  documents.WatchFiles("1", json::parse(R"({"watchers": [7, {}, {"globPattern":
      []}, {"globPattern": {"baseUri": 7}}]})"));
  documents.WatchFiles("2", json(nullptr));
  documents.WatchFiles("3", json::parse(R"({"watchers": "x"})"));
}

TEST_F(OpenDocumentsTest, AsksForTheNewTextOfOpenFilesAndClosesDeletedOnes) {
  OpenDocuments documents(Options());
  ASSERT_THAT(documents.Sync("/r/a.cc", "1", "1"), IsOk());
  ASSERT_THAT(documents.Sync("/r/b.cc", "1", "1"), IsOk());
  sent_.clear();
  ASSERT_OK_AND_ASSIGN(
      const auto wanted,
      documents.FilesChanged({{"/r/a.cc", DiskChange::Kind::kChanged},
                              {"/r/b.cc", DiskChange::Kind::kDeleted},
                              {"/r/c.cc", DiskChange::Kind::kChanged}}));
  EXPECT_THAT(wanted, ElementsAre("/r/a.cc"));
  EXPECT_THAT(Methods(), ElementsAre("textDocument/didClose"));
  EXPECT_FALSE(documents.IsOpen("/r/b.cc"));
}

// clangd: what it has not open it does not read again.
TEST_F(OpenDocumentsTest, AServerThatReopensGetsEveryChangedSource) {
  OpenDocuments::Options options = Options();
  options.reopens_changed_files = true;
  options.watches_unregistered = true;
  OpenDocuments documents(options);
  ASSERT_OK_AND_ASSIGN(
      const auto wanted,
      documents.FilesChanged({{"/r/c.cc", DiskChange::Kind::kChanged},
                              {"/r/new.cc", DiskChange::Kind::kCreated},
                              {"/r/x.md", DiskChange::Kind::kChanged}}));
  EXPECT_THAT(wanted, UnorderedElementsAre("/r/c.cc", "/r/new.cc"));
  EXPECT_THAT(Methods(), ElementsAre("workspace/didChangeWatchedFiles"));
}

TEST_F(OpenDocumentsTest, AChangedHeaderMakesAllItsReadersOpenAnew) {
  OpenDocuments::Options options = Options();
  options.reopens_changed_files = true;
  OpenDocuments documents(options);
  ASSERT_OK_AND_ASSIGN(DocumentPin held, documents.Sync("/r/a.cc", "1", "1"));
  ASSERT_THAT(documents.Sync("/r/b.cc", "1", "1"), IsOk());
  sent_.clear();
  ASSERT_THAT(documents.FilesChanged({{"/r/x.h", DiskChange::Kind::kChanged}}),
              IsOk());
  EXPECT_THAT(Methods(), ElementsAre("textDocument/didClose"));
  sent_.clear();
  // Held by somebody: it cannot be closed, so the server is told to reread.
  ASSERT_THAT(documents.Sync("/r/a.cc", "1", "1"), IsOk());
  ASSERT_THAT(Methods(), ElementsAre("textDocument/didChange"));
  EXPECT_EQ(sent_[0]["params"]["forceRebuild"], true);
}

TEST_F(OpenDocumentsTest, SavesAreToldOnlyToServersThatWantThem) {
  OpenDocuments documents(Options());
  documents.SendSaves(/*includes_text=*/true);
  ASSERT_THAT(documents.Sync("/r/a.cc", "1", "1"), IsOk());
  ASSERT_THAT(documents.Sync("/r/a.cc", "2", "2"), IsOk());
  ASSERT_THAT(Methods(),
              ElementsAre("textDocument/didOpen", "textDocument/didChange",
                          "textDocument/didSave"));
  EXPECT_EQ(sent_[2]["params"]["text"], "2");
}

TEST_F(OpenDocumentsTest, ClosesExactlyWhatLiesBeneathAFolder) {
  OpenDocuments documents(Options());
  for (const char* path : {"/r/a.cc", "/r/x/b.cc", "/root/c.cc"}) {
    ASSERT_THAT(documents.Sync(path, "", ""), IsOk());
  }
  documents.CloseBeneath("/r");
  EXPECT_EQ(documents.size(), 1u);
  EXPECT_TRUE(documents.IsOpen("/root/c.cc"));
}

TEST_F(OpenDocumentsTest, ManyThreadsNeverSendAVersionOutOfOrder) {
  OpenDocuments documents(Options());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&documents, t] {
      for (int i = 0; i < 200; ++i) {
        const std::string hash = std::to_string(t * 1000 + i);
        documents.Sync("/r/a.cc", hash, hash).status().IgnoreError();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int last = 0;
  for (const json& message : sent_) {
    const int version = message["params"]["textDocument"]["version"].get<int>();
    ASSERT_GT(version, last);
    last = version;
  }
}

}  // namespace
}  // namespace banyan::lspd
