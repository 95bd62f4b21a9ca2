// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/question.h"

#include <gmock/gmock.h>

#include <utility>

#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using Next = Attempts::Next;

const absl::Status& Down() {
  static const absl::Status status =
      rpc::Error(rpc::v1::ERROR_REASON_SERVER_DOWN, "crashed");
  return status;
}

TEST(AttemptsTest, AnAnswerOfASettledTreeIsTheAnswer) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(absl::OkStatus(), false, false, false),
            Next::kAnswer);
  EXPECT_FALSE(attempts.is_torn());
}

TEST(AttemptsTest, AChangeIsAskedAgainOnceThenAdmitted) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(absl::OkStatus(), true, false, false),
            Next::kAskAgain);
  EXPECT_EQ(attempts.After(absl::OkStatus(), true, false, false),
            Next::kAnswer);
  EXPECT_TRUE(attempts.is_torn());
}

TEST(AttemptsTest, ASettledSecondAttemptIsNotTorn) {
  Attempts attempts;
  attempts.After(absl::OkStatus(), true, false, false);
  EXPECT_EQ(attempts.After(absl::OkStatus(), false, false, false),
            Next::kAnswer);
  EXPECT_FALSE(attempts.is_torn());
}

TEST(AttemptsTest, ADeathIsAskedAgainOnceAndAnotherErrorNever) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(Down(), false, false, false), Next::kAskAgain);
  EXPECT_EQ(attempts.After(absl::OkStatus(), false, false, false),
            Next::kAnswer);
  Attempts others;
  EXPECT_EQ(others.After(rpc::Error(rpc::v1::ERROR_REASON_SYMBOL_NOT_FOUND, ""),
                         false, false),
            Next::kAnswer);
}

TEST(AttemptsTest, AfterADeathWhatLacksTimeIsAnsweredWithTheDeath) {
  const absl::Status late = rpc::Error(rpc::v1::ERROR_REASON_DEADLINE, "late");
  for (const auto& [status, is_cut_short] :
       {std::pair(late, false), std::pair(Down(), false),
        std::pair(absl::OkStatus(), true)}) {
    Attempts attempts;
    attempts.After(Down(), false, false, false);
    EXPECT_EQ(attempts.After(status, false, is_cut_short, true),
              Next::kAnswerWithDeath);
    EXPECT_EQ(attempts.death(), Down());
  }
}

TEST(AttemptsTest, WithoutADeathWhatLacksTimeIsTheAnswer) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(absl::OkStatus(), false, true, false),
            Next::kAnswer);
}

TEST(AttemptsTest, ADeathAndAChangeAreTwoReasons) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(Down(), true, false, false), Next::kAskAgain);
  EXPECT_EQ(attempts.After(absl::OkStatus(), true, false, false),
            Next::kAskAgain);
  EXPECT_EQ(attempts.After(absl::OkStatus(), false, false, false),
            Next::kAnswer);
}

TEST(AttemptsTest, NobodyIsAskedAgainWhenTheTimeIsOver) {
  Attempts attempts;
  EXPECT_EQ(attempts.After(absl::OkStatus(), true, false, true), Next::kAnswer);
  EXPECT_TRUE(attempts.is_torn());
  EXPECT_EQ(attempts.After(Down(), false, false, true), Next::kAnswer);
}

class QuestionTest : public QueryTest {};

TEST_F(QuestionTest, AServerIsLeasedAndWaitedForOncePerQuestion) {
  folder_.Write("a.py", "def run():\n");
  folder_.Write("b.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  Question question(tools_, asker_, call_, true);
  ASSERT_THAT(question.SymbolsOf("a.py"), IsOk());
  ASSERT_THAT(question.SymbolsOf("b.py"), IsOk());
  EXPECT_EQ(pool_.acquired["python"], 1);
  EXPECT_EQ(server->waits, 1);
}

TEST_F(QuestionTest, TheSeedIsOpenBeforeTheServerIsWaitedFor) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->seed = folder_.PathOf("a.py");
  Question question(tools_, asker_, call_, true);
  ASSERT_THAT(question.ReadyServerOf("python"), IsOk());
  EXPECT_THAT(server->told(), ElementsAre("textDocument/didOpen a.py"));
}

