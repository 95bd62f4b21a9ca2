// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_SESSION_FIXTURE_H_
#define TESTS_SUPPORT_SESSION_FIXTURE_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "banyan/session/v1/session_service.pb.h"
#include "sessiond/keys/key_ring.h"
#include "sessiond/keys/principal_hasher.h"
#include "sessiond/sessions/sessions.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_record_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/stores.h"

namespace banyan {

inline session::v1::Principal LocalPrincipal(const std::string& subject) {
  session::v1::Principal principal;
  principal.set_issuer("local");
  principal.set_subject(subject);
  for (const char* scope : {"code:read", "code:write", "admin"}) {
    principal.add_scopes(scope);
  }
  return principal;
}

// The same subject with a token that has no scope yet.
inline session::v1::Principal TokenPrincipal(const std::string& subject) {
  session::v1::Principal principal;
  principal.set_issuer("issuer");
  principal.set_subject(subject);
  return principal;
}

// Sessions on a store, with a clock and faults to play with.
class SessionFixture : public ::testing::Test {
 protected:
  explicit SessionFixture(const StoreKind& kind = MemoryKind())
      : made_(kind.make(clock_.AsFunction())) {}

  using Events = std::map<sessiond::SessionEvent, int>;

  sessiond::SessionEventListener Counter() {
    return [this](sessiond::Era, sessiond::SessionEvent event) {
      const std::lock_guard<std::mutex> lock(events_mutex_);
      ++events_[event];
    };
  }
  int CountOf(sessiond::SessionEvent event) {
    const std::lock_guard<std::mutex> lock(events_mutex_);
    return events_[event];
  }

  std::unique_ptr<sessiond::Sessions> NewSessions(
      sessiond::Sessions::Options options = {}) {
    return std::make_unique<sessiond::Sessions>(store_, hasher_, options,
                                                clock_.AsFunction(), Counter());
  }

  // A whole `initialize`.
  static std::string Initialize(sessiond::Sessions& sessions,
                                const session::v1::Principal& principal) {
    const auto id = sessions.Generate(principal);
    EXPECT_THAT(id, IsOk());
    EXPECT_THAT(sessions.Create(principal, *id, Fill), IsOk());
    return *id;
  }

  static absl::Status Fill(session::v1::SessionRecord& record) {
    record.set_protocol_version("2025-11-25");
    record.set_client_name("test");
    return absl::OkStatus();
  }

  static absl::Status LeaveAsIs(session::v1::SessionRecord& /*record*/) {
    return absl::OkStatus();
  }

  FakeClock clock_;
  MadeStore made_;
  FaultyRecordStore store_{std::move(made_.records)};
  sessiond::PrincipalHasher hasher_{
      sessiond::KeyRing({sessiond::ToSecretKey(std::string(32, 'k'))})};
  const session::v1::Principal ada_ = LocalPrincipal("1000");
  const session::v1::Principal bob_ = LocalPrincipal("1001");

 private:
  std::mutex events_mutex_;
  Events events_;  // Guarded by events_mutex_.
};

}  // namespace banyan

#endif  // TESTS_SUPPORT_SESSION_FIXTURE_H_
