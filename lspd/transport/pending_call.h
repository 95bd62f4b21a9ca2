// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_TRANSPORT_PENDING_CALL_H_
#define LSPD_TRANSPORT_PENDING_CALL_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lspd/transport/json_envelope.h"
#include "lspd/transport/message_writer.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

class PendingCalls;
struct CallSlot;

// What a server was asked and has not answered yet. Destroying it before
// Await() tells the server that nobody waits any more. May outlive the peer.
class PendingCall {
 public:
  explicit PendingCall(std::shared_ptr<CallSlot> slot);
  ~PendingCall();
  PendingCall(PendingCall&&) noexcept = default;
  PendingCall& operator=(PendingCall&&) noexcept;

  // Blocks until the answer, the deadline or a cancel; for the last two the
  // server gets `$/cancelRequest`. Reasons:
  //   SERVER_DOWN  the connection is closed
  //   DEADLINE, CANCELLED  as `context` says
  //   and those of json_rpc_error.h's ToStatus().
  // REQUIRES: neither this nor AwaitText() was called before.
  absl::StatusOr<nlohmann::json> Await(const rpc::CallContext& context);

  // The same with the text of `result`, not parsed and not checked.
  absl::StatusOr<std::string> AwaitText(const rpc::CallContext& context);

 private:
  absl::Status Wait(const rpc::CallContext& context);

  std::shared_ptr<CallSlot> slot_;  // Null once awaited or moved from.
};

// The requests of one connection that have no answer yet, by id. An id stays
// until its answer comes, even when nobody waits for it any more.
//
// Thread-safe. Always owned by a shared_ptr: calls in flight keep it.
class PendingCalls : public std::enable_shared_from_this<PendingCalls> {
 public:
  struct Counts {
    int64_t requests = 0;
    int64_t late_answers = 0;
    int64_t unknown_answers = 0;
    int64_t cancels = 0;
  };

  explicit PendingCalls(absl::string_view server_name)
      : server_name_(server_name) {}

  // Where cancels go. Before the first Add().
  void WriteTo(std::shared_ptr<MessageWriter> writer);

  // A slot with the next id. After Close() it has failed already.
  std::shared_ptr<CallSlot> Add(absl::string_view method);

  // Hands an answer to whoever waits for it. `answer` is made of `message`.
  void Finish(std::string message, const JsonEnvelope& answer);

  // Nobody waits for `slot` any more.
  void Abandon(CallSlot& slot);

  // Fails all that wait and all to come: "<server> <reason>; try again". Only
  // the first reason counts.
  void Close(absl::string_view reason);

  // SERVER_DOWN after Close().
  absl::Status closed() const;

  int64_t in_flight() const;
  Counts counts() const;
  const std::string& server_name() const { return server_name_; }

 private:
  const std::string server_name_;
  mutable std::mutex mutex_;
  std::shared_ptr<MessageWriter> writer_;  // Guarded by mutex_.
  absl::Status closed_;                    // Guarded by mutex_.
  int64_t last_id_ = 0;                    // Guarded by mutex_.
  Counts counts_;                          // Guarded by mutex_.
  absl::flat_hash_map<int64_t, std::shared_ptr<CallSlot>>
      slots_;  // Guarded by mutex_.
};

// Where one answer arrives.
struct CallSlot {
  CallSlot(int64_t number, absl::string_view name,
           std::shared_ptr<PendingCalls> owner)
      : id(number), method(name), calls(std::move(owner)) {}

  const int64_t id;
  const std::string method;
  const std::shared_ptr<PendingCalls> calls;
  bool is_abandoned = false;  // Guarded by the mutex of `calls`.

  std::mutex mutex;
  std::condition_variable done;
  bool is_done = false;      // Guarded by mutex. What follows is fixed then.
  absl::Status failure;      // The connection closed.
  std::string message;       // Else the whole answer, and its parts.
  absl::string_view result;  // Into message.
  absl::string_view error;   // Into message.
};

}  // namespace banyan::lspd

#endif  // LSPD_TRANSPORT_PENDING_CALL_H_
