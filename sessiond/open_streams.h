// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_OPEN_STREAMS_H_
#define SESSIOND_OPEN_STREAMS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace banyan::sessiond {

// The streams that stand, so that a stop can end them: they never end by
// themselves. Thread-safe.
class OpenStreams {
 public:
  // Takes its stream off the list; then its `end` is not running and never runs
  // again.
  class Lease {
   public:
    Lease(OpenStreams* streams, int64_t number)
        : streams_(streams), number_(number) {}
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

   private:
    OpenStreams* const streams_;
    const int64_t number_;
  };

  // `end` runs at most once, from another thread. Null after EndAll.
  std::unique_ptr<Lease> Add(std::function<void()> end);

  void EndAll();

 private:
  std::mutex mutex_;
  std::map<int64_t, std::function<void()>> ends_;  // Guarded by mutex_.
  int64_t next_number_ = 0;                        // Guarded by mutex_.
  bool is_over_ = false;                           // Guarded by mutex_.
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_OPEN_STREAMS_H_
