// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/edit_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

TEST(EditJournalTest, IsReadAsItWasWritten) {
  EditJournal journal;
  for (int kind = 0; kind <= static_cast<int>(StepKind::kDeleteInPlace);
       ++kind) {
    journal.steps.push_back({.path = "src/\xC3\xA9 \"x\".cc",
                             .kind = static_cast<StepKind>(kind),
                             .before = "sha256:1",
                             .after = ""});
  }
  journal.new_folders = {"a", "a/b"};
  ASSERT_OK_AND_ASSIGN(const EditJournal read,
                       JournalFromText(ToText(journal)));
  EXPECT_EQ(read, journal);
}

TEST(EditJournalTest, ACutOffOrForeignTextIsNoJournal) {
  const std::string text = ToText(EditJournal{.steps = {{.path = "a"}}});
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(JournalFromText(text.substr(0, length)).ok()) << length;
  }
  for (const char* other :
       {"[]", "{}", R"({"version":2,"steps":[],"new_folders":[]})",
        R"({"version":1,"steps":[{"path":"a","kind":"other","before":"",)"
        R"("after":""}],"new_folders":[]})"}) {
    EXPECT_FALSE(JournalFromText(other).ok()) << other;
  }
}

TEST(EditJournalTest, UndoingTouchesOnlyWhatIsOldOrNew) {
  const JournalStep changed{.before = "old", .after = "new"};
  EXPECT_EQ(JudgeUndo(changed, "old", false), UndoAction::kNothing);
  EXPECT_EQ(JudgeUndo(changed, "new", false), UndoAction::kRestore);
  EXPECT_EQ(JudgeUndo(changed, "someone's", false), UndoAction::kReport);
  EXPECT_EQ(JudgeUndo(changed, std::nullopt, false), UndoAction::kReport);
  EXPECT_EQ(JudgeUndo(changed, "half", true), UndoAction::kRestore);

  const JournalStep created{.before = "", .after = "new"};
  EXPECT_EQ(JudgeUndo(created, std::nullopt, false), UndoAction::kNothing);
  EXPECT_EQ(JudgeUndo(created, "new", false), UndoAction::kRestore);
  EXPECT_EQ(JudgeUndo(created, "someone's", false), UndoAction::kReport);

  const JournalStep deleted{.before = "old", .after = ""};
  EXPECT_EQ(JudgeUndo(deleted, std::nullopt, false), UndoAction::kRestore);
  EXPECT_EQ(JudgeUndo(deleted, "old", false), UndoAction::kNothing);
  EXPECT_EQ(JudgeUndo(deleted, "someone's", false), UndoAction::kReport);
}

TEST(EditJournalTest, AWriteCutOffAnywhereIsKnownAsOurs) {
  for (const auto& [before, after] :
       {std::pair<std::string, std::string>{"aaaaaa", "bbb"},
        {"aaa", "bbbbbb"},
        {"abab", "baba"},
        {"", "xy"},
        {"same", "same and more"}}) {
    for (size_t written = 0; written <= after.size(); ++written) {
      std::string torn = after.substr(0, written);
      if (before.size() > written) torn += before.substr(written);
      EXPECT_TRUE(IsTornWrite(torn, before, after)) << torn;
    }
  }
  EXPECT_FALSE(IsTornWrite("aXaaaa", "aaaaaa", "bbb"));
  EXPECT_FALSE(IsTornWrite("bbX", "aaa", "bbbbbb"));
  EXPECT_FALSE(IsTornWrite("aa", "aaa", "bbb"));
}

}  // namespace
}  // namespace banyan::lspd
