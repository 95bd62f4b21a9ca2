// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/sqlite_record_store.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/store/record_map.h"
#include "sessiond/store/sqlite_database.h"
#include "sessiond/store/sqlite_schema.h"

namespace banyan::sessiond {
namespace {

constexpr size_t kBatchLimit = 512;
constexpr absl::Duration kPruneEvery = absl::Minutes(1);

struct Statements {
  SqliteStatement begin;
  SqliteStatement commit;
  SqliteStatement rollback;
  SqliteStatement put;
  SqliteStatement remove;
  SqliteStatement log;
  SqliteStatement prune;
};

absl::StatusOr<Statements> Prepare(SqliteDatabase& database) {
  ASSIGN_OR_RETURN(auto begin, database.Prepare("BEGIN IMMEDIATE"));
  ASSIGN_OR_RETURN(auto commit, database.Prepare("COMMIT"));
  ASSIGN_OR_RETURN(auto rollback, database.Prepare("ROLLBACK"));
  ASSIGN_OR_RETURN(
      auto put,
      database.Prepare("INSERT OR REPLACE INTO records(kind, key, version, "
                       "principal, is_over, body) VALUES (?,?,?,?,?,?)"));
  ASSIGN_OR_RETURN(
      auto remove,
      database.Prepare("DELETE FROM records WHERE kind = ? AND key = ?"));
  ASSIGN_OR_RETURN(
      auto log,
      database.Prepare("INSERT INTO changes(revision, kind, key, version, "
                       "is_over, at_ms) VALUES (?,?,?,?,?,?)"));
  // The newest stays: it is where revisions go on after a restart.
  ASSIGN_OR_RETURN(
      auto prune,
      database.Prepare("DELETE FROM changes WHERE revision < ?1 AND "
                       "(at_ms < ?2 OR revision <= ?1 - ?3)"));
  return Statements{std::move(begin), std::move(commit), std::move(rollback),
                    std::move(put),   std::move(remove), std::move(log),
                    std::move(prune)};
}

class SqliteRecordStore : public RecordStore {
 public:
  SqliteRecordStore(SqliteStoreOptions options, SqliteDatabase database,
                    Statements statements, RecordMap map)
      : options_(std::move(options)),
        database_(std::move(database)),
        statements_(std::move(statements)),
        map_(std::move(map)),
        writer_([this] { Run(); }) {}

  ~SqliteRecordStore() override {
    {
      const std::lock_guard<std::mutex> lock(queue_mutex_);
      is_stopping_ = true;
    }
    queue_grew_.notify_one();
    writer_.join();
  }

  absl::StatusOr<WriteResult> Write(RecordWrite write) override {
    Waiting waiting{std::move(write), {}};
    std::future<Answer> answer = waiting.answer.get_future();
    {
      const std::lock_guard<std::mutex> lock(queue_mutex_);
      queue_.push_back(std::move(waiting));
    }
    queue_grew_.notify_one();
    return answer.get();
  }

  absl::StatusOr<std::optional<Record>> Load(RecordKind kind,
                                             absl::string_view key) override {
    const std::shared_lock<std::shared_mutex> lock(map_mutex_);
    return map_.Load(kind, key);
  }

  absl::StatusOr<std::vector<Record>> List(
      RecordKind kind, std::optional<std::string> principal) override {
    const std::shared_lock<std::shared_mutex> lock(map_mutex_);
    return map_.List(kind, principal);
  }

  absl::StatusOr<History> ChangesSince(int64_t revision) override {
    const std::shared_lock<std::shared_mutex> lock(map_mutex_);
    return map_.ChangesSince(revision);
  }

  void SetChangeListener(
      std::function<void(const RecordChange&)> listener) override {
    const std::unique_lock<std::shared_mutex> lock(map_mutex_);
    listener_ = std::move(listener);
  }

 private:
  using Answer = absl::StatusOr<WriteResult>;
  struct Waiting {
    RecordWrite write;
    std::promise<Answer> answer;
  };
  // A judged write and, when it is to be done, what it will have changed.
  struct Step {
    Waiting waiting;
    WriteResult verdict;
    std::optional<RecordChange> change;
  };

  void Run() {
    while (true) {
      {
        std::unique_lock<std::mutex> lock(queue_mutex_);
        queue_grew_.wait(lock,
                         [this] { return is_stopping_ || !queue_.empty(); });
        if (queue_.empty()) return;
      }
      std::vector<Step> batch = TakeBatch();
      const absl::Status status = Persist(batch);
      if (status.ok()) Publish(batch);
      for (Step& step : batch) {
        step.waiting.answer.set_value(status.ok() ? Answer(step.verdict)
                                                  : Answer(status));
      }
    }
  }

  // As much of the queue as can be judged by the same state: each record once.
  // Only this thread changes map_, so it reads it without the lock.
  std::vector<Step> TakeBatch() {
    std::vector<Step> batch;
    std::set<std::pair<RecordKind, std::string>> touched;
    RecordMap::Pending pending;
    int64_t revision = map_.revision();
    const absl::Time now = options_.now();
    const std::lock_guard<std::mutex> lock(queue_mutex_);
    while (!queue_.empty() && batch.size() < kBatchLimit) {
      const RecordWrite& write = queue_.front().write;
      if (!touched.emplace(write.record.kind, write.record.key).second) break;
      const WriteResult verdict = map_.Judge(write, pending);
      std::optional<RecordChange> change;
      if (verdict == WriteResult::kDone) {
        change = map_.Describe(write, ++revision, now);
        pending.Add(write);
      }
      batch.push_back({std::move(queue_.front()), verdict, std::move(change)});
      queue_.pop_front();
    }
    return batch;
  }

