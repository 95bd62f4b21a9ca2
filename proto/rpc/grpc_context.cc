// SPDX-License-Identifier: Apache-2.0
#include "proto/rpc/grpc_context.h"

#include <string>

#include "absl/strings/string_view.h"

namespace banyan::rpc {
namespace {

constexpr char kTraceparent[] = "traceparent";
constexpr char kTracestate[] = "tracestate";

std::string Metadata(const grpc::ServerContext& context,
                     const std::string& name) {
  const auto found = context.client_metadata().find(name);
  if (found == context.client_metadata().end()) return "";
  return {found->second.data(), found->second.size()};
}

}  // namespace

void FillClientContext(const CallContext& call, grpc::ClientContext* context,
                       absl::Duration margin) {
  if (call.deadline != absl::InfiniteFuture()) {
    context->set_deadline(absl::ToChronoTime(call.deadline - margin));
  }
  const TraceContext trace = call.trace.Child();
  context->AddMetadata(kTraceparent, trace.traceparent);
  if (!trace.tracestate.empty()) {
    context->AddMetadata(kTracestate, trace.tracestate);
  }
}

CallContext FromServerContext(const grpc::ServerContext& context) {
  CallContext call;
  call.deadline = absl::FromChrono(context.deadline());
  call.trace = TraceContext::Parse(Metadata(context, kTraceparent),
                                   Metadata(context, kTracestate));
  call.is_cancelled = [&context] { return context.IsCancelled(); };
  return call;
}

}  // namespace banyan::rpc
