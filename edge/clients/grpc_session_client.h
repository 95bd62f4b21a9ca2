// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_CLIENTS_GRPC_SESSION_CLIENT_H_
#define EDGE_CLIENTS_GRPC_SESSION_CLIENT_H_

#include <memory>

#include "edge/clients/daemon_connection.h"
#include "edge/clients/session_client.h"

namespace banyan::edge {

// A SessionClient over a channel to sessiond. Authorize and ValidateSession
// have 3 s, everything else 10 s.
std::unique_ptr<SessionClient> NewGrpcSessionClient(
    std::shared_ptr<grpc::Channel> channel, DaemonOptions options);

}  // namespace banyan::edge

#endif  // EDGE_CLIENTS_GRPC_SESSION_CLIENT_H_
