// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/compile_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class CompileDatabaseTest : public testing::Test {
 protected:
  json Copied() const {
    std::ifstream file(private_.PathOf("compile_commands.json"));
    return json::parse(file, nullptr, false);
  }
  absl::StatusOr<CompileDatabase> Copy() {
    return CopyCompileDatabase(root_.path(), private_.path());
  }

  TempWorkspace root_;
  TempWorkspace private_;
};

TEST_F(CompileDatabaseTest, MakesPathsAbsoluteAndReal) {
  root_.Write("src/a.cc", "");
  fs::create_directory_symlink(root_.PathOf("src"), root_.PathOf("link"));
  root_.Write("build/compile_commands.json", R"([
      {"directory": ".", "file": "../link/a.cc", "arguments": ["cc", "-Ix"]},
      {"directory": "..", "file": "gone.cc", "command": "cc gone.cc"}])");
  ASSERT_OK_AND_ASSIGN(const CompileDatabase database, Copy());
  EXPECT_EQ(database.entries, 1);
  EXPECT_EQ(database.unresolved, 1);
  EXPECT_EQ(database.seed_file, root_.PathOf("src/a.cc"));
  const json copied = Copied();
  ASSERT_EQ(copied.size(), 1u);
  EXPECT_EQ(copied[0]["file"], root_.PathOf("src/a.cc"));
  EXPECT_EQ(copied[0]["directory"], root_.PathOf("build"));
  EXPECT_EQ(copied[0]["arguments"][1], "-Ix");
}

