// SPDX-License-Identifier: Apache-2.0
//
// Every order of what can happen to one root between two lspds and one or two
// session daemons, up to a depth: streams that come, break and are noticed
// late, crashes of either kind, a store out of reach, claims that lapse. The
// leases are the real ones; states that look the same are gone into once.
//
// Never are there two owners whose streams stand, and every change of hands
// raises the epoch.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sessiond/leases/root_leases.h"
#include "tests/support/fake_claims.h"
#include "tests/support/fake_clock.h"

namespace banyan::sessiond {
namespace {

constexpr char kRoot[] = "/srv/a";
constexpr absl::Duration kHousekeeping =
    absl::Seconds(30);  // Between two housekeepings.
constexpr int kNowhere = -1;

struct Action {
  enum class Kind {
    kConnect,      // An lspd opens its stream at a daemon.
    kAcquire,      // An lspd asks for the root.
    kRelease,      // An lspd lets it go.
    kBreak,        // A stream breaks; the daemon has not noticed yet.
    kNotice,       // A daemon notices the end of an lspd's streams.
    kCrashLspd,    // It comes back with nothing.
    kCrashDaemon,  // It comes back with nothing, a second later.
    kCut,          // A daemon and the store lose each other, or meet again.
    kTick,         // Time passes, daemons keep house.
  };
  Kind kind;
  int lspd = 0;
  int daemon = 0;

  std::string Name() const {
    static constexpr const char* kNames[] = {
        "connect",    "acquire",      "release", "break", "notice",
        "crash lspd", "crash daemon", "cut",     "tick"};
    return absl::StrCat(kNames[static_cast<int>(kind)], " lspd ", lspd,
                        " daemon ", daemon);
  }
};

// The real leases and what the lspds make of their answers.
class World {
 public:
  explicit World(int daemons) : daemons_(static_cast<size_t>(daemons)) {
    table_.now = clock_.Now();
    for (Daemon& daemon : daemons_) Start(daemon);
  }

  bool IsPossible(const Action& action) const {
    const Lspd& lspd = lspds_[static_cast<size_t>(action.lspd)];
    switch (action.kind) {
      case Action::Kind::kConnect:
        return lspd.daemon == kNowhere;
      case Action::Kind::kAcquire:
        return lspd.daemon != kNowhere && !lspd.has_root;
      case Action::Kind::kRelease:
        return lspd.daemon != kNowhere && lspd.has_root;
      case Action::Kind::kBreak:
        return lspd.daemon != kNowhere;
      case Action::Kind::kCrashLspd:
        return lspd.daemon != kNowhere || lspd.has_root;
      case Action::Kind::kNotice:
        return !DaemonOf(action)
                    .broken[static_cast<size_t>(action.lspd)]
                    .empty();
      case Action::Kind::kCut:
        return daemons_.size() > 1;
      case Action::Kind::kCrashDaemon:
      case Action::Kind::kTick:
        return true;
    }
    return false;
  }

  void Do(const Action& action) {
    Lspd& lspd = lspds_[static_cast<size_t>(action.lspd)];
    switch (action.kind) {
      case Action::Kind::kConnect:
        Connect(action);
        break;
      case Action::Kind::kAcquire:
        Acquire(action.lspd);
        break;
      case Action::Kind::kRelease:
        daemons_[static_cast<size_t>(lspd.daemon)].leases->Release(
            lspd.connection, kRoot);
        lspd.has_root = false;
        break;
      case Action::Kind::kBreak:
        Break(action.lspd);
        break;
      case Action::Kind::kCrashLspd:
        if (lspd.daemon != kNowhere) Break(action.lspd);
        lspd.has_root = false;
        lspd.highest = 0;
        break;
      case Action::Kind::kNotice: {
        Daemon& daemon = daemons_[static_cast<size_t>(action.daemon)];
        auto& broken = daemon.broken[static_cast<size_t>(action.lspd)];
        for (const auto& connection : broken) {
          daemon.leases->Disconnect(connection, clock_.Now());
        }
        broken.clear();
        daemon.lost[static_cast<size_t>(action.lspd)] = 0;
        break;
      }
      case Action::Kind::kCrashDaemon:
        CrashDaemon(action.daemon);
        break;
      case Action::Kind::kCut: {
        FakeClaims& claims =
            *daemons_[static_cast<size_t>(action.daemon)].claims;
        claims.is_down = !claims.is_down;
        break;
      }
      case Action::Kind::kTick:
        Tick();
        break;
    }
  }

  // What is wrong; empty for nothing.
  std::string Fault() const {
    if (!fault_.empty()) return fault_;
    int owners = 0;
    for (const Lspd& lspd : lspds_) {
      if (lspd.daemon != kNowhere && lspd.has_root) ++owners;
    }
    return owners > 1 ? "two owners" : "";
  }

