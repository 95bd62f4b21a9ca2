// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/text_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lspd/workspace/workspace.h"
#include "proto/rpc/error_reason.h"
#include "tests/support/git_repo.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "path:3:text" for matches, "path-3-text" for context, "--" between blocks.
std::vector<std::string> Shown(const TextResult& result) {
  std::vector<std::string> shown;
  for (const TextHits& file : result.files) {
    for (size_t i = 0; i < file.blocks.size(); ++i) {
      if (i > 0) shown.push_back("--");
      for (const TextLine& line : file.blocks[i].lines) {
        const char* const mark = line.is_match ? ":" : "-";
        shown.push_back(absl::StrCat(file.relative_path, mark, line.number,
                                     mark, line.text));
      }
    }
  }
  return shown;
}

// "FILES_NOT_SEARCHED 3"
template <typename Result>
std::vector<std::string> Lacks(const Result& result) {
  std::vector<std::string> lacks;
  for (const lsp::v1::Incompleteness& entry : result.incomplete) {
    lacks.push_back(
        absl::StrCat(lsp::v1::IncompleteReason_Name(entry.reason())
                         .substr(std::string("INCOMPLETE_REASON_").size()),
                     " ", entry.count()));
  }
  return lacks;
}

class TextSearchTest : public ::testing::Test {
 protected:
  Workspace& workspace(TextSearch::Options options = {}) {
    Workspace::Options all;
    all.text = options;
    all.root.max_file_bytes = 100'000;
    if (!ripgrep_.empty()) all.proposals.ripgrep = ripgrep_;
    workspace_ = std::make_unique<Workspace>(
        *RootDirectory::Open(folder_.path(), all.root), folder_.path(), 1, all);
    return *workspace_;
  }

  TextResult Search(const TextQuery& query) {
    absl::StatusOr<TextResult> result = workspace().text().Search(query, call_);
    EXPECT_THAT(result, IsOk());
    return result.ok() ? *std::move(result) : TextResult();
  }

  TextResult Search(const std::string& pattern) {
    TextQuery query;
    query.pattern = pattern;
    return Search(query);
  }

  // In place of ripgrep from now on; `script` is for a shell.
  void ReplaceRipgrep(const std::string& script) {
    tools_.Write("rg", "#!/bin/sh\n" + script + "\n");
    ASSERT_EQ(::chmod(tools_.PathOf("rg").c_str(), 0755), 0);
    ripgrep_ = tools_.PathOf("rg");
  }

  TempWorkspace folder_;
  TempWorkspace tools_;
  std::string ripgrep_;
  std::unique_ptr<Workspace> workspace_;
  rpc::CallContext call_;
};

TEST_F(TextSearchTest, FindsLinesByPathAndNumber) {
  folder_.Write("b.txt", "one\nneedle\n");
  folder_.Write("a/c.txt", "needle needle\n\nneedle");
  const TextResult result = Search("needle");
  EXPECT_THAT(Shown(result), ElementsAre("a/c.txt:1:needle needle", "--",
                                         "a/c.txt:3:needle", "b.txt:2:needle"));
  EXPECT_EQ(result.match_count, 3);
  EXPECT_THAT(Lacks(result), IsEmpty());
}

TEST_F(TextSearchTest, NothingIsCompleteWhenNothingIsThere) {
  folder_.Write("a.txt", "one\n");
  const TextResult result = Search("needle");
  EXPECT_THAT(Shown(result), IsEmpty());
  EXPECT_THAT(Lacks(result), IsEmpty());
}

TEST_F(TextSearchTest, ShowsContextAndJoinsWhatTouches) {
  folder_.Write("a.txt", "1\n2 x\n3\n4 x\n5\n6\n7\n8 x\n9\n");
  TextQuery query;
  query.pattern = "x";
  query.context_lines_before = 1;
  query.context_lines_after = 1;
  EXPECT_THAT(
      Shown(Search(query)),
      ElementsAre("a.txt-1-1", "a.txt:2:2 x", "a.txt-3-3", "a.txt:4:4 x",
                  "a.txt-5-5", "--", "a.txt-7-7", "a.txt:8:8 x", "a.txt-9-9"));
}

