// SPDX-License-Identifier: Apache-2.0
//
// Every order in which the steps of calls of two daemons, A and B, on one store
// can follow each other, with one of the daemons killed between any two steps
// or inside one. The calls are the real ones.
//
// Whatever happens, a session whose end was acknowledged is over for good, for
// everybody, and no handle is left that nobody was told of.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sessiond/bindings/bindings.h"
#include "sessiond/store/memory_record_store.h"
#include "sessiond/store/record_id.h"
#include "tests/support/fake_clock.h"
#include "tests/support/interleaver.h"
#include "tests/support/session_fixture.h"

namespace banyan::sessiond {
namespace {

using session::v1::SessionRecord;
using session::v1::WorkspaceRecord;

constexpr int kA = 0;
constexpr int kB = 1;

const ProjectRegistry& Projects() {
  static const ProjectRegistry projects = *ProjectRegistry::Create(
      {.projects = {"back=/srv/back"}, .workspaces_roots = {"/srv"}});
  return projects;
}

// One store and two daemons on it, each with the memory of a process.
class Daemons {
 public:
  explicit Daemons(Interleaver::Run& run) : run_(run) {
    for (const int daemon : {kA, kB}) {
      Daemon& one = daemons_[daemon];
      one.store = run.StoreOf(daemon, *store_);
      one.sessions = std::make_unique<Sessions>(*one.store, Hasher(daemon),
                                                Sessions::Options(), Now());
      one.bindings =
          std::make_unique<Bindings>(*one.store, Hasher(daemon), *one.sessions,
                                     Projects(), Bindings::Options(), Now());
    }
  }

  // Before the calls: no steps.
  void Reserve() { id_ = *On(kA).Generate(ada_); }
  void Open() {
    Reserve();
    EXPECT_TRUE(On(kA).Create(ada_, id_, Fill).ok());
  }
  void Use(int daemon) { EXPECT_TRUE(On(daemon).Use(ada_, id_).ok()); }
  void Pass(absl::Duration time) { clock_.Advance(time); }

  // The calls.
  void AddCreate(int daemon) {
    run_.Add(daemon,
             [this, daemon] { (void)On(daemon).Create(ada_, id_, Fill); });
  }
  void AddTerminate(int daemon) {
    run_.Add(daemon, [this, daemon] {
      if (On(daemon).Terminate(ada_, id_).ok()) is_ended_ = true;
    });
  }
  void AddTerminatePublic(int daemon) {
    run_.Add(daemon, [this, daemon] {
      const auto ended = On(daemon).TerminatePublic(PublicId(RecordKey(id_)));
      if (ended.ok() && *ended) is_ended_ = true;
    });
  }
  void AddUse(int daemon) {
    run_.Add(daemon, [this, daemon] {
      const bool was_ended = is_ended_;
      const auto live = On(daemon).Use(ada_, id_);
      if (was_ended && live.ok()) is_back_ = true;
    });
  }
  void AddUpdate(int daemon) {
    run_.Add(daemon, [this, daemon] {
      (void)On(daemon).Update(ada_, id_, 0, [](SessionRecord& record) {
        record.add_subscriptions("file:///x");
        return absl::OkStatus();
      });
    });
  }
  void AddHouseKeeping(int daemon) {
    run_.Add(daemon, [this, daemon] {
      (void)On(daemon).WriteLastUses(/*all=*/true);
      (void)On(daemon).Sweep();
    });
  }
  void AddBind(int daemon) {
    run_.Add(daemon, [this, daemon] {
      session::v1::BindWorkspaceRequest request;
      *request.mutable_principal() = ada_;
      request.set_session_id(id_);
      request.set_project("back");
      const auto bound = daemons_[daemon].bindings->Bind(request);
      is_bound_ = bound.ok();
      is_refused_ = !bound.ok();
    });
  }

  std::string Look() {
    std::string text;
    const auto sessions = store_->List(RecordKind::kSession, {});
    for (const Record& record : *sessions) {
      SessionRecord session;
      session.ParseFromString(record.body);
      absl::StrAppend(&text, record.version, ":", session.state(), ":",
                      session.principal_key_id(), ":",
                      session.workspaces_size(), ";");
    }
    const auto handles = store_->List(RecordKind::kWorkspace, {});
    for (const Record& record : *handles) {
      absl::StrAppend(&text, "w", record.version, ";");
    }
    return absl::StrCat(text, is_ended_, is_bound_);
  }

  // When all is over, by daemons that know nothing but the store.
  std::string Judge() {
    Sessions later(*store_, Hasher(kB), {}, Now());
    if (is_back_) return "a use found what had been ended";
    if (is_ended_) {
      if (later.Validate(ada_, id_)->has_value()) return "it is back";
      (void)later.Create(ada_, id_, Fill);
      (void)later.WriteLastUses(/*all=*/true);
      (void)later.Update(ada_, id_, 0, Fill);
      if (later.Get(ada_, id_).ok()) return "it was brought back";
    }
    const auto handles = store_->List(RecordKind::kWorkspace, {});
    if (is_refused_ && !handles->empty()) return "a handle nobody knows of";
    const auto session = later.Get(ada_, id_);
    if (is_bound_ && session.ok() && session->record.workspaces().empty()) {
      return "an acknowledged handle is not the session's";
    }
    return "";
  }

