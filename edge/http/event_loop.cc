// SPDX-License-Identifier: Apache-2.0
#include "edge/http/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace banyan::edge {
namespace {

constexpr absl::Duration kPauseWithoutDescriptors = absl::Milliseconds(50);

// A deadline that is farther away than this does not have to wake the loop.
constexpr absl::Duration kLongestWait = absl::Seconds(10);

}  // namespace

EventLoop::EventLoop(int listener_fd, Callbacks callbacks,
                     std::function<absl::Time()> now)
    : listener_fd_(listener_fd),
      callbacks_(std::move(callbacks)),
      now_(std::move(now)),
      epoll_fd_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  epoll_event wake = {.events = EPOLLIN | EPOLLET,
                      .data = {.ptr = const_cast<int*>(&wake_fd_)}};
  ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &wake);
}

void EventLoop::Start() {
  Listen(true);
  thread_ = std::thread([this] { Run(); });
}

EventLoop::~EventLoop() {
  Stop();
  ::close(wake_fd_);
  ::close(epoll_fd_);
}

void EventLoop::Park(std::shared_ptr<Connection> connection,
                     absl::Time deadline) {
  Add(std::move(connection), EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, deadline);
}

bool EventLoop::AwaitRoom(const std::shared_ptr<Connection>& connection,
                          absl::Time deadline) {
  return Add(connection, EPOLLOUT | EPOLLONESHOT, deadline);
}

void EventLoop::AwaitEnd(std::shared_ptr<Connection> connection) {
  Add(std::move(connection), EPOLLRDHUP | EPOLLONESHOT, absl::InfiniteFuture());
}

bool EventLoop::Add(std::shared_ptr<Connection> connection, uint32_t events,
                    absl::Time deadline) {
  Connection* const key = connection.get();
  epoll_event event = {.events = events, .data = {.ptr = key}};
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_stopping_) return false;
  parked_[key] = {std::move(connection), deadlines_.emplace(deadline, key)};
  if (::epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, key->fd(), &event) != 0) {
    ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, key->fd(), &event);
  }
  if (deadline < waiting_until_) Wake();
  return true;
}

std::vector<std::shared_ptr<Connection>> EventLoop::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
  }
  Wake();
  if (thread_.joinable()) thread_.join();
  std::vector<std::shared_ptr<Connection>> unanswered;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [key, parked] : parked_) {
    if (key->unsent() > 0) unanswered.push_back(std::move(parked.connection));
  }
  parked_.clear();
  deadlines_.clear();
  return unanswered;
}

void EventLoop::Run() {
  std::array<epoll_event, 128> events;
  for (;;) {
    const int wait = WaitMilliseconds();
    if (wait < 0) return;
    const int count =
        ::epoll_wait(epoll_fd_, events.data(), events.size(), wait);
    for (int i = 0; i < count; ++i) {
      HandleEvent(events[static_cast<size_t>(i)].data.ptr);
    }
    ExpireDue();
  }
}

// -1 when the loop has to end. Rounds up, so that a deadline has come when the
// wait for it is over.
int EventLoop::WaitMilliseconds() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_stopping_) return -1;
  const absl::Time now = now_();
  waiting_until_ = std::min(listen_again_at_, now + kLongestWait);
  if (!deadlines_.empty()) {
    waiting_until_ = std::min(waiting_until_, deadlines_.begin()->first);
  }
  const absl::Duration wait =
      std::max(waiting_until_ - now, absl::ZeroDuration());
  return static_cast<int>(
      absl::ToInt64Milliseconds(absl::Ceil(wait, absl::Milliseconds(1))));
}

void EventLoop::HandleEvent(void* tag) {
  if (tag == &wake_fd_) return;
  if (tag == &listener_fd_) return AcceptAll();
  std::shared_ptr<Connection> ready;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ready = TakeLocked(static_cast<Connection*>(tag));
  }
  // Null when its deadline was handled just before.
  if (ready != nullptr) callbacks_.on_ready(std::move(ready));
}

void EventLoop::AcceptAll() {
  if (callbacks_.on_acceptable()) return;
  Listen(false);
  listen_again_at_ = now_() + kPauseWithoutDescriptors;
}

void EventLoop::ExpireDue() {
  const absl::Time now = now_();
  if (now >= listen_again_at_) {
    listen_again_at_ = absl::InfiniteFuture();
    Listen(true);
  }
  std::vector<std::shared_ptr<Connection>> due;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
      due.push_back(TakeLocked(deadlines_.begin()->second));
    }
  }
  for (auto& connection : due) callbacks_.on_expired(std::move(connection));
}

std::shared_ptr<Connection> EventLoop::TakeLocked(Connection* connection) {
  const auto found = parked_.find(connection);
  if (found == parked_.end()) return nullptr;
  std::shared_ptr<Connection> taken = std::move(found->second.connection);
  deadlines_.erase(found->second.deadline);
  parked_.erase(found);
  return taken;
}

void EventLoop::Listen(bool is_on) {
  epoll_event event = {.events = EPOLLIN,
                       .data = {.ptr = const_cast<int*>(&listener_fd_)}};
  ::epoll_ctl(epoll_fd_, is_on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, listener_fd_,
              &event);
}

void EventLoop::Wake() const { ::eventfd_write(wake_fd_, 1); }

}  // namespace banyan::edge
