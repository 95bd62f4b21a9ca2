// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/redis_feed.h"

#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/store/redis_scripts.h"

namespace banyan::sessiond {
namespace {

// How long a stop waits for the reader, and a reader for news.
constexpr char kBlockMs[] = "200";
constexpr std::chrono::milliseconds kPause(100);

int64_t ToInt(absl::string_view text) {
  int64_t number = 0;
  return absl::SimpleAtoi(text, &number) ? number : 0;
}

// The value after `name` in a stream entry's list of names and values.
absl::string_view Field(const RedisReply& entry, absl::string_view name) {
  const std::vector<RedisReply>& fields = entry.elements[1].elements;
  for (size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (fields[i].text == name) return fields[i + 1].text;
  }
  return "";
}

bool IsEntry(const RedisReply& reply) {
  return reply.elements.size() == 2 &&
         reply.elements[1].type == RedisReply::Type::kList;
}

RecordChange ToChange(const RedisReply& entry) {
  const std::string& id = entry.elements[0].text;
  return {.revision = ToInt(id.substr(0, id.find('-'))),
          .kind = static_cast<RecordKind>(ToInt(Field(entry, "k"))),
          .key = absl::HexStringToBytes(Field(entry, "r")),
          .version = ToInt(Field(entry, "v")),
          .is_over = Field(entry, "o") == "1",
          .at = absl::FromUnixMillis(ToInt(Field(entry, "t")))};
}

}  // namespace

RedisFeed::RedisFeed(RedisConnections& connections, std::string prefix,
                     Clock now, int64_t revision, std::string growth_id)
    : connections_(connections),
      prefix_(std::move(prefix)),
      now_(std::move(now)),
      growth_id_(std::move(growth_id)),
      told_(revision),
      thread_([this] { Run(); }) {}

RedisFeed::~RedisFeed() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
  }
  told_more_.notify_all();
  thread_.join();
}

void RedisFeed::SetChangeListener(ChangeListener listener) {
  const std::unique_lock<std::shared_mutex> lock(listeners_mutex_);
  on_change_ = std::move(listener);
}

void RedisFeed::SetGrowthListener(EventRings::GrowthListener listener) {
  const std::unique_lock<std::shared_mutex> lock(listeners_mutex_);
  on_growth_ = std::move(listener);
}

absl::Status RedisFeed::AwaitTold(int64_t revision) {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool is_told = told_more_.wait_for(
      lock, absl::ToChronoNanoseconds(connections_.options().call_timeout),
      [&] { return is_stopping_ || told_ >= revision; });
  if (is_told && !is_stopping_) return absl::OkStatus();
  return connections_.Refuse(
      absl::UnavailableError("changes do not come through"));
}

absl::StatusOr<History> RedisFeed::ReadHistory(RedisConnection& connection,
                                               const std::string& prefix,
                                               absl::Time now,
                                               int64_t revision) {
  const bool wants_changes = revision != std::numeric_limits<int64_t>::max();
  ASSIGN_OR_RETURN(
      const RedisReply reply,
      connection.Run(
          redis_scripts::History(), {prefix},
          {connection.lineage(), absl::StrCat(absl::ToUnixMillis(now)),
           wants_changes ? absl::StrCat(revision + 1, "-0") : ""}));
  if (reply.elements.size() != 3) return absl::InternalError("odd history");
  History history;
  history.newest_revision = reply.elements[0].integer;
  for (const RedisReply& entry : reply.elements[2].elements) {
    if (IsEntry(entry)) history.changes.push_back(ToChange(entry));
  }
  const bool is_given_out = revision >= reply.elements[1].integer &&
                            revision <= history.newest_revision;
  const bool follows_on = revision == history.newest_revision ||
                          (!history.changes.empty() &&
                           history.changes.front().revision == revision + 1);
  history.is_complete = is_given_out && follows_on;
  return history;
}

void RedisFeed::Run() {
  while (true) {
    const absl::Status status = Follow();
    std::unique_lock<std::mutex> lock(mutex_);
    if (is_stopping_) return;
    lock.unlock();
    if (!status.ok()) (void)connections_.Refuse(status);
    lock.lock();
    told_more_.wait_for(lock, kPause, [this] { return is_stopping_; });
    if (is_stopping_) return;
  }
}

// One connection from its first look to its end.
absl::Status RedisFeed::Follow() {
  ASSIGN_OR_RETURN(const auto connection,
                   RedisConnection::Open(connections_.options()));
  int64_t told = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    told = told_;
  }
  ASSIGN_OR_RETURN(const History history,
                   ReadHistory(*connection, prefix_, now_(), told));
  if (history.is_complete) {
    for (const RecordChange& change : history.changes) TellChange(change);
  } else {
    TellChange({.revision = history.newest_revision, .is_gap = true});
  }
  while (true) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (is_stopping_) return absl::OkStatus();
    }
    RETURN_IF_ERROR(ReadOn(*connection));
  }
}

absl::Status RedisFeed::ReadOn(RedisConnection& connection) {
  int64_t told = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    told = told_;
  }
  const std::string changes = absl::StrCat(prefix_, "changes");
  ASSIGN_OR_RETURN(
      const RedisReply reply,
      connection.Call({"XREAD", "COUNT", "1000", "BLOCK", kBlockMs, "STREAMS",
                       changes, absl::StrCat(prefix_, "growth"),
                       absl::StrCat(told, "-0"), growth_id_}));
  for (const RedisReply& stream : reply.elements) {
    if (stream.elements.size() != 2) continue;
    const bool is_changes = stream.elements[0].text == changes;
    for (const RedisReply& entry : stream.elements[1].elements) {
      if (!IsEntry(entry)) continue;
      if (is_changes) {
        const RecordChange change = ToChange(entry);
        // Emptied under our eyes.
        if (change.revision != told + 1) {
          TellChange({.revision = change.revision - 1, .is_gap = true});
        }
        TellChange(change);
        told = change.revision;
      } else {
        growth_id_ = entry.elements[0].text;
        TellGrowth(entry);
      }
    }
  }
  return absl::OkStatus();
}

void RedisFeed::TellChange(const RecordChange& change) {
  {
    const std::shared_lock<std::shared_mutex> lock(listeners_mutex_);
    if (on_change_) on_change_(change);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    told_ = change.revision;
  }
  told_more_.notify_all();
}

void RedisFeed::TellGrowth(const RedisReply& entry) {
  const std::shared_lock<std::shared_mutex> lock(listeners_mutex_);
  if (!on_growth_) return;
  on_growth_(absl::HexStringToBytes(Field(entry, "r")), Field(entry, "s"),
             ToInt(Field(entry, "i")));
}

}  // namespace banyan::sessiond
