// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_CLIENTS_GRPC_LSP_CLIENT_H_
#define EDGE_CLIENTS_GRPC_LSP_CLIENT_H_

#include <memory>
#include <string>
#include <vector>

#include "edge/clients/daemon_connection.h"
#include "edge/clients/lsp_client.h"

namespace banyan::edge {

// An lspd: the address by which a MOVED answer names it, and a channel to it.
struct LspEndpoint {
  std::string address;
  std::shared_ptr<grpc::Channel> channel;
};

// An LspClient over channels. MOVED is followed once. An lspd that is not there
// is passed over at once for the next one of the root's order, which is asked
// first from then on: the lease and the lock decide whether it may take the
// root. While none is there, or the root's owner has gone and its lease has not,
// a call waits as long as for a restart.
// REQUIRES: at least one endpoint.
std::unique_ptr<LspClient> NewGrpcLspClient(std::vector<LspEndpoint> endpoints,
                                            DaemonOptions options);

}  // namespace banyan::edge

#endif  // EDGE_CLIENTS_GRPC_LSP_CLIENT_H_
