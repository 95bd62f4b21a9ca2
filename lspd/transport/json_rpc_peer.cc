// SPDX-License-Identifier: Apache-2.0
#include "lspd/transport/json_rpc_peer.h"

#include <signal.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lspd/transport/json_envelope.h"
#include "lspd/transport/json_rpc_error.h"
#include "lspd/transport/message_writer.h"
#include "lspd/transport/pending_call.h"
#include "lspd/transport/pipe_reader.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

// A server that dies between two writes must not end us.
void IgnoreBrokenPipes() {
  static const bool ignored = [] {
    struct sigaction action {};
    ::sigaction(SIGPIPE, nullptr, &action);
    if (action.sa_handler == SIG_DFL) ::signal(SIGPIPE, SIG_IGN);
    return true;
  }();
  static_cast<void>(ignored);
}

// Text of the server's that is not UTF-8 is replaced, never thrown about.
std::string Dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string CallText(absl::string_view id, absl::string_view method,
                     const json& params) {
  std::string text = R"({"jsonrpc":"2.0")";
  if (!id.empty()) absl::StrAppend(&text, R"(,"id":)", id);
  absl::StrAppend(&text, R"(,"method":)", Dump(std::string(method)));
  if (!params.is_null()) absl::StrAppend(&text, R"(,"params":)", Dump(params));
  text.push_back('}');
  return text;
}

json ErrorJson(const absl::Status& status) {
  int code = kRequestFailed;
  if (absl::IsUnimplemented(status)) code = kMethodNotFound;
  if (absl::IsInvalidArgument(status)) code = kInvalidParams;
  return {{"code", code}, {"message", std::string(status.message())}};
}

std::string AnswerText(absl::string_view id,
                       const absl::StatusOr<json>& value) {
  std::string text = absl::StrCat(R"({"jsonrpc":"2.0","id":)", id);
  if (value.ok()) {
    absl::StrAppend(&text, R"(,"result":)", Dump(*value));
  } else {
    absl::StrAppend(&text, R"(,"error":)", Dump(ErrorJson(value.status())));
  }
  text.push_back('}');
  return text;
}

class PipeJsonRpcPeer final : public JsonRpcPeer {
 public:
  PipeJsonRpcPeer(std::unique_ptr<ChildProcess> child, Options options,
                  Handlers handlers)
      : handlers_(std::move(handlers)),
        child_(std::move(child)),
        calls_(std::make_shared<PendingCalls>(options.server_name)),
        reader_(std::move(child_->output()), options.limits,
                options.drain_limit) {
    writer_ = std::make_shared<MessageWriter>(
        std::move(child_->input()),
        MessageWriter::Options{.stall_limit = options.write_stall_limit,
                               .max_queued_bytes = options.max_queued_bytes},
        WhenWritingFails());
    calls_->WriteTo(writer_);
    reader_.StopAtEndOf(child_->exit());
    thread_ = std::thread([this] { Read(); });
  }

  ~PipeJsonRpcPeer() override {
    Close("is being stopped");
    child_->Kill(SIGKILL).IgnoreError();
    thread_.join();
    writer_->Stop();
  }

  PendingCall Send(absl::string_view method, const json& params) override {
    std::shared_ptr<CallSlot> slot = calls_->Add(method);
    // What has failed already must not have an effect on the server either.
    if (IsOpen()) {
      writer_->Write(CallText(absl::StrCat(slot->id), method, params));
    }
    return PendingCall(std::move(slot));
  }

  absl::Status Notify(absl::string_view method, const json& params) override {
    RETURN_IF_ERROR(calls_->closed());
    writer_->Write(CallText("", method, params));
    return absl::OkStatus();
  }

  void CloseInput() override { writer_->CloseWhenDone(); }

  void Close(absl::string_view reason) override {
    calls_->Close(reason);
    reader_.stopper()();
  }

