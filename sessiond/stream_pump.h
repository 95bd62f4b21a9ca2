// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STREAM_PUMP_H_
#define SESSIOND_STREAM_PUMP_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <optional>
#include <thread>

namespace banyan::sessiond {

// Runs one bidirectional stream until the peer ends it, `context` is cancelled
// or the outgoing side closes: what comes in goes to `on_request` in this
// thread, what `next` yields goes out from a thread of its own. `close` makes
// `next` yield nothing any more.
template <typename Request, typename Response>
void PumpStream(grpc::ServerContext& context,
                grpc::ServerReaderWriter<Response, Request>& stream,
                const std::function<void(const Request&)>& on_request,
                const std::function<std::optional<Response>()>& next,
                const std::function<void()>& close) {
  std::thread writer([&] {
    while (const std::optional<Response> response = next()) {
      if (!stream.Write(*response)) break;
    }
    // Wakes the reader; without effect when the peer has already gone.
    context.TryCancel();
  });
  Request request;
  while (stream.Read(&request)) on_request(request);
  close();
  writer.join();
}

}  // namespace banyan::sessiond

#endif  // SESSIOND_STREAM_PUMP_H_