 private:
  struct Daemon {
    std::unique_ptr<RecordStore> store;
    std::unique_ptr<Sessions> sessions;
    std::unique_ptr<Bindings> bindings;
  };

  // B has a newer key than A: what it uses it hashes anew.
  static const PrincipalHasher& Hasher(int daemon) {
    static const SecretKey old_key = ToSecretKey(std::string(32, 'k'));
    static const SecretKey new_key = ToSecretKey(std::string(32, 'n'));
    static const PrincipalHasher before(KeyRing({old_key, new_key}));
    static const PrincipalHasher after(KeyRing({new_key, old_key}));
    return daemon == kA ? before : after;
  }

  static absl::Status Fill(SessionRecord& record) {
    record.set_protocol_version("2025-11-25");
    return absl::OkStatus();
  }

  Sessions& On(int daemon) { return *daemons_[daemon].sessions; }
  Clock Now() { return clock_.AsFunction(); }

  Interleaver::Run& run_;
  FakeClock clock_;
  const std::unique_ptr<RecordStore> store_ =
      NewMemoryRecordStore(clock_.AsFunction());
  const session::v1::Principal ada_ = LocalPrincipal("1000");
  Daemon daemons_[2];
  std::string id_;
  bool is_ended_ = false;  // And acknowledged.
  bool is_back_ = false;
  bool is_bound_ = false;    // And acknowledged.
  bool is_refused_ = false;  // And said so.
};

// All orders of what `add` adds, with one death.
void ExpectNoFault(const std::function<void(Daemons&)>& add) {
  const auto explored =
      Interleaver::Explore(/*kills=*/1, [&add](Interleaver::Run& run) {
        const auto daemons = std::make_shared<Daemons>(run);
        add(*daemons);
        return Interleaver::World{
            .look = [daemons] { return daemons->Look(); },
            .judge = [daemons](
                         const Interleaver::Run&) { return daemons->Judge(); }};
      });
  EXPECT_EQ(explored.fault, "");
  EXPECT_GT(explored.states, 30u);
  ::testing::Test::RecordProperty("runs", static_cast<int>(explored.runs));
  ::testing::Test::RecordProperty("states", static_cast<int>(explored.states));
}

TEST(SessionModelTest, CreatesOfBothSidesAgainstATermination) {
  ExpectNoFault([](Daemons& daemons) {
    daemons.Reserve();
    daemons.AddCreate(kA);
    daemons.AddCreate(kB);
    daemons.AddTerminate(kB);
  });
}

TEST(SessionModelTest, ChangesAndRestoresAgainstATermination) {
  ExpectNoFault([](Daemons& daemons) {
    daemons.Open();
    daemons.AddUpdate(kA);
    daemons.AddUse(kB);  // Hashes anew.
    daemons.AddTerminate(kA);
  });
}

TEST(SessionModelTest, LateUsesAndSweepsAgainstATermination) {
  ExpectNoFault([](Daemons& daemons) {
    daemons.Open();
    daemons.Pass(absl::Hours(2));
    daemons.Use(kA);
    daemons.AddHouseKeeping(kA);
    daemons.AddTerminate(kB);
    daemons.AddHouseKeeping(kB);
  });
}

TEST(SessionModelTest, BindingAgainstATermination) {
  ExpectNoFault([](Daemons& daemons) {
    daemons.Open();
    daemons.AddBind(kA);
    daemons.AddTerminate(kB);
  });
}

TEST(SessionModelTest, AnOperatorsEndAgainstUseAndChange) {
  ExpectNoFault([](Daemons& daemons) {
    daemons.Open();
    daemons.AddTerminatePublic(kB);
    daemons.AddUpdate(kA);
    daemons.AddUse(kB);
  });
}

TEST(SessionModelTest, ExpiryAgainstChangeAndTermination) {
  ExpectNoFault([](Daemons& daemons) {
    daemons.Open();
    daemons.Pass(absl::Hours(25));
    daemons.AddHouseKeeping(kA);
    daemons.AddUpdate(kB);
    daemons.AddTerminate(kA);
  });
}

TEST(SessionModelTest, ASweptPlaceholderAgainstItsCreate) {
  ExpectNoFault([](Daemons& daemons) {
    daemons.Reserve();
    daemons.Pass(absl::Minutes(11));
    daemons.AddHouseKeeping(kA);
    daemons.AddCreate(kB);
    daemons.AddTerminate(kA);
  });
}

}  // namespace
}  // namespace banyan::sessiond
