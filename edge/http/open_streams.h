// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_OPEN_STREAMS_H_
#define EDGE_HTTP_OPEN_STREAMS_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "absl/time/time.h"
#include "edge/http/connection.h"
#include "edge/http/event_stream.h"

namespace banyan::edge {

// The event streams of one server. Each gets a comment when it was silent for
// long, so that no proxy on the way takes it for dead, and ends with its
// reader's credential; those whose thread has left are found by their
// connection. Thread-safe.
class OpenStreams {
 public:
  struct Options {
    absl::Duration comment_after = absl::Seconds(10);
    absl::Duration round_every = absl::Seconds(1);
    std::function<absl::Time()> now;
  };

  explicit OpenStreams(Options options) : options_(std::move(options)) {}
  ~OpenStreams() { Stop(); }
  OpenStreams(const OpenStreams&) = delete;
  OpenStreams& operator=(const OpenStreams&) = delete;

  // A stream that a thread is writing; out of the list once this is gone.
  class Lease {
   public:
    Lease(OpenStreams* owner, EventStream* stream)
        : owner_(owner), stream_(stream) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { owner_->Remove(stream_); }

   private:
    OpenStreams* const owner_;
    EventStream* const stream_;
  };

  // Begins to comment, on a thread of its own. Once.
  void Start();

  Lease Add(std::shared_ptr<EventStream> stream);

  // Holds a stream until End() of its connection.
  void Keep(const Connection* connection, std::shared_ptr<EventStream> stream);

  // False when no stream of this connection is kept.
  bool End(const Connection* connection);

  // One round: comments, and the end of what may not be read any more.
  void LookAtAll();

  // Ends the thread and every kept stream.
  void Stop();

 private:
  void Remove(EventStream* stream);
  void Run();

  const Options options_;
  std::mutex mutex_;
  std::condition_variable stop_;
  // Guarded by mutex_.
  std::unordered_map<EventStream*, std::shared_ptr<EventStream>> attended_;
  std::unordered_map<const Connection*, std::shared_ptr<EventStream>> kept_;
  bool is_stopping_ = false;

  std::thread thread_;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_OPEN_STREAMS_H_
