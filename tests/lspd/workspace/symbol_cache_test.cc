// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/symbol_cache.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace banyan::lspd {
namespace {

SharedSymbols Tree(const std::string& name) {
  auto symbols = std::make_shared<FileSymbols>();
  symbols->roots.push_back({.name = name});
  return symbols;
}

SymbolCache::Key KeyOf(const std::string& content) {
  return {.content_hash = content,
          .server_fingerprint = "pyright 1",
          .root_configuration = "",
          .trust_domain = "local",
          .document_language = "python",
          .surroundings = ""};
}

TEST(SymbolCacheTest, FindsWhatWasPut) {
  SymbolCache cache;
  EXPECT_EQ(cache.Find(KeyOf("a")), nullptr);
  cache.Put(KeyOf("a"), Tree("run"));
  ASSERT_NE(cache.Find(KeyOf("a")), nullptr);
  EXPECT_EQ(cache.Find(KeyOf("a"))->roots[0].name, "run");
}

TEST(SymbolCacheTest, EveryPartOfTheKeyCounts) {
  SymbolCache cache;
  cache.Put(KeyOf("a"), Tree("run"));
  std::vector<SymbolCache::Key> others(6, KeyOf("a"));
  others[0].content_hash = "b";
  others[1].server_fingerprint = "pyright 2";
  others[2].root_configuration = "strict";
  others[3].trust_domain = "another audience";
  others[4].document_language = "cython";
  others[5].surroundings = "/root headers 2";
  for (const SymbolCache::Key& key : others) {
    EXPECT_EQ(cache.Find(key), nullptr);
  }
}

TEST(SymbolCacheTest, ANewTreeTakesThePlaceOfTheOld) {
  SymbolCache cache;
  cache.Put(KeyOf("a"), Tree("old"));
  cache.Put(KeyOf("a"), Tree("new"));
  EXPECT_EQ(cache.Find(KeyOf("a"))->roots[0].name, "new");
  EXPECT_EQ(cache.statistics().entries, 1u);
}

TEST(SymbolCacheTest, TheLeastRecentlyUsedLeavesWhenMemoryIsShort) {
  SymbolCache measure;
  measure.Put(KeyOf("a"), Tree("x"));
  const size_t one = measure.statistics().memory_bytes;

  SymbolCache cache({.memory_budget_bytes = 2 * one});
  cache.Put(KeyOf("a"), Tree("x"));
  cache.Put(KeyOf("b"), Tree("x"));
  ASSERT_NE(cache.Find(KeyOf("a")), nullptr);
  cache.Put(KeyOf("c"), Tree("x"));
  EXPECT_NE(cache.Find(KeyOf("a")), nullptr);
  EXPECT_EQ(cache.Find(KeyOf("b")), nullptr);
  EXPECT_NE(cache.Find(KeyOf("c")), nullptr);
  EXPECT_EQ(cache.statistics().evictions, 1);
  EXPECT_LE(cache.statistics().memory_bytes, 2 * one);
}

TEST(SymbolCacheTest, ATreeLargerThanTheBudgetIsNotKept) {
  SymbolCache cache({.memory_budget_bytes = 100});
  cache.Put(KeyOf("a"), Tree(std::string(1000, 'x')));
  EXPECT_EQ(cache.Find(KeyOf("a")), nullptr);
  EXPECT_EQ(cache.statistics().memory_bytes, 0u);
}

TEST(SymbolCacheTest, ATreeOutlivesItsEviction) {
  SymbolCache cache({.memory_budget_bytes = 2000});
  cache.Put(KeyOf("a"), Tree("kept"));
  const SharedSymbols held = cache.Find(KeyOf("a"));
  for (int i = 0; i < 100; ++i) cache.Put(KeyOf(std::to_string(i)), Tree("x"));
  EXPECT_EQ(cache.Find(KeyOf("a")), nullptr);
  EXPECT_EQ(held->roots[0].name, "kept");
}

TEST(SymbolCacheTest, ManyThreadsMayUseItAtOnce) {
  SymbolCache cache({.memory_budget_bytes = 20000});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, t] {
      for (int i = 0; i < 500; ++i) {
        const std::string content = std::to_string((i * 7 + t) % 50);
        const SharedSymbols found = cache.Find(KeyOf(content));
        if (found == nullptr) {
          cache.Put(KeyOf(content), Tree(content));
        } else {
          EXPECT_EQ(found->roots[0].name, content);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace banyan::lspd
