// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_OPEN_STREAMS_H_
#define EDGE_HTTP_OPEN_STREAMS_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
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
    absl::Duration round_every = absl::Milliseconds(500);
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

  // Begins to comment, on threads of its own. Once.
  void Start();

  Lease Add(std::shared_ptr<EventStream> stream);

  // Holds a stream until End() of its connection. `reader`: whose it is.
  void Keep(const Connection* connection, std::shared_ptr<EventStream> stream,
            std::string reader);

  // How many are held for this reader.
  int CountOf(const std::string& reader);

  // False when no stream of this connection is kept. Never waits: the stream is
  // told on another thread, where that may take its time.
  bool End(const Connection* connection);

  // One round: comments, and the end of what may not be read any more.
  void LookAtAll();

  // Ends the threads and every kept stream.
  void Stop();

 private:
  struct Kept {
    std::shared_ptr<EventStream> stream;
    std::string reader;
  };

  void Remove(EventStream* stream);
  void RunRounds();
  void RunEnds();

  const Options options_;
  std::mutex mutex_;
  std::condition_variable stop_;
  std::condition_variable ending_;
  // Guarded by mutex_.
  std::unordered_map<EventStream*, std::shared_ptr<EventStream>> attended_;
  std::unordered_map<const Connection*, Kept> kept_;
  std::unordered_map<std::string, int> by_reader_;
  std::deque<std::shared_ptr<EventStream>> ending_streams_;
  bool is_stopping_ = false;

  std::thread rounds_;
  std::thread ends_;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_OPEN_STREAMS_H_