  absl::Status Persist(const std::vector<Step>& batch) {
    const bool has_change =
        std::any_of(batch.begin(), batch.end(),
                    [](const Step& step) { return step.change.has_value(); });
    if (!has_change) return absl::OkStatus();
    if (!broken_.ok()) return broken_;
    const absl::Time start = absl::Now();
    const absl::Status status = Transact(batch);
    if (options_.on_commit) options_.on_commit(absl::Now() - start);
    if (status.ok()) return status;
    // Not an error if SQLite has rolled back by itself.
    (void)statements_.rollback.Run();
    return Refuse(status);
  }

  absl::Status Transact(const std::vector<Step>& batch) {
    RETURN_IF_ERROR(statements_.begin.Run());
    for (const Step& step : batch) {
      if (!step.change.has_value()) continue;
      RETURN_IF_ERROR(WriteRecord(step));
      RETURN_IF_ERROR(WriteChange(*step.change));
      last_change_ = *step.change;
    }
    RETURN_IF_ERROR(Prune());
    return statements_.commit.Run();
  }

  absl::Status WriteRecord(const Step& step) {
    const Record& record = step.waiting.write.record;
    const int64_t kind = static_cast<int64_t>(record.kind);
    if (step.waiting.write.verb == RecordWrite::Verb::kDelete) {
      return statements_.remove.Bind(1, kind).BindBlob(2, record.key).Run();
    }
    return statements_.put.Bind(1, kind)
        .BindBlob(2, record.key)
        .Bind(3, step.change->version)
        .BindBlob(4, record.principal)
        .Bind(5, record.is_over ? 1 : 0)
        .BindBlob(6, record.body)
        .Run();
  }

  absl::Status WriteChange(const RecordChange& change) {
    return statements_.log.Bind(1, change.revision)
        .Bind(2, static_cast<int64_t>(change.kind))
        .BindBlob(3, change.key)
        .Bind(4, change.version)
        .Bind(5, change.is_over ? 1 : 0)
        .Bind(6, absl::ToUnixMillis(change.at))
        .Run();
  }

  absl::Status Prune() {
    if (last_change_.at < last_prune_ + kPruneEvery) return absl::OkStatus();
    last_prune_ = last_change_.at;
    return statements_.prune.Bind(1, last_change_.revision)
        .Bind(2, absl::ToUnixMillis(last_change_.at - kHistoryLife))
        .Bind(3, static_cast<int64_t>(kHistoryLimit))
        .Run();
  }

  absl::Status Refuse(const absl::Status& status) {
    const bool is_full = status.code() == absl::StatusCode::kResourceExhausted;
    const absl::Status refusal = rpc::Error(
        rpc::v1::ERROR_REASON_STORE_UNREACHABLE,
        is_full ? "the session store's disk is full; nothing was changed. "
                  "Try again when the operator has made room."
                : "the session store's disk reports errors; nothing more is "
                  "written until the operator has repaired it and restarted "
                  "the session daemon.");
    if (!is_full) broken_ = refusal;
    rpc::Log(
        {.level = rpc::LogLevel::kError,
         .event = "store_write_failed",
         .message = absl::StrCat("[Store] Write failed: ", status.message()),
         .fields = {{"path", options_.path},
                    {"recovers", is_full ? "by itself" : "by restart"}}});
    return refusal;
  }

  void Publish(std::vector<Step>& batch) {
    const std::unique_lock<std::shared_mutex> lock(map_mutex_);
    for (Step& step : batch) {
      if (!step.change.has_value()) continue;
      map_.Apply(std::move(step.waiting.write), *step.change);
      if (listener_) listener_(*step.change);
    }
  }

  const SqliteStoreOptions options_;
  // Only the writer's thread uses these once it runs.
  SqliteDatabase database_;
  Statements statements_;
  absl::Status broken_;
  RecordChange last_change_;
  absl::Time last_prune_ = absl::InfinitePast();

  std::shared_mutex map_mutex_;
  RecordMap map_;                                      // Guarded by map_mutex_.
  std::function<void(const RecordChange&)> listener_;  // Guarded by map_mutex_.

  std::mutex queue_mutex_;
  std::condition_variable queue_grew_;
  std::deque<Waiting> queue_;  // Guarded by queue_mutex_.
  bool is_stopping_ = false;   // Guarded by queue_mutex_.

  std::thread writer_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RecordStore>> NewSqliteRecordStore(
    SqliteStoreOptions options) {
  if (options.now == nullptr) options.now = [] { return absl::Now(); };
  ASSIGN_OR_RETURN(SqliteDatabase database,
                   OpenStoreFile(options.path, options.vfs));
  ASSIGN_OR_RETURN(RecordMap map, ReadRecords(database, options.now()));
  ASSIGN_OR_RETURN(Statements statements, Prepare(database));
  return std::make_unique<SqliteRecordStore>(
      std::move(options), std::move(database), std::move(statements),
      std::move(map));
}

}  // namespace banyan::sessiond
