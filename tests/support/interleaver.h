// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_INTERLEAVER_H_
#define TESTS_SUPPORT_INTERLEAVER_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sessiond/store/record_store.h"

namespace banyan {

// Runs calls of several daemons on one store in every order of their steps, a
// step being one call of the store, and lets daemons be killed between and
// inside steps. Each order runs in a world of its own, made anew; what was seen
// before is not gone into again.
//
// The calls run on threads, one at a time: whoever reaches the store waits for
// its turn.
class Interleaver {
 public:
  // Thrown out of a store's call: the daemon is dead.
  struct Died {};

  // One order of steps, while it runs.
  class Run {
   public:
    // `call` runs up to its first step at once. All before the first begins.
    void Add(int daemon, std::function<void()> call) {
      workers_.push_back({.daemon = daemon, .call = std::move(call)});
    }

    // The store as a daemon sees it. `inner` outlives it.
    std::unique_ptr<sessiond::RecordStore> StoreOf(
        int daemon, sessiond::RecordStore& inner) {
      return std::make_unique<SteppedStore>(*this, daemon, inner);
    }

    bool has_died(int daemon) const { return dead_.contains(daemon); }

   private:
    friend class Interleaver;
    enum class Place { kReady, kRunning, kWaiting, kOver };

    struct Worker {
      int daemon = 0;
      std::function<void()> call;
      Place place = Place::kReady;
      bool is_writing = false;   // Its next step is a write.
      bool dies_inside = false;  // After its step, before it hears.
      std::string heard;         // All that the store has told it.
      std::thread thread;
    };

    class SteppedStore : public sessiond::RecordStore {
     public:
      SteppedStore(Run& run, int daemon, sessiond::RecordStore& inner)
          : run_(run), daemon_(daemon), inner_(inner) {}

      absl::StatusOr<sessiond::WriteResult> Write(
          sessiond::RecordWrite write) override {
        run_.Wait(daemon_, /*is_writing=*/true);
        const auto result = inner_.Write(std::move(write));
        run_.Hear(
            absl::StrCat("W", result.ok() ? static_cast<int>(*result) : -1));
        return result;
      }
      absl::StatusOr<std::optional<sessiond::Record>> Load(
          sessiond::RecordKind kind, absl::string_view key) override {
        run_.Wait(daemon_, /*is_writing=*/false);
        const auto record = inner_.Load(kind, key);
        run_.Hear(
            absl::StrCat("L", record->has_value() ? (*record)->version : 0));
        return record;
      }
      absl::StatusOr<std::vector<sessiond::Record>> List(
          sessiond::RecordKind kind,
          std::optional<std::string> principal) override {
        run_.Wait(daemon_, /*is_writing=*/false);
        const auto list = inner_.List(kind, std::move(principal));
        std::string heard = "A";
        for (const auto& record : *list) {
          absl::StrAppend(&heard, record.version, ",");
        }
        run_.Hear(heard);
        return list;
      }
      absl::StatusOr<sessiond::History> ChangesSince(
          int64_t revision) override {
        return inner_.ChangesSince(revision);
      }
      void SetChangeListener(
          std::function<void(const sessiond::RecordChange&)>) override {}

     private:
      Run& run_;
      const int daemon_;
      sessiond::RecordStore& inner_;
    };

    // From a worker. Not from anybody else: then it is no step.
    void Wait(int daemon, bool is_writing) {
      if (current_ == nullptr) return;
      Worker& me = *current_;
      std::unique_lock<std::mutex> lock(mutex_);
      me.is_writing = is_writing;
      me.place = Place::kWaiting;
      turn_.notify_all();
      turn_.wait(lock, [&] { return me.place == Place::kRunning; });
      if (dead_.contains(daemon)) throw Died();
    }

    void Hear(const std::string& what) {
      if (current_ == nullptr) return;
      Worker& me = *current_;
      me.heard += what;
      if (!me.dies_inside) return;
      const std::lock_guard<std::mutex> lock(mutex_);
      dead_.insert(me.daemon);
      throw Died();
    }

    void Begin(Worker& worker) {
      worker.thread = std::thread([this, &worker] {
        current_ = &worker;
        try {
          worker.call();
        } catch (const Died&) {
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        worker.place = Place::kOver;
        turn_.notify_all();
      });
      Settle(worker);
    }

    // Until it waits for its turn or is done.
    void Settle(Worker& worker) {
      std::unique_lock<std::mutex> lock(mutex_);
      turn_.wait(lock, [&] {
        return worker.place == Place::kWaiting || worker.place == Place::kOver;
      });
    }

    void Step(Worker& worker, bool dies_inside) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        worker.dies_inside = dies_inside;
        worker.place = Place::kRunning;
        turn_.notify_all();
      }
      Settle(worker);
    }

