// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/session_event_ring.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "edge/mcp/random_name.h"
#include "proto/rpc/grant.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

// Where a standing stream's newest reader writes its name, for the others on
// other edges to see that they are no longer it.
constexpr char kReaderStream[] = "r";

rpc::CallContext Soon() {
  rpc::CallContext call;
  call.deadline = absl::Now() + absl::Seconds(3);
  return call;
}

// One reader of one stream.
struct Line {
  RingSession session;
  std::string hash;
  std::string stream;
  std::string name;  // In kReaderStream.
  EventRing::Reader reader;
  // Held while the reader is called, which may give up reading meanwhile.
  std::recursive_mutex delivering;
  // Guarded by `delivering`.
  int64_t newest = 0;
  bool is_over = false;
};

class GrpcBackedRing final : public SessionEventRing {
 public:
  GrpcBackedRing(SessionClient& sessions, Interest interest)
      : sessions_(sessions),
        interest_(std::move(interest)),
        lines_(std::make_shared<Lines>()) {}

  std::unique_ptr<Holding> Hold(const RingSession& session) override {
    return std::make_unique<InterestHolding>(session.id, interest_);
  }

  absl::StatusOr<std::string> NewStream(const RingSession&) override {
    return absl::StrCat("p", RandomName());
  }

  absl::StatusOr<std::string> Position(const RingSession& session,
                                       const std::string& stream) override {
    return Append(session, stream, "", /*is_last=*/false);
  }

  absl::StatusOr<std::string> Append(const RingSession& session,
                                     const std::string& stream,
                                     std::string data, bool is_last) override {
    session::v1::AppendEventsRequest request;
    *request.mutable_principal() = session.principal;
    request.set_session_id(session.id);
    request.set_stream(stream);
    request.add_events(std::move(data));
    request.set_ends_stream(is_last);
    ASSIGN_OR_RETURN(const auto answer,
                     sessions_.AppendEvents(request, Soon()));
    if (answer.event_ids_size() != 1) {
      return absl::InternalError("AppendEvents gave no id");
    }
    // Readers of this edge need not wait for the watch.
    Grew(rpc::HashId(session.id), stream, answer.event_ids(0));
    return absl::StrCat(stream, "-", answer.event_ids(0));
  }

  absl::StatusOr<std::unique_ptr<Following>> Follow(const RingSession& session,
                                                    const std::string& stream,
                                                    const std::string& after_id,
                                                    Reader reader) override {
    const auto line = std::make_shared<Line>();
    line->session = session;
    line->hash = rpc::HashId(session.id);
    line->stream = stream;
    line->name = RandomName();
    line->reader = std::move(reader);
    line->newest = PlaceOfEvent(after_id);
    if (line->newest == 0 && !after_id.empty()) {
      return absl::NotFoundError("no id of an event");
    }
    RETURN_IF_ERROR(Begin(*line));
    interest_.on_follow(session.id);
    std::vector<std::shared_ptr<Line>> replaced;
    {
      const std::lock_guard lock(lines_->mutex);
      const auto [first, last] = lines_->by_hash.equal_range(line->hash);
      for (auto other = first; other != last; ++other) {
        if (other->second->stream == stream) replaced.push_back(other->second);
      }
      lines_->by_hash.emplace(line->hash, line);
    }
    for (const auto& other : replaced) Replace(*other);
    if (stream == kStandingStream) {
      Append(session, kReaderStream, line->name, false).status().IgnoreError();
    }
    Pump(*line);
    return std::make_unique<LineFollowing>(lines_, line, interest_);
  }

  void Forget(const std::string&) override {}

  void Grew(const std::string& session_hash, const std::string& stream,
            int64_t newest_event) override {
    for (const auto& line : LinesOf(session_hash)) {
      if (stream == kReaderStream && line->stream == kStandingStream) {
        CheckReader(*line);
      } else if (line->stream == stream) {
        Pump(*line, newest_event);
      }
    }
  }

  void MayHaveGrown(const std::string& session_hash) override {
    for (const auto& line : LinesOf(session_hash)) Pump(*line);
  }

  void MayHaveGrown() override {
    std::vector<std::shared_ptr<Line>> lines;
    {
      const std::lock_guard lock(lines_->mutex);
      for (const auto& [hash, line] : lines_->by_hash) lines.push_back(line);
    }
    for (const auto& line : lines) Pump(*line);
  }

 private:
  struct Lines {
    std::mutex mutex;
    // Guarded by mutex.
    std::multimap<std::string, std::shared_ptr<Line>> by_hash;
  };

