// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_REDIS_RECORD_STORE_H_
#define SESSIOND_STORE_REDIS_RECORD_STORE_H_

#include <string>
#include <vector>

#include "sessiond/store/record_seal.h"
#include "sessiond/store/record_store.h"
#include "sessiond/store/redis_connections.h"
#include "sessiond/store/redis_feed.h"

namespace banyan::sessiond {

// See redis_store.h. Everything passed outlives it.
class RedisRecordStore : public RecordStore {
 public:
  RedisRecordStore(RedisConnections& connections, RedisFeed& feed,
                   const RecordSeal& seal, std::string prefix, Clock now)
      : connections_(connections),
        feed_(feed),
        seal_(seal),
        prefix_(std::move(prefix)),
        now_(std::move(now)) {}
  ~RedisRecordStore() override { feed_.SetChangeListener(nullptr); }

  absl::StatusOr<WriteResult> Write(RecordWrite write) override;
  absl::StatusOr<std::optional<Record>> Load(RecordKind kind,
                                             absl::string_view key) override;
  absl::StatusOr<std::vector<Record>> List(
      RecordKind kind, std::optional<std::string> principal) override;
  absl::StatusOr<History> ChangesSince(int64_t revision) override;
  absl::Status CatchUp() override;
  void SetChangeListener(
      std::function<void(const RecordChange&)> listener) override {
    feed_.SetChangeListener(std::move(listener));
  }

 private:
  RedisConnection::Words ReadWords(RecordKind kind,
                                   const std::string& hex_key) const;
  absl::StatusOr<std::optional<Record>> ToRecord(RecordKind kind,
                                                 absl::string_view key,
                                                 const RedisReply& reply) const;

  RedisConnections& connections_;
  RedisFeed& feed_;
  const RecordSeal& seal_;
  const std::string prefix_;
  const Clock now_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_REDIS_RECORD_STORE_H_
