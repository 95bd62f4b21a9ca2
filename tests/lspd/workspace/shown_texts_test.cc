// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/shown_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace banyan::lspd {
namespace {

TEST(ShownTextsTest, EachHandleRemembersWhatItSawLast) {
  ShownTexts shown({});
  shown.Note("one", "a", "h1", "text 1");
  shown.Note("two", "a", "h2", "text 2");
  shown.Note("one", "a", "h3", "text 3");
  EXPECT_EQ(shown.LastHash("one", "a"), "h3");
  EXPECT_EQ(shown.LastHash("two", "a"), "h2");
  EXPECT_EQ(shown.LastHash("two", "b"), std::nullopt);
  EXPECT_EQ(*shown.TextOf("h1"), "text 1");
  shown.Forget("one", "a");
  EXPECT_EQ(shown.LastHash("one", "a"), std::nullopt);
}

TEST(ShownTextsTest, WithoutAHandleOnlyTheTextIsKept) {
  ShownTexts shown({});
  shown.Note("", "a", "h1", "text");
  EXPECT_EQ(shown.LastHash("", "a"), std::nullopt);
  EXPECT_EQ(*shown.TextOf("h1"), "text");
}

TEST(ShownTextsTest, TheOldestTextsGoWhenThereIsTooMuch) {
  ShownTexts shown({.max_text_bytes = 100});
  for (int i = 0; i < 10; ++i) {
    shown.Note("one", std::string(1, static_cast<char>('a' + i)),
               std::string(1, static_cast<char>('0' + i)),
               std::string(20, 'x'));
  }
  EXPECT_EQ(shown.TextOf("0"), nullptr);
  EXPECT_NE(shown.TextOf("9"), nullptr);
  shown.Note("one", "big", "big", std::string(90, 'x'));
  EXPECT_EQ(shown.TextOf("big"), nullptr);
  EXPECT_EQ(shown.LastHash("one", "big"), "big");
}

}  // namespace
}  // namespace banyan::lspd