TEST_F(TextSearchTest, CountsLinesAtLfCrlfAndLoneCr) {
  folder_.Write("a.txt", "one\rtwo\r\nthree needle\nfour\rneedle");
  EXPECT_THAT(Shown(Search("needle")),
              ElementsAre("a.txt:3:three needle", "--", "a.txt:5:needle"));
}

TEST_F(TextSearchTest, EndsOfLinesMatchBeforeCrlf) {
  folder_.Write("a.txt", "needle\r\nneedle x\r\n");
  EXPECT_THAT(Shown(Search("needle$")), ElementsAre("a.txt:1:needle"));
}

TEST_F(TextSearchTest, AByteOrderMarkIsNoText) {
  folder_.Write("a.txt", "\xef\xbb\xbfneedle\nsecond needle\n");
  EXPECT_THAT(Shown(Search("^needle")), ElementsAre("a.txt:1:needle"));
  EXPECT_THAT(Shown(Search("second needle")),
              ElementsAre("a.txt:2:second needle"));
}

TEST_F(TextSearchTest, ShowsBadBytesAsReplacement) {
  folder_.Write("a.txt", "needle \xff\xfe end\n");
  EXPECT_THAT(Shown(Search("needle")),
              ElementsAre("a.txt:1:needle \xef\xbf\xbd\xef\xbf\xbd end"));
}

TEST_F(TextSearchTest, MatchesAcrossLinesOnRequest) {
  folder_.Write("a.txt", "begin\nmiddle\nend\nlast\n");
  TextQuery query;
  query.pattern = "begin\\n.*\\nend";
  query.is_multiline = true;
  EXPECT_THAT(Shown(Search(query)),
              ElementsAre("a.txt:1:begin", "a.txt:2:middle", "a.txt:3:end"));
}

TEST_F(TextSearchTest, FoldsCaseOnRequest) {
  folder_.Write("a.txt", "Needle\n");
  EXPECT_THAT(Shown(Search("needle")), IsEmpty());
  TextQuery query;
  query.pattern = "needle";
  query.is_case_insensitive = true;
  EXPECT_THAT(Shown(Search(query)), ElementsAre("a.txt:1:Needle"));
}

TEST_F(TextSearchTest, KeepsToGlobsAndFolder) {
  for (const char* const file :
       {"src/a.cc", "src/a.h", "src/gen/a.cc", "lib/a.cc"}) {
    folder_.Write(file, "needle\n");
  }
  TextQuery query;
  query.pattern = "needle";
  query.include_globs = {"*.{cc,cpp}"};
  query.exclude_globs = {"src/gen/**"};
  EXPECT_THAT(Shown(Search(query)),
              ElementsAre("lib/a.cc:1:needle", "src/a.cc:1:needle"));
  query.relative_path = "src";
  EXPECT_THAT(Shown(Search(query)), ElementsAre("src/a.cc:1:needle"));
  query.relative_path = "src/a.cc";
  EXPECT_THAT(Shown(Search(query)), ElementsAre("src/a.cc:1:needle"));
  query.include_globs = {"*.h"};
  EXPECT_THAT(Shown(Search(query)), IsEmpty());
}

TEST_F(TextSearchTest, AGlobDoesNotBringIgnoredFilesBack) {
  Git(folder_.path(), "init -q");
  folder_.Write(".gitignore", "*.log\n");
  folder_.Write("a.log", "needle\n");
  folder_.Write("b.txt", "needle\n");
  TextQuery query;
  query.pattern = "needle";
  query.include_globs = {"*.log", "*.txt"};
  EXPECT_THAT(Shown(Search(query)), ElementsAre("b.txt:1:needle"));
}

TEST_F(TextSearchTest, SaysThatOnlyIgnoredFilesHaveIt) {
  Git(folder_.path(), "init -q");
  folder_.Write(".gitignore", "build/\n");
  folder_.Write("build/a.txt", "needle\n");
  folder_.Write("build/b.txt", "needle\n");
  folder_.Write(".git/c.txt", "needle\n");
  folder_.Write("binary", std::string("needle\0", 7));
  EXPECT_THAT(Lacks(Search("needle")), ElementsAre("FILES_NOT_SEARCHED 3"));
  TextQuery query;
  query.pattern = "needle";
  query.include_globs = {"*.txt"};
  EXPECT_THAT(Lacks(Search(query)), ElementsAre("FILES_NOT_SEARCHED 2"));
  query.include_ignored_files = true;
  EXPECT_THAT(Shown(Search(query)),
              ElementsAre("build/a.txt:1:needle", "build/b.txt:1:needle"));
}

