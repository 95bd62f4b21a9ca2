// SPDX-License-Identifier: Apache-2.0
#include "sessiond/sessiond.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/bindings/authorizer.h"
#include "sessiond/bindings/bindings.h"
#include "sessiond/bindings/grant_signer.h"
#include "sessiond/bindings/overview.h"
#include "sessiond/bindings/servers_in_use.h"
#include "sessiond/keys/key_ring.h"
#include "sessiond/keys/principal_hasher.h"
#include "sessiond/open_streams.h"
#include "sessiond/registration_service.h"
#include "sessiond/session_metrics.h"
#include "sessiond/session_service.h"
#include "sessiond/sessions/sessions.h"
#include "sessiond/store/event_rings.h"
#include "sessiond/store/memory_record_store.h"
#include "sessiond/store/redis_address.h"
#include "sessiond/store/redis_store.h"
#include "sessiond/store/sqlite_record_store.h"
#include "sessiond/watch/change_feed.h"
#include "sessiond/watch/ring_feed.h"

namespace banyan::sessiond {
namespace {

// A stop does not wait until the last use of many thousands is synced.
constexpr absl::Duration kLastUsesAtStop = absl::Seconds(2);

// What has to be opened or read before the rest can be put together.
struct Foundation {
  std::shared_ptr<prometheus::Registry> registry;
  std::unique_ptr<SessionMetrics> metrics;
  Stores stores;
  ProjectRegistry projects;
  PrincipalHasher hasher;
  GrantSigner signer;
  KeyRing edge_keys;
};

absl::StatusOr<KeyRing> Keys(const Sessiond::Options& options,
                             absl::string_view name) {
  if (!options.keys_dir.empty()) {
    return KeyRing::LoadOrMake(options.keys_dir, name);
  }
  if (options.data_dir.empty()) return KeyRing::Ephemeral();
  return KeyRing::LoadOrMake(options.data_dir, name);
}

absl::StatusOr<std::string> ReadFile(const std::string& path,
                                     absl::string_view flag) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": ", path, " cannot be read"));
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

absl::StatusOr<Stores> OpenRedis(const Sessiond::Options& options) {
  RedisStoreOptions redis;
  ASSIGN_OR_RETURN(redis.redis.address, ParseRedisAddress(options.store));
  redis.redis.user = options.redis_user;
  ASSIGN_OR_RETURN(
      const std::string password,
      ReadFile(options.redis_password_file, "--redis_password_file"));
  redis.redis.password = std::string(absl::StripAsciiWhitespace(password));
  ASSIGN_OR_RETURN(const KeyRing keys, Keys(options, "store_key"));
  for (const SecretKey& key : keys.keys()) {
    redis.seal_keys.push_back(key.secret);
  }
  redis.event_rings = options.event_rings;
  redis.now = options.now;
  return OpenRedisStore(std::move(redis));
}

absl::StatusOr<Stores> OpenStore(const Sessiond::Options& options,
                                 SessionMetrics& metrics) {
  if (IsRedisUrl(options.store)) return OpenRedis(options);
  Stores stores;
  stores.rings = NewMemoryEventRings(options.event_rings, options.now);
  absl::string_view store = options.store;
  if (store == "memory:") {
    stores.records = NewMemoryRecordStore(options.now);
    return stores;
  }
  if (!absl::ConsumePrefix(&store, "sqlite:")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--store: ", options.store,
        " is none of sqlite:PATH, memory:, redis://, redis+sentinel://"));
  }
  std::string path(store);
  if (path.empty()) {
    if (options.data_dir.empty()) {
      return absl::InvalidArgumentError(
          "--store: sqlite: needs a path when there is no --data_dir");
    }
    path = absl::StrCat(options.data_dir, "/sessions.db");
  }
  ASSIGN_OR_RETURN(
      stores.records,
      NewSqliteRecordStore({.path = std::move(path),
                            .now = options.now,
                            .on_commit = [&metrics](absl::Duration taken) {
                              metrics.OnCommit(taken);
                            }}));
  return stores;
}