TEST_F(QuestionTest, ANewGenerationHearsOfEveryChangeAgain) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto first = AddServer("python");
  const auto second = AddServer("python");
  const auto ask = [&] {
    Question question(tools_, asker_, call_, true);
    ASSERT_THAT(question.ReadyServerOf("python"), IsOk());
  };
  ask();
  folder_.Write("b.py", "def walk():\n");
  ask();
  ask();
  EXPECT_THAT(first->told(), ElementsAre("textDocument/didOpen b.py"));
  first->Die();
  ask();
  EXPECT_THAT(second->told(), ElementsAre("textDocument/didOpen b.py"));
}

TEST_F(QuestionTest, FilesOfOtherLanguagesAreNotOpened) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  asker_.workspace->changes().Read();
  folder_.Write("b.go", "func walk()\n");
  Question question(tools_, asker_, call_, true);
  ASSERT_THAT(question.ReadyServerOf("python"), IsOk());
  EXPECT_THAT(server->told(), ::testing::IsEmpty());
}

TEST_F(QuestionTest, AFileIsReadOnceSoThatAnAnswerSpeaksOfOneText) {
  folder_.Write("a.py", "one\n");
  OpenRoot();
  Question question(tools_, asker_, call_, true);
  ASSERT_OK_AND_ASSIGN(const auto first, question.File("a.py"));
  folder_.Write("a.py", "two\n");
  ASSERT_OK_AND_ASSIGN(const auto second, question.File("a.py"));
  EXPECT_EQ(first->hash(), second->hash());
}

TEST_F(QuestionTest, UnknownReadinessIsAdmittedUntilTheCanaryHolds) {
  folder_.Write("a.sh", "def run():\n");
  OpenRoot();
  const auto server = AddServer("bash");
  server->readiness_value = ReadinessState::kUnknown;
  Question question(tools_, asker_, call_, true);
  ASSERT_THAT(question.ReadyServerOf("bash"), IsOk());
  EXPECT_TRUE(question.completeness().Has(
      lsp::v1::INCOMPLETE_REASON_UNKNOWN_READINESS));
  ASSERT_THAT(question.SymbolsOf("a.sh"), IsOk());
  EXPECT_TRUE(question.completeness().is_complete());
}

TEST_F(QuestionTest, IndexingAtTheQuestionStaysIncompleteThoughReadyLater) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  server->readiness_value = ReadinessState::kIndexing;
  Question question(tools_, asker_, call_, true);
  ASSERT_THAT(question.ReadyServerOf("python"), IsOk());
  server->readiness_value = ReadinessState::kReady;
  EXPECT_TRUE(question.completeness().Has(lsp::v1::INCOMPLETE_REASON_INDEXING));
}

TEST_F(QuestionTest, AnotherTrustDomainSharesNoCachedSymbols) {
  folder_.Write("a.py", "def run():\n");
  OpenRoot();
  const auto server = AddServer("python");
  for (const char* domain : {"one", "two"}) {
    asker_.trust_domain = domain;
    Question question(tools_, asker_, call_, true);
    ASSERT_THAT(question.SymbolsOf("a.py"), IsOk());
  }
  EXPECT_EQ(server->TimesAsked("textDocument/documentSymbol"), 2);
}

TEST_F(QuestionTest, BytesThatAreNoTextReachTheServerAsReplacements) {
  folder_.Write("a.sh", "def run():\n# \xff\n");
  OpenRoot();
  AddServer("bash");
  Question question(tools_, asker_, call_, true);
  ASSERT_THAT(question.SymbolsOf("a.sh"), IsOk());
}

}  // namespace
}  // namespace banyan::lspd
