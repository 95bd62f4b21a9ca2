// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_CONNECTION_H_
#define EDGE_HTTP_CONNECTION_H_

#include <cstddef>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "edge/auth/authenticator.h"
#include "edge/auth/peer_connection.h"
#include "edge/http/byte_budget.h"
#include "edge/http/read_clock.h"
#include "edge/http/request_reader.h"
#include "edge/http/tls_context.h"

namespace banyan::edge {

// One accepted socket (non-blocking) with what was read from it. Owned by one
// place at a time, the event loop or the thread that answers; only the members
// marked so may be called from other threads.
class Connection {
 public:
  // Takes the descriptor over; `tls` null: the bytes are the client's own.
  Connection(int fd, SocketAddress peer, SocketAddress own,
             const ReadLimits& limits, absl::Duration idle_timeout,
             std::shared_ptr<ByteBudget> budget, absl::Time now,
             std::unique_ptr<TlsSession> tls = nullptr);
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
  ByteBudget::Hold& hold() { return hold_; }

  // Whose request is being read.
  Authenticated& caller() { return caller_; }

  bool is_lingering() const { return is_lingering_; }

  // Until when the event loop may keep it.
  absl::Time deadline() const {
    return is_lingering_ ? linger_until_ : clock_.deadline();
  }

 private:
  // What `Receive` and `Discard` read by.
  Received ReadBytes(char* buffer, size_t size, size_t& count);

  const int fd_;
  const std::unique_ptr<TlsSession> tls_;  // May be null.
  PeerConnection peer_;
  RequestReader reader_;
  ReadClock clock_;
  ByteBudget::Hold hold_;
  Authenticated caller_;
  bool is_lingering_ = false;
  absl::Time linger_until_;
  size_t discarded_ = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_CONNECTION_H_
