// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_EVENT_LOOP_H_
#define EDGE_HTTP_EVENT_LOOP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/time/time.h"
#include "edge/http/connection.h"

namespace banyan::edge {

// Where connections wait without a thread: one thread and one epoll set for
// all of them, and for the listening socket. A parked connection belongs to
// the loop until a callback gives it back. Thread-safe.
class EventLoop {
 public:
  // All are called on the loop's thread and must not block.
  struct Callbacks {
    // Bytes or the end have arrived.
    std::function<void(std::shared_ptr<Connection>)> on_ready;
    // The deadline came first.
    std::function<void(std::shared_ptr<Connection>)> on_expired;
    // Somebody wants to connect. False: try again after a pause, since there
    // are no descriptors left.
    std::function<bool()> on_acceptable;
  };

  EventLoop(int listener_fd, Callbacks callbacks,
            std::function<absl::Time()> now);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Begins to listen and to call back. Once.
  void Start();

  // Waits for the next bytes of `connection`; once. After Stop() it is dropped.
  void Park(std::shared_ptr<Connection> connection, absl::Time deadline);

  // Waits until the client takes more; `on_ready` then. False after Stop().
  bool AwaitRoom(const std::shared_ptr<Connection>& connection,
                 absl::Time deadline);

  // Waits for the client to close, for as long as it takes; `on_ready` then.
  // What it sends until then is left unread.
  void AwaitEnd(std::shared_ptr<Connection> connection);

  // Ends the thread and stops listening. Gives back those whose clients have
  // not taken their answers yet, and drops what else is parked.
  std::vector<std::shared_ptr<Connection>> Stop();

 private:
  using Deadlines = std::multimap<absl::Time, Connection*>;
  struct Parked {
    std::shared_ptr<Connection> connection;
    Deadlines::iterator deadline;
  };

  bool Add(std::shared_ptr<Connection> connection, uint32_t events,
           absl::Time deadline);
  void Run();
  int WaitMilliseconds();
  void HandleEvent(void* tag);
  void AcceptAll();
  void ExpireDue();
  std::shared_ptr<Connection> TakeLocked(Connection* connection);
  void Listen(bool is_on);
  void Wake() const;

  const int listener_fd_;
  const Callbacks callbacks_;
  const std::function<absl::Time()> now_;
  const int epoll_fd_;
  const int wake_fd_;
  absl::Time listen_again_at_ = absl::InfiniteFuture();  // Loop thread only.

  std::mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<Connection*, Parked> parked_;
  Deadlines deadlines_;
  absl::Time waiting_until_ = absl::InfinitePast();
  bool is_stopping_ = false;

  std::thread thread_;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_EVENT_LOOP_H_