  // Of all that bears on what can happen next. Ages stop to count where they
  // have no effect any more; epochs count from the newest.
  std::string Fingerprint() const {
    std::string text;
    for (const Lspd& lspd : lspds_) {
      absl::StrAppend(&text, lspd.daemon, lspd.has_root ? "h" : "-",
                      lspd.has_root && lspd.epoch == newest_epoch_, "/",
                      lspd.highest == newest_epoch_, ";");
    }
    for (const Daemon& daemon : daemons_) {
      const auto owner = daemon.leases->OwnerOf(kRoot, clock_.Now());
      absl::StrAppend(&text, "[", owner.has_value() ? owner->owner : "-",
                      owner.has_value() && owner->epoch == newest_epoch_,
                      daemon.claims->is_down, std::min(daemon.unclaimed, 3));
      for (const size_t lspd : {0, 1}) {
        absl::StrAppend(&text, ",", daemon.broken[lspd].size(), ":",
                        std::min(daemon.lost[lspd], 3));
      }
    }
    for (const auto& [root, claim] : table_.claims) {
      absl::StrAppend(&text, "|", claim.address, claim.epoch == newest_epoch_,
                      claim.keeper == daemons_.front().claims.get(),
                      absl::FormatDuration(clock_.Now() - claim.renewed));
    }
    return absl::StrCat(text, "^", last_owner_);
  }

 private:
  using Connection = RootLeases::Connection;
  struct Lspd {
    int daemon = kNowhere;  // Where its stream stands.
    Connection connection;
    bool has_root = false;  // So it was told last.
    int64_t epoch = 0;
    int64_t highest = 0;
  };
  struct Daemon {
    std::unique_ptr<FakeClaims> claims;
    std::unique_ptr<RootLeases> leases;
    // Of each lspd: streams whose end was not noticed; ticks since one was.
    std::array<std::vector<Connection>, 2> broken;
    std::array<int, 2> lost = {9, 9};
    int unclaimed = 0;  // Ticks since the store was reached.
  };

  static std::string NameOf(int lspd) { return lspd == 0 ? "a" : "b"; }
  const Daemon& DaemonOf(const Action& action) const {
    return daemons_[static_cast<size_t>(action.daemon)];
  }

  void Start(Daemon& daemon) {
    const bool was_down = daemon.claims != nullptr && daemon.claims->is_down;
    auto claims = std::make_unique<FakeClaims>(table_);
    claims->is_down = was_down;
    daemon.leases = std::make_unique<RootLeases>(
        RootLeases::Options(), clock_.Now(),
        daemons_.size() > 1 ? claims.get() : nullptr);
    // The old one stays, so that no new keeper is mistaken for it.
    if (daemon.claims != nullptr) retired_.push_back(std::move(daemon.claims));
    daemon.claims = std::move(claims);
    daemon.broken = {};
    daemon.lost = {9, 9};
    daemon.unclaimed = 0;
  }

  void Connect(const Action& action) {
    Lspd& lspd = lspds_[static_cast<size_t>(action.lspd)];
    Daemon& daemon = daemons_[static_cast<size_t>(action.daemon)];
    std::vector<std::string> roots;
    if (lspd.has_root) roots.emplace_back(kRoot);
    const int number = ++streams_;
    const auto connected = daemon.leases->Connect(
        NameOf(action.lspd), NameOf(action.lspd) + ":1", lspd.highest, roots,
        clock_.Now(), [this, index = action.lspd, number](const RootLease&) {
          // Only a stream that still stands carries it.
          if (stream_of_[static_cast<size_t>(index)] == number) {
            lspds_[static_cast<size_t>(index)].has_root = false;
          }
        });
    lspd.daemon = action.daemon;
    lspd.connection = connected.connection;
    stream_of_[static_cast<size_t>(action.lspd)] = number;
    // A later stream of the same name has taken the place of broken ones.
    daemon.broken[static_cast<size_t>(action.lspd)].clear();
    daemon.lost[static_cast<size_t>(action.lspd)] = 9;
    lspd.has_root = !connected.kept.empty();
    if (lspd.has_root) Note(action.lspd, connected.kept.front());
  }

  void Acquire(int index) {
    Lspd& lspd = lspds_[static_cast<size_t>(index)];
    Daemon& daemon = daemons_[static_cast<size_t>(lspd.daemon)];
    const auto lease =
        daemon.leases->Acquire(lspd.connection, kRoot, clock_.Now());
    if (lease.ok() && lease->is_granted) {
      lspd.has_root = true;
      daemon.unclaimed = 0;
      Note(index, *lease);
    }
  }

