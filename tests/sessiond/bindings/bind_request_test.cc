// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/bind_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace banyan::sessiond {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(BindRequestTest, ASessionsListStaysBoundedAndKeepsOneHandleOfEachRoot) {
  std::vector<std::string> handles;
  std::vector<session::v1::WorkspaceRecord> live;
  const auto add = [&](const std::string& handle, const std::string& root) {
    live.emplace_back();
    live.back().set_handle(handle);
    live.back().set_root(root);
    handles = WithDefault(handles, handle, live);
  };
  add("only one on a", "/a");
  for (int i = 0; i < 200; ++i) add(absl::StrCat("b", i), "/b");
  EXPECT_THAT(handles, SizeIs(kSessionHandles));
  EXPECT_EQ(handles.front(), "only one on a");
  EXPECT_EQ(handles.back(), "b199");
}

TEST(BindRequestTest, HandlesThatAreGoneLeaveTheList) {
  session::v1::WorkspaceRecord record;
  record.set_handle("new");
  record.set_root("/a");
  EXPECT_THAT(WithDefault({"gone", "new"}, "new", {record}),
              ElementsAre("new"));
}

}  // namespace
}  // namespace banyan::sessiond
