// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_CLIENTS_SESSION_WATCH_H_
#define EDGE_CLIENTS_SESSION_WATCH_H_

#include <grpcpp/channel.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace banyan::edge {

// What happens in sessiond, told to this edge over one stream that is opened
// again whenever it breaks. Thread-safe.
class SessionWatch {
 public:
  // Called one at a time on the watch's own thread. Sessions are named by the
  // SHA-256 of their id.
  struct Listener {
    std::function<void(const std::string& session, const std::string& stream,
                       int64_t newest_event)>
        on_growth = [](const std::string&, const std::string&, int64_t) {};
    std::function<void(const std::string& session)> on_session_end =
        [](const std::string&) {};
    // sessiond knows from here on that this session is followed: look at what
    // came before.
    std::function<void(const std::string& session)> on_followed =
        [](const std::string&) {};
    // The stream is new: look at everything that is followed.
    std::function<void()> on_synced = [] {};
  };

  virtual ~SessionWatch() = default;

  // Begins to listen. Once, before anything is followed.
  virtual void Start(Listener listener) = 0;

  // While a session is followed it does not expire, and the growth of its ring
  // is told. As often unfollowed as followed. Neither waits for sessiond.
  virtual void Follow(absl::string_view session_id) = 0;
  virtual void Unfollow(absl::string_view session_id) = 0;

  // No call of the listener runs or begins after this.
  virtual void Stop() = 0;
};

std::unique_ptr<SessionWatch> NewGrpcSessionWatch(
    std::shared_ptr<grpc::Channel> sessiond);

}  // namespace banyan::edge

#endif  // EDGE_CLIENTS_SESSION_WATCH_H_