TEST_F(TextSearchTest, AnIgnoredFolderThatIsNamedStaysIgnored) {
  Git(folder_.path(), "init -q");
  folder_.Write(".gitignore", "build/\n");
  folder_.Write("build/a.txt", "needle\n");
  TextQuery query;
  query.pattern = "needle";
  query.relative_path = "build";
  const TextResult result = Search(query);
  EXPECT_THAT(Shown(result), IsEmpty());
  EXPECT_THAT(Lacks(result), ElementsAre("FILES_NOT_SEARCHED 1"));
}

TEST_F(TextSearchTest, CountsFilesThatAreTooLargeToRead) {
  folder_.Write("big.txt", std::string(100'001, 'x') + "\nneedle\n");
  folder_.Write("small.txt", "needle\n");
  const TextResult result = Search("needle");
  EXPECT_THAT(Shown(result), ElementsAre("small.txt:1:needle"));
  EXPECT_THAT(Lacks(result), ElementsAre("FILES_NOT_SEARCHED 1"));
}

TEST_F(TextSearchTest, CutsLongLinesAroundTheMatch) {
  folder_.Write("a.txt", std::string(5000, '<') + "needle" +
                             std::string(5000, '>') + "\n");
  const TextResult result = Search("needle");
  ASSERT_EQ(result.files.size(), 1u);
  const std::string& text = result.files[0].blocks[0].lines[0].text;
  EXPECT_THAT(text, HasSubstr("<needle>"));
  EXPECT_LT(text.size(), 2'100u);
  EXPECT_EQ(text.substr(0, 3), "…");
  EXPECT_EQ(text.substr(text.size() - 3), "…");
}

TEST_F(TextSearchTest, StopsAtItsCapAndSaysSo) {
  folder_.Write("a.txt", "x\nx\nx\n");
  folder_.Write("b.txt", "x\nx\n");
  folder_.Write("c.txt", "x\n");
  TextSearch::Options options;
  options.max_matches = 4;
  TextQuery query;
  query.pattern = "x";
  ASSERT_OK_AND_ASSIGN(const TextResult result,
                       workspace(options).text().Search(query, call_));
  EXPECT_EQ(result.match_count, 5);
  EXPECT_THAT(Lacks(result), ElementsAre("RESULT_CAP 1"));
}

TEST_F(TextSearchTest, HandsRipgrepsWordsOnForABadPattern) {
  TextQuery query;
  query.pattern = "(unclosed";
  const absl::StatusOr<TextResult> result =
      workspace().text().Search(query, call_);
  EXPECT_THAT(result, HasReason(rpc::v1::ERROR_REASON_PATTERN_INVALID));
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("unclosed group"));
  query.pattern = "look(?=ahead)";
  EXPECT_THAT(workspace().text().Search(query, call_),
              HasReason(rpc::v1::ERROR_REASON_PATTERN_INVALID));
}

TEST_F(TextSearchTest, RefusesPatternsThatAreNoneOrTooLong) {
  TextQuery query;
  for (const std::string& pattern :
       {std::string(), std::string("a\0b", 3), std::string(4097, 'x')}) {
    query.pattern = pattern;
    EXPECT_THAT(workspace().text().Search(query, call_),
                HasReason(rpc::v1::ERROR_REASON_PATTERN_INVALID));
  }
  query.pattern = "x";
  query.include_globs = {"[a"};
  EXPECT_THAT(workspace().text().Search(query, call_),
              HasReason(rpc::v1::ERROR_REASON_PATTERN_INVALID));
}

TEST_F(TextSearchTest, EndsWhenNobodyWaits) {
  folder_.Write("a.txt", "x\n");
  TextQuery query;
  query.pattern = "x";
  call_.is_cancelled = [] { return true; };
  EXPECT_THAT(workspace().text().Search(query, call_),
              HasReason(rpc::v1::ERROR_REASON_CANCELLED));
}

TEST_F(TextSearchTest, EndsAtItsDeadlineThoughRipgrepHangs) {
  // ripgrep opens every .gitignore, and a pipe never answers.
  folder_.Write("sub/a.txt", "x\n");
  ASSERT_EQ(::mkfifo(folder_.PathOf("sub/.gitignore").c_str(), 0600), 0);
  TextQuery query;
  query.pattern = "x";
  const absl::Time start = absl::Now();
  call_.deadline = start + absl::Milliseconds(500);
  EXPECT_THAT(workspace().text().Search(query, call_),
              HasReason(rpc::v1::ERROR_REASON_DEADLINE));
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
}

TEST_F(TextSearchTest, SaysThatRipgrepIsMissing) {
  Workspace::Options options;
  options.proposals.ripgrep = "no-such-ripgrep";
  const Workspace lacking(*RootDirectory::Open(folder_.path(), {}),
                          folder_.path(), 1, options);
  TextQuery query;
  query.pattern = "x";
  EXPECT_THAT(lacking.text().Search(query, call_),
              HasReason(rpc::v1::ERROR_REASON_SERVER_MISSING));
}

TEST_F(TextSearchTest, ReportsWhatItMayNotOpen) {
  folder_.Write("a.txt", "x\n");
  folder_.Write("locked/b.txt", "x\n");
  std::filesystem::permissions(folder_.PathOf("locked"),
                               std::filesystem::perms::none);
  if (::geteuid() == 0) GTEST_SKIP() << "root may open everything";
  EXPECT_THAT(Lacks(Search("x")), ElementsAre("FILES_NOT_SEARCHED 1"));
}

TEST_F(TextSearchTest, ManySearchesAtOnceAreAllRight) {
  for (int i = 0; i < 50; ++i) {
    folder_.Write(absl::StrCat("f", i, ".txt"), "needle\n");
  }
  Workspace& shared = workspace();
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&shared, i] {
      TextQuery query;
      query.pattern = i % 2 == 0 ? "needle" : "nothing";
      const absl::StatusOr<TextResult> result =
          shared.text().Search(query, rpc::CallContext());
      ASSERT_THAT(result, IsOk());
      EXPECT_EQ(result->match_count, i % 2 == 0 ? 50 : 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The kernel takes the largest when memory is short.
TEST_F(TextSearchTest, AKilledRipgrepIsNoProofOfAbsence) {
  folder_.Write("a.txt", "needle\n");
  ReplaceRipgrep("kill -9 $$");
  TextQuery query;
  query.pattern = "needle";
  EXPECT_THAT(workspace().text().Search(query, call_),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  // Nor when it has complained about a file before.
  ReplaceRipgrep(
      "echo 'rg: x: Permission denied (os error 13)' >&2; kill -9 $$");
  EXPECT_THAT(workspace().text().Search(query, call_),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
  ReplaceRipgrep("exit 101");
  EXPECT_THAT(workspace().text().Search(query, call_),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
}

TEST_F(TextSearchTest, WhatAKilledRipgrepHadFoundIsIncomplete) {
  folder_.Write("a.txt", "needle\n");
  ReplaceRipgrep("/usr/bin/env rg \"$@\"; kill -9 $$");
  const TextResult result = Search("needle");
  EXPECT_THAT(Shown(result), ElementsAre("a.txt:1:needle"));
  EXPECT_THAT(Lacks(result), ElementsAre("FILES_NOT_SEARCHED 0"));
}

TEST_F(TextSearchTest, AnUnrestrictedPassThatFailsIsNotZeroFiles) {
  folder_.Write("a.txt", "one\n");
  ReplaceRipgrep(
      "case \"$*\" in *--binary*) kill -9 $$;; esac; exec /usr/bin/env rg "
      "\"$@\"");
  const TextResult result = Search("needle");
  EXPECT_THAT(Shown(result), IsEmpty());
  EXPECT_THAT(Lacks(result), ElementsAre("FILES_NOT_SEARCHED 0"));
}

// In Latin-1 the last letter is another byte.
TEST_F(TextSearchTest, FilesInAnotherEncodingAreCountedForOtherThanAscii) {
  folder_.Write("old.txt", "caf\xE9\n");
  folder_.Write("new.txt", "th\xC3\xA9\n");
  const TextResult result = Search("caf\xC3\xA9");
  EXPECT_THAT(Shown(result), IsEmpty());
  EXPECT_THAT(Lacks(result), ElementsAre("FILES_NOT_SEARCHED 1"));
  EXPECT_THAT(Lacks(Search("the")), IsEmpty());
}

TEST_F(TextSearchTest, ARefusalAdvisesNothingThatCannotBeDone) {
  folder_.Write("a.txt", "x\n");
  TextQuery query;
  query.pattern = "a(?=b)";
  const auto result = workspace().text().Search(query, call_);
  EXPECT_THAT(result, HasReason(rpc::v1::ERROR_REASON_PATTERN_INVALID));
  EXPECT_THAT(std::string(result.status().message()),
              ::testing::AllOf(HasSubstr("look-ahead"),
                               ::testing::Not(HasSubstr("pcre2"))));
}

class WordSearchTest : public TextSearchTest {
 protected:
  WordResult Find(const WordQuery& query) {
    absl::StatusOr<WordResult> result =
        workspace().text().FilesContaining(query, call_);
    EXPECT_THAT(result, IsOk());
    return result.ok() ? *std::move(result) : WordResult();
  }
};

TEST_F(WordSearchTest, FindsWholeWordsOrParts) {
  folder_.Write("a.cc", "int needle;\n");
  folder_.Write("b.cc", "int needles;\n");
  folder_.Write("c.h", "needle");
  WordQuery query;
  query.word = "needle";
  EXPECT_THAT(Find(query).files, ElementsAre("a.cc", "c.h"));
  query.name_globs = {"*.cc", "*.cpp"};
  EXPECT_THAT(Find(query).files, ElementsAre("a.cc"));
  query.is_whole_word = false;
  EXPECT_THAT(Find(query).files, ElementsAre("a.cc", "b.cc"));
}

TEST_F(WordSearchTest, TakesTheWordLiterally) {
  folder_.Write("a.js", "$scope.x = operator[];\n");
  folder_.Write("b.js", "scope\n");
  WordQuery query;
  query.word = "$scope";
  EXPECT_THAT(Find(query).files, ElementsAre("a.js"));
  query.word = "operator[]";
  EXPECT_THAT(Find(query).files, ElementsAre("a.js"));
}

TEST_F(WordSearchTest, KeepsToOneFileOrFolder) {
  folder_.Write("src/a.cc", "needle\n");
  folder_.Write("src/b.cc", "needle\n");
  folder_.Write("lib/a.cc", "needle\n");
  WordQuery query;
  query.word = "needle";
  query.relative_path = "src";
  EXPECT_THAT(Find(query).files, ElementsAre("src/a.cc", "src/b.cc"));
  query.relative_path = "src/b.cc";
  EXPECT_THAT(Find(query).files, ElementsAre("src/b.cc"));
  query.relative_path = "none";
  EXPECT_THAT(workspace().text().FilesContaining(query, call_),
              HasReason(rpc::v1::ERROR_REASON_FILE_NOT_FOUND));
}

TEST_F(WordSearchTest, CountsFilesThatOnlyAnUnrestrictedSearchFinds) {
  Git(folder_.path(), "init -q");
  folder_.Write(".gitignore", "gen/\n");
  folder_.Write("gen/a.cc", "needle\n");
  WordQuery query;
  query.word = "needle";
  const WordResult result = Find(query);
  EXPECT_THAT(result.files, IsEmpty());
  EXPECT_THAT(Lacks(result), ElementsAre("FILES_NOT_SEARCHED 1"));
}

TEST_F(WordSearchTest, RefusesWhatIsNoWord) {
  WordQuery query;
  for (const char* const word : {"", "a\nb", "a\rb"}) {
    query.word = word;
    EXPECT_THAT(workspace().text().FilesContaining(query, call_),
                HasReason(rpc::v1::ERROR_REASON_PATTERN_INVALID));
  }
}

TEST_F(WordSearchTest, AKilledRipgrepIsNoProofOfAbsence) {
  folder_.Write("a.cc", "needle\n");
  ReplaceRipgrep(
      "echo 'rg: x: Permission denied (os error 13)' >&2; kill -9 $$");
  WordQuery query;
  query.word = "needle";
  EXPECT_THAT(workspace().text().FilesContaining(query, call_),
              HasReason(rpc::v1::ERROR_REASON_SERVER_DOWN));
}

}  // namespace
}  // namespace banyan::lspd
