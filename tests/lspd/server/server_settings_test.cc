// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/server_settings.h"

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace banyan::lspd {
namespace {

using nlohmann::json;

google::protobuf::Struct Parse(const char* text) {
  google::protobuf::Struct settings;
  EXPECT_TRUE(
      google::protobuf::util::JsonStringToMessage(text, &settings).ok());
  return settings;
}

TEST(ServerSettingsTest, ExpandsStringsAtAnyDepthAndKeepsWholeNumbersWhole) {
  EXPECT_EQ(
      ToJson(
          Parse(
              R"({"a": {"b": ["${root}/x", "${other}", 3, 0.5, true, null]}})"),
          {{"root", "/r"}}),
      json::parse(R"({"a": {"b": ["/r/x", "${other}", 3, 0.5, true, null]}})"));
}

TEST(ServerSettingsTest, FindsSections) {
  const json settings = json::parse(R"({"python": {"analysis": {"x": 1}}})");
  EXPECT_EQ(SettingsAt(settings, "python.analysis"),
            json::parse(R"({"x": 1})"));
  EXPECT_EQ(SettingsAt(settings, ""), settings);
  EXPECT_EQ(SettingsAt(settings, "python.analysis.x.y"), json(nullptr));
  EXPECT_EQ(SettingsAt(settings, "go"), json(nullptr));
}

}  // namespace
}  // namespace banyan::lspd