    static inline thread_local Worker* current_ = nullptr;

    std::vector<Worker> workers_;
    std::mutex mutex_;
    std::condition_variable turn_;
    std::set<int> dead_;
  };

  struct Outcome {
    size_t runs = 0;
    size_t states = 0;
    std::string fault;  // What was wrong, and the steps to it.
  };

  // `prepare` adds the calls to a fresh run and gives back what tells a fault
  // when they are over; empty is none. `look` describes what is stored, for
  // states that are the same.
  struct World {
    std::function<std::string()> look;
    std::function<std::string(const Run&)> judge;
  };
  static Outcome Explore(int kills, const std::function<World(Run&)>& prepare) {
    Outcome outcome;
    std::set<std::string> seen;
    std::vector<size_t> picks;
    std::vector<size_t> choices;
    while (true) {
      ++outcome.runs;
      Run run;
      const World world = prepare(run);
      const std::string steps = Follow(run, world, kills, picks, choices, seen);
      if (!steps.empty()) {
        const std::string fault = world.judge(run);
        if (!fault.empty()) {
          outcome.fault = absl::StrCat(fault, " after ", steps);
          break;
        }
      }
      while (!picks.empty() && picks.back() + 1 >= choices.back()) {
        picks.pop_back();
        choices.pop_back();
      }
      if (picks.empty()) break;
      ++picks.back();
    }
    outcome.states = seen.size();
    return outcome;
  }

 private:
  // What can happen next: a worker's step, with or without its daemon's death
  // inside it, or a daemon's death alone.
  struct Choice {
    Run::Worker* worker = nullptr;
    bool dies_inside = false;
    int kill = -1;
  };

  static std::vector<Choice> ChoicesOf(Run& run, bool may_kill) {
    std::vector<Choice> choices;
    std::set<int> alive;
    for (Run::Worker& worker : run.workers_) {
      if (worker.place != Run::Place::kWaiting) continue;
      choices.push_back({&worker});
      if (may_kill && worker.is_writing) {
        choices.push_back({&worker, /*dies_inside=*/true});
      }
      alive.insert(worker.daemon);
    }
    if (may_kill) {
      for (const int daemon : alive) {
        choices.push_back({nullptr, false, daemon});
      }
    }
    return choices;
  }

  static std::string StateOf(const Run& run, const World& world) {
    std::string state = world.look();
    for (const Run::Worker& worker : run.workers_) {
      absl::StrAppend(&state, "|", worker.heard,
                      worker.place == Run::Place::kOver ? "." : "");
    }
    for (const int daemon : run.dead_) absl::StrAppend(&state, "!", daemon);
    return state;
  }

  // Empty when it came to a state that was seen before.
  static std::string Follow(Run& run, const World& world, int kills,
                            std::vector<size_t>& picks,
                            std::vector<size_t>& choices,
                            std::set<std::string>& seen) {
    for (Run::Worker& worker : run.workers_) run.Begin(worker);
    std::string steps = "start";
    bool is_known = false;
    for (size_t depth = 0;; ++depth) {
      const bool may_kill = static_cast<int>(run.dead_.size()) < kills;
      const std::vector<Choice> possible = ChoicesOf(run, may_kill);
      if (possible.empty()) break;
      if (depth == picks.size()) {
        is_known = !seen.insert(StateOf(run, world)).second;
        if (is_known) break;
        picks.push_back(0);
        choices.push_back(possible.size());
      }
      const Choice& choice = possible[picks[depth]];
      if (choice.worker != nullptr) {
        absl::StrAppend(&steps, ", ", choice.worker - run.workers_.data(),
                        choice.dies_inside ? " and dies" : "");
        run.Step(*choice.worker, choice.dies_inside);
      } else {
        absl::StrAppend(&steps, ", kill ", choice.kill);
        run.dead_.insert(choice.kill);
      }
      Bury(run);
    }
    // What is still waiting must end before its world does.
    if (is_known) {
      for (Run::Worker& worker : run.workers_) run.dead_.insert(worker.daemon);
      Bury(run);
    }
    for (Run::Worker& worker : run.workers_) worker.thread.join();
    return is_known ? "" : steps;
  }

  // Ends the calls of daemons that are dead.
  static void Bury(Run& run) {
    for (Run::Worker& worker : run.workers_) {
      if (worker.place == Run::Place::kWaiting &&
          run.dead_.contains(worker.daemon)) {
        run.Step(worker, false);
      }
    }
  }
};

}  // namespace banyan

#endif  // TESTS_SUPPORT_INTERLEAVER_H_
