// SPDX-License-Identifier: Apache-2.0
//
// Between records and the messages of session_service.proto.
#ifndef SESSIOND_SESSION_CONVERSIONS_H_
#define SESSIOND_SESSION_CONVERSIONS_H_

#include "absl/status/status.h"
#include "banyan/session/v1/record.pb.h"
#include "banyan/session/v1/session_service.pb.h"
#include "sessiond/bindings/bindings.h"
#include "sessiond/bindings/overview.h"
#include "sessiond/sessions/sessions.h"
#include "sessiond/store/event_rings.h"

namespace banyan::sessiond {

session::v1::Session ToProto(const Sessions::Live& session);
session::v1::Workspace ToProto(const Bindings::Live& workspace,
                               const LifeLimits& limits);
session::v1::ListProjectsResponse::Project ToProto(
    const Overview::ListedProject& project);

session::v1::ReadEventsResponse ToProto(EventRings::Reading reading);

//   ARGUMENT_INVALID  no stream, or a long name; more events than at a time
absl::Status CheckEvents(const session::v1::AppendEventsRequest& request);

// What a client said of itself, into the record.
//   ARGUMENT_INVALID  no protocol version; more than a record should hold
absl::Status FillRecord(const session::v1::CreateSessionRequest& request,
                        session::v1::SessionRecord& record);

//   ARGUMENT_INVALID  more subscriptions than a session may have
absl::Status ChangeRecord(const session::v1::UpdateSessionRequest& request,
                          session::v1::SessionRecord& record);

}  // namespace banyan::sessiond

#endif  // SESSIOND_SESSION_CONVERSIONS_H_
