// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_CLIENTS_DAEMON_CONNECTION_H_
#define EDGE_CLIENTS_DAEMON_CONNECTION_H_

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "proto/rpc/call_context.h"
#include "proto/rpc/call_metrics.h"
#include "proto/rpc/grpc_context.h"
#include "proto/rpc/status_convert.h"

namespace banyan::edge {

struct DaemonOptions {
  absl::Duration restart_wait = absl::Seconds(
      3);  // How long a call waits for a daemon that is not there.
  bool is_in_process = false;  // Such a channel has no connection to wait for.
  rpc::CallMetrics* metrics = nullptr;  // May be null; outlives the connection.
};

// One daemon's channel and the rules of every unary call on it: deadline,
// trace context, cancellation, metrics, the wait for a restart, one repetition.
// Thread-safe.
class DaemonConnection {
 public:
  // kNeverKnown: a change, of which nobody knows whether it was made when the
  // answer did not come (OUTCOME_UNKNOWN).
  enum class Repeat { kNever, kOnce, kNeverKnown };

  // What is asked, under which names it is counted, for how long at most.
  struct Method {
    absl::string_view service;
    absl::string_view name;
    Repeat repeat = Repeat::kOnce;
    absl::Duration limit = absl::InfiniteDuration();
    // Called all 50 ms by the thread that waits; must not take long.
    std::function<void()> while_waiting = [] {};
  };

  // `name` is how messages call the daemon: "sessiond".
  DaemonConnection(std::string name, std::shared_ptr<grpc::Channel> channel,
                   DaemonOptions options)
      : name_(std::move(name)),
        channel_(std::move(channel)),
        options_(options) {}

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

  // `start` is a generated Async… method of the stub.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(
      const Method& method, Stub& stub,
      std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (Stub::*start)(
          grpc::ClientContext*, const Request&, grpc::CompletionQueue*),
      const Request& request, const rpc::CallContext& call) {
    const absl::Time give_up = absl::Now() + options_.restart_wait;
    while (true) {
      absl::StatusOr<Response> answer =
          AskConnected(method, stub, start, request, call);
      if (answer.ok() || !IsStarting(answer.status()) ||
          !Pause(call, give_up)) {
        return answer;
      }
    }
  }

  // Until the channel is connected.
  //   kUnavailable        DAEMON_UNREACHABLE
  //   kCancelled, kDeadlineExceeded
  absl::Status AwaitReady(const rpc::CallContext& call) const;

 private:
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> AskConnected(
      const Method& method, Stub& stub,
      std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (Stub::*start)(
          grpc::ClientContext*, const Request&, grpc::CompletionQueue*),
      const Request& request, const rpc::CallContext& call) {
    absl::Status reached = AwaitReady(call);
    if (!reached.ok()) return reached;
    absl::StatusOr<Response> answer =
        Attempt(method, stub, start, request, call);
    if (method.repeat == Repeat::kNeverKnown && !answer.ok() &&
        HasNoAnswer(answer.status())) {
      return OutcomeUnknown();
    }
    if (answer.ok() || !WasInterrupted(answer.status()) ||
        method.repeat != Repeat::kOnce) {
      return Readable(std::move(answer));
    }
    reached = AwaitReady(call);
    if (!reached.ok()) return reached;
    return Readable(Attempt(method, stub, start, request, call));
  }

  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Attempt(
      const Method& method, Stub& stub,
      std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (Stub::*start)(
          grpc::ClientContext*, const Request&, grpc::CompletionQueue*),
      const Request& request, const rpc::CallContext& call) {
    const absl::Time begun = absl::Now();
    rpc::CallContext limited = call;
    limited.deadline = std::min(call.deadline, begun + method.limit);

    grpc::ClientContext context;
    rpc::FillClientContext(limited, &context);
    grpc::CompletionQueue queue;
    Response response;
    grpc::Status outcome;
    const auto reader = (stub.*start)(&context, request, &queue);
    reader->Finish(&response, &outcome, this);
    const bool is_whole =
        AwaitFinish(queue, context, limited, method.while_waiting);

    absl::Status status = rpc::FromGrpc(outcome);
    if (status.ok() && !is_whole) status = Unreadable();
    if (options_.metrics != nullptr) {
      options_.metrics->Observe(method.service, method.name, status, begun);
    }
    if (!status.ok()) return status;
    return response;
  }

  // Drains `queue`, which holds the one pending Finish, and cancels the call
  // as soon as nobody waits for it. False when the answer did not parse: gRPC
  // then says OK all the same and leaves half of a message.
  static bool AwaitFinish(grpc::CompletionQueue& queue,
                          grpc::ClientContext& context,
                          const rpc::CallContext& call,
                          const std::function<void()>& while_waiting);

  absl::Status Unreadable() const;

  // The daemon is there and refused before it did anything: it waits for
  // another one itself, as an lspd does that has not registered yet.
  static bool IsStarting(const absl::Status& status);

  // A moment; false when there is no time for another attempt.
  static bool Pause(const rpc::CallContext& call, absl::Time give_up);

  // The connection broke: whether the daemon did the work is unknown.
  static bool WasInterrupted(const absl::Status& status);

  // The same, or the time was over, or nobody waited any more.
  static bool HasNoAnswer(const absl::Status& status);
  absl::Status OutcomeUnknown() const;

  // What gRPC itself said becomes a reason and a text for an agent; what the
  // daemon said stays.
  absl::Status Readable(const absl::Status& status) const;
  template <typename Response>
  absl::StatusOr<Response> Readable(absl::StatusOr<Response> answer) const {
    if (answer.ok()) return answer;
    return Readable(answer.status());
  }

  const std::string name_;
  const std::shared_ptr<grpc::Channel> channel_;
  const DaemonOptions options_;
};

}  // namespace banyan::edge

#endif  // EDGE_CLIENTS_DAEMON_CONNECTION_H_
