// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/word_search.h"

#include <gmock/gmock.h>

#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WordSearchTest : public QueryTest {
 protected:
  std::vector<std::string> Search(const WordQuery& query) {
    Question question(tools_, asker_, call_, true);
    const auto result = SearchWord(question, query);
    EXPECT_THAT(result, IsOk());
    return result.ok() ? result->files : std::vector<std::string>();
  }
};

TEST_F(WordSearchTest, ChangesAreFollowedFileByFile) {
  folder_.Write("a.py", "run\n");
  folder_.Write("b.py", "run\n");
  folder_.Write("c.py", "walk\n");
  OpenRoot();
  const WordQuery query = {.word = "run"};
  EXPECT_THAT(Search(query), ElementsAre("a.py", "b.py"));
  folder_.Write("b.py", "runner\n");
  folder_.Write("c.py", "walk, run\n");
  folder_.Write("new.py", "(run)\n");
  std::filesystem::remove(folder_.PathOf("a.py"));
  EXPECT_THAT(Search(query), ElementsAre("c.py", "new.py"));
}

TEST_F(WordSearchTest, AFolderSeesOnlyItsOwnChanges) {
  folder_.Write("in/a.py", "run\n");
  OpenRoot();
  const WordQuery query = {.word = "run", .relative_path = "in"};
  EXPECT_THAT(Search(query), ElementsAre("in/a.py"));
  folder_.Write("in-not/b.py", "run\n");
  folder_.Write("in/c.py", "run\n");
  EXPECT_THAT(Search(query), ElementsAre("in/a.py", "in/c.py"));
}

TEST_F(WordSearchTest, ANewIgnoreRuleIsObeyed) {
  folder_.Write("a.py", "run\n");
  folder_.Write("made/b.py", "run\n");
  OpenRoot();
  const WordQuery query = {.word = "run"};
  EXPECT_THAT(Search(query), ElementsAre("a.py", "made/b.py"));
  folder_.Write(".gitignore", "made/\n");
  EXPECT_THAT(Search(query), ElementsAre("a.py"));
}

TEST_F(WordSearchTest, TheLastFileThatGoesLeavesNone) {
  folder_.Write("a.py", "run\n");
  OpenRoot();
  const WordQuery query = {.word = "run"};
  EXPECT_THAT(Search(query), ElementsAre("a.py"));
  folder_.Write("a.py", "walk\n");
  EXPECT_THAT(Search(query), IsEmpty());
}

TEST(HasWordTest, WordsEndWhereLettersDigitsAndUnderscoresEnd) {
  EXPECT_TRUE(HasWord("x = run()", "run", true));
  EXPECT_TRUE(HasWord("run", "run", true));
  EXPECT_TRUE(HasWord("runs and\nrun", "run", true));
  EXPECT_FALSE(HasWord("runner, rerun, run_1, \xc3\xbcrun", "run", true));
  EXPECT_TRUE(HasWord("runner", "run", false));
  EXPECT_TRUE(HasWord("$store.x", "$store", true));
}

}  // namespace
}  // namespace banyan::lspd