  void Note(int index, const RootLease& lease) {
    Lspd& lspd = lspds_[static_cast<size_t>(index)];
    const bool has_changed_hands = last_owner_ != NameOf(index);
    if (has_changed_hands ? lease.epoch <= newest_epoch_
                          : lease.epoch < newest_epoch_) {
      fault_ = "an epoch that does not rise";
    }
    lspd.epoch = lease.epoch;
    lspd.highest = std::max(lspd.highest, lease.epoch);
    newest_epoch_ = std::max(newest_epoch_, lease.epoch);
    last_owner_ = NameOf(index);
  }

  void Break(int index) {
    Lspd& lspd = lspds_[static_cast<size_t>(index)];
    daemons_[static_cast<size_t>(lspd.daemon)]
        .broken[static_cast<size_t>(index)]
        .push_back(lspd.connection);
    lspd.daemon = kNowhere;
    stream_of_[static_cast<size_t>(index)] = 0;
  }

  void CrashDaemon(int index) {
    for (const int lspd : {0, 1}) {
      if (lspds_[static_cast<size_t>(lspd)].daemon == index) Break(lspd);
    }
    Pass(absl::Seconds(1));
    Start(daemons_[static_cast<size_t>(index)]);
  }

  void Tick() {
    Pass(kHousekeeping);
    table_.Lapse();
    for (Daemon& daemon : daemons_) {
      daemon.leases->RenewClaims(clock_.Now());
      daemon.unclaimed = daemon.claims->is_down ? daemon.unclaimed + 1 : 0;
      for (int& ticks : daemon.lost) ++ticks;
    }
  }

  void Pass(absl::Duration time) {
    clock_.Advance(time);
    table_.now = clock_.Now();
  }

  FakeClock clock_;
  ClaimTable table_;
  std::vector<std::unique_ptr<FakeClaims>> retired_;
  std::array<Lspd, 2> lspds_;
  std::array<int, 2> stream_of_ = {0, 0};
  int streams_ = 0;
  int64_t newest_epoch_ = 0;
  std::string last_owner_;
  std::string fault_;
  std::vector<Daemon> daemons_;
};

std::vector<Action> AllActions(int daemons) {
  std::vector<Action> actions = {{Action::Kind::kTick}};
  for (const int lspd : {0, 1}) {
    for (const auto kind : {Action::Kind::kAcquire, Action::Kind::kRelease,
                            Action::Kind::kBreak, Action::Kind::kCrashLspd}) {
      actions.push_back({kind, lspd});
    }
    for (int daemon = 0; daemon < daemons; ++daemon) {
      actions.push_back({Action::Kind::kConnect, lspd, daemon});
      actions.push_back({Action::Kind::kNotice, lspd, daemon});
    }
  }
  for (int daemon = 0; daemon < daemons; ++daemon) {
    actions.push_back({Action::Kind::kCrashDaemon, 0, daemon});
    actions.push_back({Action::Kind::kCut, 0, daemon});
  }
  return actions;
}

struct Explored {
  size_t states = 0;
  std::string fault;  // With the shortest way to it.
};

// Breadth first, each way replayed in a world of its own.
Explored Explore(int daemons, size_t depth) {
  const std::vector<Action> actions = AllActions(daemons);
  std::set<std::string> seen;
  std::deque<std::vector<Action>> ways = {{}};
  while (!ways.empty()) {
    const std::vector<Action> way = std::move(ways.front());
    ways.pop_front();
    World here(daemons);
    for (const Action& action : way) here.Do(action);
    for (const Action& next : actions) {
      if (!here.IsPossible(next)) continue;
      World world(daemons);
      for (const Action& action : way) world.Do(action);
      world.Do(next);
      std::vector<Action> longer = way;
      longer.push_back(next);
      const std::string fault = world.Fault();
      if (!fault.empty()) {
        return {seen.size(),
                absl::StrCat(
                    fault, " after ",
                    absl::StrJoin(longer, ", ",
                                  [](std::string* text, const Action& one) {
                                    absl::StrAppend(text, one.Name());
                                  }))};
      }
      if (!seen.insert(world.Fingerprint()).second) continue;
      if (longer.size() < depth) ways.push_back(std::move(longer));
    }
  }
  return {seen.size(), ""};
}

TEST(TakeoverModelTest, OneDaemonNeverHasTwoOwnersOfARoot) {
  const Explored explored = Explore(/*daemons=*/1, /*depth=*/10);
  EXPECT_EQ(explored.fault, "");
  RecordProperty("states", static_cast<int>(explored.states));
  EXPECT_GT(explored.states, 100u);
}

TEST(TakeoverModelTest, TwoDaemonsOnOneStoreNeverHaveTwoOwnersOfARoot) {
  const Explored explored = Explore(/*daemons=*/2, /*depth=*/7);
  EXPECT_EQ(explored.fault, "");
  RecordProperty("states", static_cast<int>(explored.states));
  EXPECT_GT(explored.states, 1'000u);
}

}  // namespace
}  // namespace banyan::sessiond
