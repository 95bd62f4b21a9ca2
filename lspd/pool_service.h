// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_POOL_SERVICE_H_
#define LSPD_POOL_SERVICE_H_

#include "banyan/lsp/v1/pool_service.grpc.pb.h"
#include "lspd/pool/server_pool.h"
#include "lspd/workspace/grant_verifier.h"
#include "lspd/workspace/workspace_registry.h"

namespace banyan::lspd {

// The pool over gRPC. Thin: grant, pool, answer.
class PoolService final : public lsp::v1::PoolService::Service {
 public:
  // All of them must outlive this.
  PoolService(GrantVerifier& verifier, WorkspaceRegistry& workspaces,
              ServerPool& pool);

  grpc::Status GetPoolStats(grpc::ServerContext* context,
                            const lsp::v1::GetPoolStatsRequest* request,
                            lsp::v1::GetPoolStatsResponse* response) override;
  grpc::Status RestartServer(grpc::ServerContext* context,
                             const lsp::v1::RestartServerRequest* request,
                             lsp::v1::RestartServerResponse* response) override;
  grpc::Status GetProgress(grpc::ServerContext* context,
                           const lsp::v1::GetProgressRequest* request,
                           lsp::v1::GetProgressResponse* response) override;

 private:
  GrantVerifier& verifier_;
  WorkspaceRegistry& workspaces_;
  ServerPool& pool_;
};

}  // namespace banyan::lspd

#endif  // LSPD_POOL_SERVICE_H_
