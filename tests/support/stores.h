// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_STORES_H_
#define TESTS_SUPPORT_STORES_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sessiond/store/event_rings.h"
#include "sessiond/store/memory_record_store.h"
#include "sessiond/store/record_store.h"
#include "sessiond/store/redis_store.h"
#include "sessiond/store/sqlite_record_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"
#include "tests/support/test_redis.h"

namespace banyan {

// A store with whatever it stands on. It is empty at first; a second one is
// made by SecondOn, where several daemons can share it.
struct MadeStore {
  std::unique_ptr<TempWorkspace> folder;
  std::shared_ptr<void> shared;
  std::unique_ptr<sessiond::RecordStore> records;
};

struct StoreKind {
  std::string name;
  std::function<MadeStore(sessiond::Clock)> make;
};

inline std::ostream& operator<<(std::ostream& out, const StoreKind& kind) {
  return out << kind.name;
}

inline sessiond::Stores OpenTestRedis(const TestRedis& server,
                                      sessiond::Clock now,
                                      sessiond::EventRings::Limits rings = {}) {
  auto stores = sessiond::OpenRedisStore({.redis = server.Options(),
                                          .seal_keys = {std::string(32, 's')},
                                          .event_rings = rings,
                                          .now = std::move(now)});
  EXPECT_THAT(stores, IsOk());
  return *std::move(stores);
}

inline StoreKind MemoryKind() {
  return {"Memory", [](sessiond::Clock now) -> MadeStore {
            return {nullptr, nullptr,
                    sessiond::NewMemoryRecordStore(std::move(now))};
          }};
}

inline StoreKind SqliteKind() {
  return {"Sqlite", [](sessiond::Clock now) -> MadeStore {
            auto folder = std::make_unique<TempWorkspace>();
            auto store = sessiond::NewSqliteRecordStore(
                {.path = folder->PathOf("records.db"), .now = std::move(now)});
            EXPECT_THAT(store, IsOk());
            return {std::move(folder), nullptr, *std::move(store)};
          }};
}

inline StoreKind RedisKind() {
  return {
      "Redis", [](sessiond::Clock now) -> MadeStore {
        sessiond::Stores stores = OpenTestRedis(SharedRedis(), std::move(now));
        return {nullptr, std::move(stores.shared), std::move(stores.records)};
      }};
}

// What every behaviour is held against.
inline auto AllStores() {
  return ::testing::Values(MemoryKind(), SqliteKind(), RedisKind());
}

inline std::string NameOfStore(const ::testing::TestParamInfo<StoreKind>& row) {
  return row.param.name;
}

}  // namespace banyan

#endif  // TESTS_SUPPORT_STORES_H_
