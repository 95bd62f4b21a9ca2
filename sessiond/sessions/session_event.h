// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_SESSIONS_SESSION_EVENT_H_
#define SESSIOND_SESSIONS_SESSION_EVENT_H_

#include <functional>

namespace banyan::sessiond {

// What agents hold: a protocol session, or in the modern era a workspace handle
// by itself. Handles of a session are no news of their own.
enum class Era { kLegacy, kModern };

enum class SessionEvent {
  kCreated,
  kTerminated,  // A handle: released.
  kExpiredIdle,
  kExpiredAbsolute,
  kEvicted,        // Its owner needed the place.
  kHijackRefused,  // Another principal asked for it; it lives on.
};

// Called from any thread.
using SessionEventListener = std::function<void(Era, SessionEvent)>;

}  // namespace banyan::sessiond

#endif  // SESSIOND_SESSIONS_SESSION_EVENT_H_