  bool IsOpen() const override { return calls_->closed().ok(); }
  int64_t in_flight() const override { return calls_->in_flight(); }
  absl::Time last_heard() const override {
    return absl::FromUnixNanos(last_heard_.load());
  }
  Statistics statistics() const override {
    const PendingCalls::Counts counts = calls_->counts();
    return {.requests = counts.requests,
            .late_answers = counts.late_answers,
            .unknown_answers = counts.unknown_answers,
            .malformed_messages = malformed_messages_,
            .skipped_bytes = reader_.skipped_bytes(),
            .cancels = counts.cancels};
  }
  ChildProcess& child() override { return *child_; }

 private:
  // Callers who give up may write after our end, so this must not hang on us.
  std::function<void(const absl::Status&)> WhenWritingFails() const {
    return [calls = calls_, stop = reader_.stopper(),
            finish = reader_.finisher()](const absl::Status& failure) {
      // A closed pipe mostly means that the process has ended. Its last
      // answers and how it ended are for the reader to find.
      if (absl::IsUnavailable(failure)) return finish();
      calls->Close(failure.message());
      stop();
    };
  }

  // The reader thread, until the connection closes.
  void Read() {
    const absl::Status end = reader_.Run([this](std::string message) {
      last_heard_ = absl::ToUnixNanos(absl::Now());
      return Handle(std::move(message));
    });
    Close(ReasonOfEnd(end));
    if (handlers_.on_closed) handlers_.on_closed(calls_->closed());
  }

  // Why the pipes closed is told better by the process, if it ends as well.
  std::string ReasonOfEnd(const absl::Status& end) {
    if (!IsOpen()) return "";  // The reason stands already.
    if (!end.ok()) return std::string(end.message());
    if (child_->exit().WaitFor(absl::Milliseconds(100))) {
      return child_->exit().status()->ToString();
    }
    const absl::Status failure = writer_->failure();
    return failure.ok() ? "closed its output" : std::string(failure.message());
  }

  absl::Status Handle(std::string message) {
    const std::optional<JsonEnvelope> envelope = ScanEnvelope(message);
    if (!envelope.has_value()) {
      ++malformed_messages_;
      return absl::InvalidArgumentError(
          "sent a message that is no JSON object");
    }
    if (envelope->IsRequest()) {
      Answer(*envelope);
    } else if (envelope->IsNotification()) {
      TakeNotification(*envelope);
    } else if (envelope->IsResponse()) {
      calls_->Finish(std::move(message), *envelope);
    } else {
      ++malformed_messages_;
    }
    return absl::OkStatus();
  }

  // The id goes back as it came: number or string, however large.
  void Answer(const JsonEnvelope& request) {
    const std::string method = request.MethodName();
    const std::optional<json> params = ParseLenient(request.params);
    if (!params.has_value()) {
      ++malformed_messages_;
      writer_->Write(AnswerText(
          request.id, absl::InvalidArgumentError("the params are no JSON")));
    } else if (handlers_.on_request == nullptr) {
      writer_->Write(AnswerText(request.id, absl::UnimplementedError(method)));
    } else {
      writer_->Write(
          AnswerText(request.id, handlers_.on_request(method, *params)));
    }
  }

  void TakeNotification(const JsonEnvelope& notification) {
    if (handlers_.on_notification == nullptr) return;
    const std::optional<json> params = ParseLenient(notification.params);
    if (params.has_value()) {
      handlers_.on_notification(notification.MethodName(), *params);
    } else {
      ++malformed_messages_;
    }
  }

  const Handlers handlers_;
  const std::unique_ptr<ChildProcess> child_;
  const std::shared_ptr<PendingCalls> calls_;
  PipeReader reader_;
  std::shared_ptr<MessageWriter> writer_;
  std::atomic<int64_t> last_heard_ = absl::ToUnixNanos(absl::Now());
  std::atomic<int64_t> malformed_messages_ = 0;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<JsonRpcPeer> JsonRpcPeer::Start(
    std::unique_ptr<ChildProcess> child, Options options, Handlers handlers) {
  IgnoreBrokenPipes();
  return std::make_unique<PipeJsonRpcPeer>(std::move(child), std::move(options),
                                           std::move(handlers));
}

absl::StatusOr<json> JsonRpcPeer::Request(absl::string_view method,
                                          const json& params,
                                          const rpc::CallContext& context) {
  return Send(method, params).Await(context);
}

}  // namespace banyan::lspd
