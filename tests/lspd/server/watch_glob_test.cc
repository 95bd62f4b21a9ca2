// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/watch_glob.h"

#include <gtest/gtest.h>

namespace banyan::lspd {
namespace {

struct Case {
  const char* glob;
  const char* path;
  bool matches;
};

class WatchGlobTest : public testing::TestWithParam<Case> {};

TEST_P(WatchGlobTest, MatchesAsTheProtocolSays) {
  const Case& c = GetParam();
  EXPECT_EQ(MatchesWatchGlob(c.glob, c.path), c.matches)
      << c.glob << " on " << c.path << " as " << WatchGlobToRegex(c.glob);
}

INSTANTIATE_TEST_SUITE_P(
    Table, WatchGlobTest,
    testing::Values(
        Case{"**/*.go", "/r/a.go", true}, Case{"**/*.go", "/r/x/y/a.go", true},
        Case{"**/*.go", "/r/a.gox", false}, Case{"**", "/r/a/b", true},
        Case{"**/*.{go,mod,sum}", "/r/go.mod", true},
        Case{"**/*.{go,mod,sum}", "/r/go.work", false},
        Case{"/r/src/**/*.ts", "/r/src/a/b.ts", true},
        Case{"/r/src/**/*.ts", "/r/src/b.ts", true},
        Case{"/r/src/**/*.ts", "/other/src/b.ts", false},
        Case{"/r/src/**/*.ts", "/x/r/src/b.ts", false},
        Case{"*.txt", "/r/a.txt", true}, Case{"a?.c", "/r/ab.c", true},
        Case{"a?.c", "/r/a/.c", false}, Case{"[a-c].h", "/r/b.h", true},
        Case{"[!a-c].h", "/r/b.h", false}, Case{"[!a-c].h", "/r/d.h", true},
        Case{"x.(y)+", "/r/x.(y)+", true}, Case{"x.y", "/r/xzy", false},
        Case{"tsconfig*.json", "/r/tsconfig.base.json", true},
        Case{"node_modules/*/package.json", "/r/node_modules/a/package.json",
             true},
        Case{"node_modules/*/package.json", "/r/node_modules/a/b/package.json",
             false},
        // No glob at all: tell rather than keep quiet.
        Case{"{unclosed", "/r/a", true}, Case{"[", "/r/[", true},
        Case{"**/*", "/r/a\nb", true}));

}  // namespace
}  // namespace banyan::lspd
