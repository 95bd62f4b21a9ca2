// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/question.h"

#include <gmock/gmock.h>

#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

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