  class InterestHolding final : public Holding {
   public:
    InterestHolding(std::string session_id, const Interest& interest)
        : session_id_(std::move(session_id)), interest_(interest) {
      interest_.on_follow(session_id_);
    }
    ~InterestHolding() override { interest_.on_unfollow(session_id_); }

   private:
    const std::string session_id_;
    const Interest interest_;
  };

  class LineFollowing final : public Following {
   public:
    LineFollowing(std::shared_ptr<Lines> lines, std::shared_ptr<Line> line,
                  const Interest& interest)
        : lines_(std::move(lines)),
          line_(std::move(line)),
          interest_(interest) {}
    ~LineFollowing() override {
      {
        const std::lock_guard lock(lines_->mutex);
        const auto [first, last] = lines_->by_hash.equal_range(line_->hash);
        for (auto one = first; one != last; ++one) {
          if (one->second != line_) continue;
          lines_->by_hash.erase(one);
          break;
        }
      }
      {
        const std::lock_guard delivering(line_->delivering);
        line_->is_over = true;
      }
      interest_.on_unfollow(line_->session.id);
    }

   private:
    const std::shared_ptr<Lines> lines_;
    const std::shared_ptr<Line> line_;
    const Interest interest_;
  };

  // Catches up with what a client missed; one that names nothing missed
  // nothing.
  absl::Status Begin(Line& line) {
    const std::lock_guard delivering(line.delivering);
    const bool is_fresh = line.newest == 0;
    ASSIGN_OR_RETURN(const auto kept, Read(line));
    if (is_fresh) {
      if (!kept.events().empty()) {
        line.newest = kept.events().rbegin()->event_id();
      }
      return absl::OkStatus();
    }
    if (!kept.is_known() || !kept.is_complete()) {
      return absl::NotFoundError("what follows was forgotten");
    }
    Deliver(line, kept);
    return absl::OkStatus();
  }

  std::vector<std::shared_ptr<Line>> LinesOf(const std::string& hash) const {
    std::vector<std::shared_ptr<Line>> lines;
    const std::lock_guard lock(lines_->mutex);
    const auto [first, last] = lines_->by_hash.equal_range(hash);
    for (auto one = first; one != last; ++one) lines.push_back(one->second);
    return lines;
  }

  // REQUIRES: line.delivering is held.
  absl::StatusOr<session::v1::ReadEventsResponse> Read(const Line& line) {
    session::v1::ReadEventsRequest request;
    *request.mutable_principal() = line.session.principal;
    request.set_session_id(line.session.id);
    request.set_stream(line.stream);
    request.set_after_event_id(line.newest);
    return sessions_.ReadEvents(request, Soon());
  }

  // REQUIRES: line.delivering is held.
  static void Deliver(Line& line, const session::v1::ReadEventsResponse& read) {
    for (const auto& event : read.events()) {
      if (line.is_over) return;
      if (event.event_id() <= line.newest) continue;
      line.newest = event.event_id();
      if (event.data().empty()) continue;  // It only primed the stream.
      line.reader.on_event(
          {.id = absl::StrCat(line.stream, "-", event.event_id()),
           .data = event.data(),
           .is_last = false});
    }
    // Once, whoever looks next.
    if (read.has_ended() && !std::exchange(line.is_over, true)) {
      line.reader.on_event({.id = "", .data = "", .is_last = true});
    }
  }

  // What came since the last look; a look that fails is repeated at the next
  // growth.
  void Pump(Line& line, int64_t newest = INT64_MAX) {
    const std::lock_guard delivering(line.delivering);
    if (line.is_over || newest <= line.newest) return;
    const auto read = Read(line);
    if (read.ok()) Deliver(line, *read);
  }

  static void Replace(Line& line) {
    const std::lock_guard delivering(line.delivering);
    if (!std::exchange(line.is_over, true)) line.reader.on_replaced();
  }

  // Whether it is still the newest reader of its standing stream.
  void CheckReader(Line& line) {
    session::v1::ReadEventsRequest request;
    *request.mutable_principal() = line.session.principal;
    request.set_session_id(line.session.id);
    request.set_stream(kReaderStream);
    const auto read = sessions_.ReadEvents(request, Soon());
    if (!read.ok() || read->events().empty()) return;
    if (read->events().rbegin()->data() != line.name) Replace(line);
  }

  SessionClient& sessions_;
  const Interest interest_;
  const std::shared_ptr<Lines> lines_;
};

}  // namespace

std::unique_ptr<SessionEventRing> NewSessionEventRing(
    SessionClient& sessions, SessionEventRing::Interest interest) {
  return std::make_unique<GrpcBackedRing>(sessions, std::move(interest));
}

}  // namespace banyan::edge