// The operator's own folders, once, at the start: the only look at a disk that
// holds workspaces. Where they are not mounted the text stands as it is.
std::string Canonicalize(const std::string& path) {
  std::error_code error;
  const std::filesystem::path canonical =
      std::filesystem::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

absl::StatusOr<Foundation> LayFoundation(const Sessiond::Options& options) {
  std::shared_ptr<prometheus::Registry> registry = options.metrics;
  if (registry == nullptr) registry = std::make_shared<prometheus::Registry>();
  auto metrics = std::make_unique<SessionMetrics>(*registry);
  ASSIGN_OR_RETURN(std::string projects_json,
                   ReadFile(options.projects_file, "--projects_file"));
  ASSIGN_OR_RETURN(
      ProjectRegistry projects,
      ProjectRegistry::Create({.projects = options.projects,
                               .projects_json = std::move(projects_json),
                               .workspaces_roots = options.workspaces_roots,
                               .canonicalize = Canonicalize}));
  ASSIGN_OR_RETURN(KeyRing grant_keys, Keys(options, "grant_key"));
  ASSIGN_OR_RETURN(KeyRing principal_keys, Keys(options, "principal_key"));
  ASSIGN_OR_RETURN(KeyRing edge_keys, Keys(options, "edge_key"));
  ASSIGN_OR_RETURN(GrantSigner signer,
                   GrantSigner::Create(grant_keys, options.now()));
  ASSIGN_OR_RETURN(Stores stores, OpenStore(options, *metrics));
  return Foundation{std::move(registry),
                    std::move(metrics),
                    std::move(stores),
                    std::move(projects),
                    PrincipalHasher(std::move(principal_keys)),
                    std::move(signer),
                    std::move(edge_keys)};
}

class AssembledSessiond : public Sessiond {
 public:
  AssembledSessiond(Options options, Foundation foundation)
      : options_(std::move(options)),
        base_(std::move(foundation)),
        feed_(*base_.stores.records),
        ring_feed_(*base_.stores.rings),
        ring_ends_(feed_.Subscribe(
            [this](const RecordChange& change) { ForgetRing(change); })),
        sessions_(*base_.stores.records, base_.hasher,
                  {.limits = options_.limits,
                   .quota = options_.session_quota,
                   .has_stream =
                       [this](absl::string_view key) {
                         return ring_feed_.IsFollowed(key);
                       },
                   .is_shared = IsShared()},
                  options_.now, OnSessionEvent()),
        bindings_(*base_.stores.records, base_.hasher, sessions_,
                  base_.projects,
                  {.limits = options_.limits,
                   .quota = options_.workspace_quota,
                   .is_shared = IsShared()},
                  options_.now, OnSessionEvent()),
        authorizer_(sessions_, bindings_, base_.projects, base_.hasher,
                    base_.signer, options_.now,
                    [this](rpc::ErrorReason reason) {
                      base_.metrics->OnPathCheck(reason);
                    }),
        overview_(sessions_, bindings_, base_.projects, base_.hasher),
        leases_(options_.leases, options_.now(), base_.stores.claims.get()),
        session_service_({sessions_, bindings_, authorizer_, overview_,
                          *base_.stores.rings, feed_, ring_feed_, streams_,
                          base_.projects.modes(), base_.edge_keys}),
        servers_(*base_.stores.records),
        registration_service_({leases_, bindings_.writers(), servers_, feed_,
                               streams_, base_.signer, options_.now}),
        housekeeper_([this] { KeepHouse(); }) {
    // Before the first call, so that the gauges begin right.
    LogFailure(CleanUp());
  }

  ~AssembledSessiond() override {
    AssembledSessiond::EndStreams();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_stopping_ = true;
    }
    stopping_.notify_one();
    housekeeper_.join();
    LogFailure(sessions_.WriteLastUses(/*all=*/true, kLastUsesAtStop));
    LogFailure(bindings_.WriteLastUses(/*all=*/true, kLastUsesAtStop));
  }

  std::vector<grpc::Service*> services() override {
    return {&session_service_, &registration_service_};
  }

  const ProjectRegistry& projects() const override { return base_.projects; }

  void EndStreams() override { streams_.EndAll(); }

 private:
  bool IsShared() const { return base_.stores.claims != nullptr; }

  SessionEventListener OnSessionEvent() {
    return [this](Era era, SessionEvent event) {
      base_.metrics->OnSessionEvent(era, event);
    };
  }

  void KeepHouse() {
    // Short limits are kept in time too.
    const auto interval = absl::ToChronoNanoseconds(
        std::min(options_.housekeeping_interval, options_.limits.idle / 4));
    std::unique_lock<std::mutex> lock(mutex_);
    while (
        !stopping_.wait_for(lock, interval, [this] { return is_stopping_; })) {
      lock.unlock();
      LogFailure(CleanUp());
      lock.lock();
    }
  }

  void ForgetRing(const RecordChange& change) const {
    if (change.is_over && change.kind == RecordKind::kSession) {
      base_.stores.rings->Forget(change.key);
    }
  }

  absl::Status CleanUp() {
    leases_.RenewClaims(options_.now());
    for (const std::string& key : ring_feed_.Followed()) {
      RETURN_IF_ERROR(sessions_.KeepAlive(key));
    }
    RETURN_IF_ERROR(sessions_.WriteLastUses(/*all=*/false));
    RETURN_IF_ERROR(bindings_.WriteLastUses(/*all=*/false));
    RETURN_IF_ERROR(sessions_.Sweep());
    RETURN_IF_ERROR(bindings_.Sweep());
    ASSIGN_OR_RETURN(const auto sessions, sessions_.List(std::nullopt));
    base_.metrics->SetActive(Era::kLegacy, sessions.size());
    ASSIGN_OR_RETURN(const auto handles, bindings_.List(std::nullopt));
    size_t modern = 0;
    for (const Bindings::Live& live : handles) {
      if (live.record.session_public_id().empty()) ++modern;
    }
    base_.metrics->SetActive(Era::kModern, modern);
    return absl::OkStatus();
  }

  static void LogFailure(const absl::Status& status) {
    if (status.ok()) return;
    rpc::Log({.level = rpc::LogLevel::kWarning,
              .event = "housekeeping_failed",
              .message = absl::StrCat("[Sessions] Housekeeping failed: ",
                                      status.message())});
  }

  const Options options_;
  Foundation base_;
  ChangeFeed feed_;
  RingFeed ring_feed_;
  const std::unique_ptr<ChangeFeed::Subscription> ring_ends_;
  Sessions sessions_;
  Bindings bindings_;
  Authorizer authorizer_;
  Overview overview_;
  RootLeases leases_;
  OpenStreams streams_;
  SessionService session_service_;
  ServersInUse servers_;
  RegistrationService registration_service_;

  std::mutex mutex_;
  std::condition_variable stopping_;
  bool is_stopping_ = false;  // Guarded by mutex_.
  std::thread housekeeper_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Sessiond>> Sessiond::Create(Options options) {
  if (options.now == nullptr) options.now = [] { return absl::Now(); };
  ASSIGN_OR_RETURN(Foundation foundation, LayFoundation(options));
  return std::make_unique<AssembledSessiond>(std::move(options),
                                             std::move(foundation));
}

}  // namespace banyan::sessiond
