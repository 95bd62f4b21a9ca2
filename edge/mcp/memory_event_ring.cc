// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "edge/mcp/event_ring.h"

namespace banyan::edge {
namespace {

constexpr size_t kMaxStreamChars = 64;

class MemoryEventRing final : public EventRing {
 public:
  explicit MemoryEventRing(MemoryEventRingOptions options)
      : options_(options), state_(std::make_shared<State>()) {}

  absl::StatusOr<std::string> NewStream(const RingSession& owner) override {
    const std::lock_guard lock(state_->mutex);
    return absl::StrCat("p", ++SessionLocked(owner.id).streams);
  }

  absl::StatusOr<std::string> Position(const RingSession& owner,
                                       const std::string& stream) override {
    const std::lock_guard lock(state_->mutex);
    return absl::StrCat(stream, "-",
                        SessionLocked(owner.id).by_stream[stream].newest);
  }

  absl::StatusOr<std::string> Append(const RingSession& owner,
                                     const std::string& stream,
                                     std::string data, bool is_last) override {
    std::shared_ptr<Line> reader;
    Event event;
    {
      const std::lock_guard lock(state_->mutex);
      Session& session = SessionLocked(owner.id);
      Stream& kept = session.by_stream[stream];
      event = {.id = absl::StrCat(stream, "-", ++kept.newest),
               .data = std::move(data),
               .is_last = is_last};
      session.bytes += event.data.size();
      session.events.push_back({stream, kept.newest, event});
      while (
          session.events.size() > options_.max_events ||
          (session.bytes > options_.max_bytes && session.events.size() > 1)) {
        DropOldestLocked(session);
      }
      reader = kept.reader;
      if (reader != nullptr) reader->waiting.push_back(event);
    }
    if (reader != nullptr) Drain(*reader);
    return event.id;
  }

  std::unique_ptr<Holding> Hold(const RingSession&) override { return nullptr; }

  absl::StatusOr<std::unique_ptr<Following>> Follow(const RingSession& owner,
                                                    const std::string& stream,
                                                    const std::string& after_id,
                                                    Reader reader) override {
    auto line = std::make_shared<Line>();
    line->reader = std::move(reader);
    std::shared_ptr<Line> replaced;
    {
      const std::lock_guard lock(state_->mutex);
      Session& session = SessionLocked(owner.id);
      const auto found = session.by_stream.find(stream);
      if (found == session.by_stream.end() && !after_id.empty()) {
        return absl::NotFoundError("no such stream");
      }
      Stream& kept = session.by_stream[stream];
      if (!after_id.empty()) {
        const uint64_t after = PlaceOfEvent(after_id);
        if (after < kept.forgotten || after > kept.newest) {
          return absl::NotFoundError("what follows was forgotten");
        }
        for (const Kept& event : session.events) {
          if (event.stream == stream && event.place > after) {
            line->waiting.push_back(event.event);
          }
        }
      }
      replaced = std::exchange(kept.reader, line);
    }
    if (replaced != nullptr) {
      const std::lock_guard delivering(replaced->delivering);
      if (!std::exchange(replaced->is_over, true)) {
        replaced->reader.on_replaced();
      }
    }
    Drain(*line);
    return std::make_unique<MemoryFollowing>(state_, owner.id, stream, line);
  }

  void Forget(const std::string& session_id) override {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->sessions.find(session_id);
    if (found == state_->sessions.end()) return;
    state_->by_age.erase(found->second.age);
    state_->sessions.erase(found);
  }

 private:
  // One reader and what it has not been told yet.
  struct Line {
    Reader reader;
    std::deque<Event> waiting;  // Guarded by State::mutex.
    // Held while the reader is called, which may give up reading meanwhile.
    std::recursive_mutex delivering;
    bool is_over = false;  // Guarded by `delivering`.
  };
  struct Stream {
    uint64_t newest = 0;
    uint64_t forgotten = 0;  // Up to this one they are gone.
    std::shared_ptr<Line> reader;
  };
  struct Kept {
    std::string stream;
    uint64_t place;
    Event event;
  };
  struct Session {
    uint64_t streams = 0;
    std::map<std::string, Stream> by_stream;
    std::deque<Kept> events;
    size_t bytes = 0;
    std::list<std::string>::iterator age;
  };
  struct State {
    std::mutex mutex;
    // Guarded by mutex.
    std::unordered_map<std::string, Session> sessions;
    std::list<std::string> by_age;  // Oldest first.
  };

  class MemoryFollowing final : public Following {
   public:
    MemoryFollowing(std::shared_ptr<State> state, std::string session_id,
                    std::string stream, std::shared_ptr<Line> line)
        : state_(std::move(state)),
          session_id_(std::move(session_id)),
          stream_(std::move(stream)),
          line_(std::move(line)) {}
    ~MemoryFollowing() override {
      {
        const std::lock_guard lock(state_->mutex);
        const auto session = state_->sessions.find(session_id_);
        if (session != state_->sessions.end()) {
          const auto stream = session->second.by_stream.find(stream_);
          if (stream != session->second.by_stream.end() &&
              stream->second.reader == line_) {
            stream->second.reader = nullptr;
          }
        }
      }
      const std::lock_guard delivering(line_->delivering);
      line_->is_over = true;
    }

   private:
    const std::shared_ptr<State> state_;
    const std::string session_id_;
    const std::string stream_;
    const std::shared_ptr<Line> line_;
  };

  // REQUIRES: state_->mutex is held.
  Session& SessionLocked(const std::string& id) {
    const auto [found, is_new] = state_->sessions.try_emplace(id);
    if (is_new) {
      found->second.age = state_->by_age.insert(state_->by_age.end(), id);
      if (state_->by_age.size() > options_.max_sessions) {
        state_->sessions.erase(state_->by_age.front());
        state_->by_age.pop_front();
      }
    }
    return found->second;
  }

  // REQUIRES: state_->mutex is held.
  static void DropOldestLocked(Session& session) {
    const Kept& oldest = session.events.front();
    session.by_stream[oldest.stream].forgotten = oldest.place;
    session.bytes -= oldest.event.data.size();
    session.events.pop_front();
  }

  // Tells a reader what waits for it, in order.
  void Drain(Line& line) {
    const std::lock_guard delivering(line.delivering);
    while (!line.is_over) {
      Event event;
      {
        const std::lock_guard lock(state_->mutex);
        if (line.waiting.empty()) return;
        event = std::move(line.waiting.front());
        line.waiting.pop_front();
      }
      line.reader.on_event(event);
    }
  }

  const MemoryEventRingOptions options_;
  const std::shared_ptr<State> state_;
};

}  // namespace

uint64_t PlaceOfEvent(absl::string_view id) {
  uint64_t place = 0;
  const size_t dash = id.rfind('-');
  if (dash == absl::string_view::npos ||
      !absl::SimpleAtoi(id.substr(dash + 1), &place) ||
      place > static_cast<uint64_t>(INT64_MAX)) {
    return 0;
  }
  return place;
}

std::string StreamOfEvent(absl::string_view id) {
  const size_t dash = id.rfind('-');
  if (dash == absl::string_view::npos || dash == 0) return "";
  const absl::string_view stream = id.substr(0, dash);
  const bool is_answer =
      absl::StartsWith(stream, "p") && stream.size() <= kMaxStreamChars;
  return is_answer || stream == kStandingStream ? std::string(stream) : "";
}

std::unique_ptr<EventRing> NewMemoryEventRing(MemoryEventRingOptions options) {
  return std::make_unique<MemoryEventRing>(options);
}

}  // namespace banyan::edge
