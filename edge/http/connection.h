// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_CONNECTION_H_
#define EDGE_HTTP_CONNECTION_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "edge/auth/authenticator.h"
#include "edge/auth/peer_connection.h"
#include "edge/http/byte_budget.h"
#include "edge/http/read_clock.h"
#include "edge/http/request_reader.h"
#include "edge/http/tls_context.h"
#include "edge/http/write_clock.h"

namespace banyan::edge {

// One accepted socket (non-blocking) with what was read from it. Owned by one
// place at a time, the event loop or the thread that answers; only the members
// marked so may be called from other threads.
class Connection {
 public:
  // Takes the descriptor over; `tls` null: the bytes are the client's own.
  Connection(int fd, SocketAddress peer, SocketAddress own,
             const ReadLimits& limits, absl::Duration idle_timeout,
             absl::Duration write_timeout, std::shared_ptr<ByteBudget> budget,
             absl::Time now, std::unique_ptr<TlsSession> tls = nullptr);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  enum class Received { kBytes, kNothing, kEnd };

  // Moves what has arrived, up to 64 KiB, into the reader.
  Received Receive();

  // Throws away what has arrived. kEnd also when the client has sent more than
  // a client that reads our refusal would have.
  Received Discard();

  // All or nothing: false when the client is gone or takes no byte for
  // `timeout`. Zero does not wait.
  bool Write(absl::string_view bytes, absl::Duration timeout);

  // An answer, of which SendOn() puts out as much as the client takes without
  // being waited for. REQUIRES: unsent() is 0
  void Queue(std::string answer, bool keep_alive, absl::Time now);

  enum class Sent { kAll, kPart, kEnd };
  Sent SendOn();

  // As SendOn(), but waits as Write() does; what is not taken then is dropped.
  bool SendAll(absl::Duration timeout);

  // What is left of the answer that was queued last, and what comes after it.
  size_t unsent() const { return answer_.size() - sent_; }
  bool keeps_alive() const { return keeps_alive_; }

  // What that answer holds in memory until it is sent.
  size_t answer_bytes() const { return answer_.capacity(); }

  // The client has closed its end, or Abort() was called. Thread-safe.
  bool IsPeerGone() const;

  // Ends our end, so that the client sees everything that was written; until
  // `deadline` only its own end is waited for.
  void Linger(absl::Time deadline);

  // The client sees the end after what was written. Thread-safe.
  void EndWriting();

  // Ends both ways; a thread that waits in Write() returns. Thread-safe.
  void Abort();

  int fd() const { return fd_; }
  PeerConnection& peer() { return peer_; }
  RequestReader& reader() { return reader_; }
  ReadClock& clock() { return clock_; }
  WriteClock& write_clock() { return write_clock_; }
  ByteBudget::Hold& hold() { return hold_; }

  // Whose request is being read.
  Authenticated& caller() { return caller_; }

  bool is_lingering() const { return is_lingering_; }

  // Until when the event loop may keep it.
  absl::Time deadline() const {
    if (is_lingering_) return linger_until_;
    return unsent() > 0 ? write_clock_.deadline() : clock_.deadline();
  }

 private:
  // What `Receive` and `Discard` read by.
  Received ReadBytes(char* buffer, size_t size, size_t& count);

  // Puts out what goes without waiting, and takes it from `bytes`; where that
  // ends, `wanted` is what to poll for. False: the client is gone.
  bool WriteSome(absl::string_view& bytes, short& wanted);

  const int fd_;
  const std::unique_ptr<TlsSession> tls_;  // May be null.
  PeerConnection peer_;
  RequestReader reader_;
  ReadClock clock_;
  WriteClock write_clock_;
  ByteBudget::Hold hold_;
  Authenticated caller_;
  std::string answer_;
  size_t sent_ = 0;  // Of answer_.
  bool keeps_alive_ = false;
  bool is_lingering_ = false;
  absl::Time linger_until_;
  size_t discarded_ = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_CONNECTION_H_
