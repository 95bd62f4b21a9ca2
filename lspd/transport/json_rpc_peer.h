// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_TRANSPORT_JSON_RPC_PEER_H_
#define LSPD_TRANSPORT_JSON_RPC_PEER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/transport/child_process.h"
#include "lspd/transport/message_framing.h"
#include "lspd/transport/pending_call.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// One side of a JSON-RPC 2.0 conversation over the pipes of a language server.
//
// Any number of threads may call at once; requests are pipelined. Nothing here
// blocks on a server that has stopped reading: messages queue, and a server
// that takes no byte for `write_stall_limit` is given up.
//
// The connection closes once, for good: the process ends, its output ends, it
// breaks the framing, it stops reading, or Close(). All calls that wait fail at
// once with SERVER_DOWN, and so does every later one.
//
// Two threads each. Thread-safe.
class JsonRpcPeer {
 public:
  // All run on the reader thread, in the order in which the server wrote. They
  // must not block, nor wait for an answer of this peer; Send() and Notify()
  // are fine.
  struct Handlers {
    // Requests of the server. Answered with the value, or with the error:
    // a status of kUnimplemented is "method not found", kInvalidArgument is
    // "invalid params", others "request failed". Null: every method is unknown.
    std::function<absl::StatusOr<nlohmann::json>(const std::string& method,
                                                 const nlohmann::json& params)>
        on_request;
    std::function<void(const std::string& method, const nlohmann::json& params)>
        on_notification;
    // Once, with the reason. The last call of all handlers.
    std::function<void(const absl::Status& reason)> on_closed;
  };

  struct Options {
    std::string server_name = "the language server";  // For error messages.
    MessageReader::Limits limits;
    absl::Duration write_stall_limit = absl::Seconds(30);
    size_t max_queued_bytes = 256u << 20;  // Past it the server is given up.
    // After the process has ended: how long a pipe that a grandchild still
    // holds open is read for what was written before.
    absl::Duration drain_limit = absl::Milliseconds(200);
  };

  // Counts for metrics and tests; all only grow.
  struct Statistics {
    int64_t requests = 0;
    int64_t late_answers = 0;     // After a cancel or a deadline of ours.
    int64_t unknown_answers = 0;  // Id never used, or answered before.
    int64_t malformed_messages = 0;
    int64_t skipped_bytes = 0;
    int64_t cancels = 0;
  };

  // Handlers may be called before this returns.
  static std::unique_ptr<JsonRpcPeer> Start(std::unique_ptr<ChildProcess> child,
                                            Options options, Handlers handlers);

  // Closes, kills the process group, joins the threads. Not from a handler.
  virtual ~JsonRpcPeer() = default;

  // Asks without waiting, so that independent questions travel together:
  //   auto a = peer.Send(…); auto b = peer.Send(…); a.Await(…); b.Await(…);
  // `params` null: the member is left out.
  virtual PendingCall Send(absl::string_view method,
                           const nlohmann::json& params) = 0;
  virtual absl::Status Notify(absl::string_view method,
                              const nlohmann::json& params) = 0;

  // Send() and Await() in one.
  absl::StatusOr<nlohmann::json> Request(absl::string_view method,
                                         const nlohmann::json& params,
                                         const rpc::CallContext& context);

  // Closes the server's standard input after what is queued: after `exit`.
  virtual void CloseInput() = 0;

  // Fails what waits, with `reason` inside the message. Kills nothing.
  virtual void Close(absl::string_view reason) = 0;
  virtual bool IsOpen() const = 0;

  // Requests of ours that have no answer yet, those given up included.
  virtual int64_t in_flight() const = 0;
  // Of the last message that came from the server.
  virtual absl::Time last_heard() const = 0;
  virtual Statistics statistics() const = 0;
  virtual ChildProcess& child() = 0;
};

}  // namespace banyan::lspd

#endif  // LSPD_TRANSPORT_JSON_RPC_PEER_H_
