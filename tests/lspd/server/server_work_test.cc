// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/server_work.h"

#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace banyan::lspd {
namespace {

using nlohmann::json;

json Begin(const std::string& title) {
  return {{"kind", "begin"}, {"title", title}};
}

TEST(ServerWorkTest, TellsTheNewestPieceAsItStands) {
  ServerWork work;
  EXPECT_EQ(work.Text(), "");
  work.OnProgress("a", Begin("indexing"));
  EXPECT_EQ(work.Text(), "indexing");
  work.OnProgress(
      "a", {{"kind", "report"}, {"message", "12/35"}, {"percentage", 34}});
  EXPECT_EQ(work.Text(), "indexing 12/35 (34 %)");
  work.OnProgress("a", {{"kind", "report"}, {"percentage", 40}});
  EXPECT_EQ(work.Text(), "indexing 12/35 (40 %)");
}

TEST(ServerWorkTest, WhatGoesOnIsToldWhenTheNewestEnds) {
  ServerWork work;
  work.OnProgress("a", Begin("indexing"));
  work.OnProgress("b", Begin("checking"));
  EXPECT_EQ(work.Text(), "checking");
  work.OnProgress("b", {{"kind", "end"}});
  EXPECT_EQ(work.Text(), "indexing");
  work.OnProgress("a", {{"kind", "end"}});
  EXPECT_EQ(work.Text(), "");
}

TEST(ServerWorkTest, PathsAndOddTextsStayInside) {
  ServerWork work;
  work.OnProgress("a", {{"kind", "begin"},
                        {"title", "loading"},
                        {"message", "reading /srv/secret/main.c"}});
  EXPECT_EQ(work.Text(), "loading");
  work.OnProgress("a", {{"kind", "report"}, {"message", "x\ny\xff"}});
  EXPECT_EQ(work.Text(), "loading x\\ny\\xFF");
  work.OnProgress("b", Begin(std::string(10'000, 'x')));
  EXPECT_LT(work.Text().size(), 100);
}

TEST(ServerWorkTest, MalformedValuesAreNoWork) {
  ServerWork work;
  for (const json& value :
       {json(), json(7), json::array(), json{{"kind", 1}},
        json{{"items", json::array()}}, json{{"kind", "end"}}}) {
    work.OnProgress("a", value);
  }
  EXPECT_EQ(work.Text(), "");
  work.OnProgress("a", {{"kind", "report"}, {"percentage", 1e300}});
  EXPECT_EQ(work.Text(), "working");
}

TEST(ServerWorkTest, AServerThatEndsNothingCostsLittle) {
  ServerWork work;
  for (int i = 0; i < 10'000; ++i) {
    work.OnProgress(absl::StrCat(i), Begin(absl::StrCat("piece ", i)));
  }
  EXPECT_EQ(work.Text(), "piece 63");
}

}  // namespace
}  // namespace banyan::lspd