TEST_F(CompileDatabaseTest, PrefersTheRootThenTheNewestBuildFolder) {
  root_.Write("a.cc", "");
  const std::string entry =
      R"([{"directory": ")" + root_.path() + R"(", "file": "a.cc"}])";
  root_.Write("build/old/compile_commands.json", entry);
  root_.Write("build/new/compile_commands.json", entry);
  fs::last_write_time(root_.PathOf("build/old/compile_commands.json"),
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  ASSERT_OK_AND_ASSIGN(CompileDatabase database, Copy());
  EXPECT_EQ(database.source, root_.PathOf("build/new/compile_commands.json"));
  root_.Write("compile_commands.json", entry);
  ASSERT_OK_AND_ASSIGN(database, Copy());
  EXPECT_EQ(database.source, root_.PathOf("compile_commands.json"));
}

TEST_F(CompileDatabaseTest, ExpandsCompileFlagsForEachSource) {
  root_.Write("compile_flags.txt", "-std=c++20\n-Iinclude\n");
  root_.Write("src/a.cc", "");
  root_.Write("src/b.c", "");
  root_.Write("src/a.h", "");
  root_.Write("node_modules/x.cc", "");
  ASSERT_OK_AND_ASSIGN(const CompileDatabase database, Copy());
  EXPECT_EQ(database.entries, 2);
  EXPECT_EQ(Copied()[0]["arguments"][1], "-std=c++20");
  EXPECT_EQ(Copied()[0]["directory"], root_.path());
}

TEST_F(CompileDatabaseTest, WithoutOneTheOldCopyGoesAway) {
  root_.Write("a.cc", "");
  root_.Write("compile_commands.json",
              R"([{"directory": ".", "file": "a.cc"}])");
  ASSERT_OK_AND_ASSIGN(CompileDatabase database, Copy());
  EXPECT_FALSE(IsCompileDatabaseStale(root_.path(), &database));
  fs::remove(root_.PathOf("compile_commands.json"));
  EXPECT_TRUE(IsCompileDatabaseStale(root_.path(), &database));
  ASSERT_OK_AND_ASSIGN(database, Copy());
  EXPECT_EQ(database.source, "");
  EXPECT_EQ(database.entries, 0);
  EXPECT_FALSE(fs::exists(private_.PathOf("compile_commands.json")));
  root_.Write("build/compile_commands.json", "[]");
  EXPECT_TRUE(IsCompileDatabaseStale(root_.path(), &database));
}

TEST_F(CompileDatabaseTest, SeesThatTheSourceChanged) {
  root_.Write("a.cc", "");
  root_.Write("compile_commands.json",
              R"([{"directory": ".", "file": "a.cc"}])");
  ASSERT_OK_AND_ASSIGN(CompileDatabase database, Copy());
  root_.Write("compile_commands.json",
              R"([{"directory": ".", "file": "a.cc", "output": "a.o"}])");
  EXPECT_TRUE(IsCompileDatabaseStale(root_.path(), &database));
}

// Every configure run writes the file anew, mostly with what stood there.
TEST_F(CompileDatabaseTest, WhatIsWrittenAnewUnchangedIsNotStale) {
  root_.Write("a.cc", "");
  const std::string text = R"([{"directory": ".", "file": "a.cc"}])";
  root_.Write("compile_commands.json", text);
  ASSERT_OK_AND_ASSIGN(CompileDatabase database, Copy());
  root_.Write("compile_commands.json", text + "\n\n");
  EXPECT_FALSE(IsCompileDatabaseStale(root_.path(), &database));
  root_.Write("compile_commands.json", "[]");
  EXPECT_TRUE(IsCompileDatabaseStale(root_.path(), &database));
}

TEST_F(CompileDatabaseTest, SeesADatabaseThatIsPreferredToTheOneInUse) {
  root_.Write("a.cc", "");
  root_.Write("build/compile_commands.json",
              R"([{"directory": "..", "file": "a.cc"}])");
  ASSERT_OK_AND_ASSIGN(CompileDatabase database, Copy());
  root_.Write("compile_commands.json",
              R"([{"directory": ".", "file": "a.cc", "command": "cc -DX"}])");
  EXPECT_TRUE(IsCompileDatabaseStale(root_.path(), &database));
}

// Copying or writing such a value took as many stack frames as it has levels.
TEST_F(CompileDatabaseTest, SurvivesAnEntryNestedSixtyThousandDeep) {
  constexpr size_t kDepth = 60'000;
  root_.Write("a.cc", "");
  root_.Write("compile_commands.json",
              R"([{"directory": ".", "file": "a.cc", "x": )" +
                  std::string(kDepth, '[') + std::string(kDepth, ']') +
                  R"(, "command": "cc"}])");
  ASSERT_OK_AND_ASSIGN(const CompileDatabase database, Copy());
  EXPECT_EQ(database.entries, 1);
  EXPECT_EQ(Copied()[0], json({{"directory", root_.path()},
                               {"file", root_.PathOf("a.cc")},
                               {"command", "cc"}}));
}

// A pipe in its place would hold up whoever opens it to read.
TEST_F(CompileDatabaseTest, DoesNotWaitForAPipe) {
  ASSERT_EQ(::mkfifo(root_.PathOf("compile_commands.json").c_str(), 0600), 0);
  ASSERT_OK_AND_ASSIGN(const CompileDatabase database, Copy());
  EXPECT_EQ(database.source, "");
}

// Between the look at a path and its opening a link may be put there.
TEST_F(CompileDatabaseTest, NothingOutsideIsReadWhileALinkIsSwappedIn) {
  TempWorkspace outside;
  outside.Write("a.cc", "");
  outside.Write("compile_commands.json",
                R"([{"directory": ")" + outside.path() +
                    R"(", "file": "a.cc", "command": "cc -DSECRET"}])");
  root_.Write("a.cc", "");
  root_.Write("mine", R"([{"directory": ".", "file": "a.cc"}])");
  const std::string place = root_.PathOf("compile_commands.json");
  std::atomic<bool> is_over = false;
  std::thread swapper([&] {
    for (int i = 0; !is_over; ++i) {
      const std::string next = root_.PathOf(absl::StrCat("next", i % 2));
      fs::remove(next);
      if (i % 2 == 0) {
        fs::create_symlink(outside.PathOf("compile_commands.json"), next);
      } else {
        fs::create_hard_link(root_.PathOf("mine"), next);
      }
      fs::rename(next, place);
    }
  });
  for (int i = 0; i < 300; ++i) {
    ASSERT_OK_AND_ASSIGN(const CompileDatabase database, Copy());
    if (database.source.empty()) continue;
    EXPECT_EQ(Copied().dump().find("SECRET"), std::string::npos);
  }
  is_over = true;
  swapper.join();
}

// A link to another project's database would bring its flags and files in.
TEST_F(CompileDatabaseTest, DoesNotFollowALinkOutOfTheRoot) {
  TempWorkspace outside;
  outside.Write("compile_commands.json",
                R"([{"directory": "/", "file": "/etc/passwd"}])");
  fs::create_symlink(outside.PathOf("compile_commands.json"),
                     root_.PathOf("compile_commands.json"));
  ASSERT_OK_AND_ASSIGN(const CompileDatabase database, Copy());
  EXPECT_EQ(database.source, "");
}

TEST_F(CompileDatabaseTest, SurvivesWhatIsNoDatabase) {
  for (const char* text : {"", "{", "7", R"({"a": 1})", R"([7, null, {}])",
                           R"([{"directory": 7, "file": []}])"}) {
    root_.Write("compile_commands.json", text);
    ASSERT_OK_AND_ASSIGN(const CompileDatabase database, Copy());
    EXPECT_EQ(database.entries, 0) << text;
    EXPECT_EQ(Copied(), json::array()) << text;
  }
}

}  // namespace
}  // namespace banyan::lspd
