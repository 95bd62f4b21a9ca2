// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SYMBOL_SERVICE_H_
#define LSPD_SYMBOL_SERVICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/symbol_service.grpc.pb.h"
#include "lspd/queries/question.h"
#include "lspd/workspace/grant_verifier.h"
#include "lspd/workspace/workspace_registry.h"

namespace banyan::lspd {

// The door of lspd/queries: grant and root are looked at, then the query of the
// rpc's name answers.
class SymbolService final : public lsp::v1::SymbolService::Service {
 public:
  // All of them, and what `tools` refers to, must outlive this.
  SymbolService(GrantVerifier& verifier, WorkspaceRegistry& workspaces,
                const QueryTools& tools);

  grpc::Status GetSymbolsOverview(
      grpc::ServerContext* context,
      const lsp::v1::GetSymbolsOverviewRequest* request,
      lsp::v1::GetSymbolsOverviewResponse* response) override;
  grpc::Status FindSymbol(grpc::ServerContext* context,
                          const lsp::v1::FindSymbolRequest* request,
                          lsp::v1::FindSymbolResponse* response) override;
  grpc::Status FindReferencingSymbols(
      grpc::ServerContext* context,
      const lsp::v1::FindReferencingSymbolsRequest* request,
      lsp::v1::FindReferencingSymbolsResponse* response) override;
  grpc::Status FindDeclaration(
      grpc::ServerContext* context,
      const lsp::v1::FindDeclarationRequest* request,
      lsp::v1::FindDeclarationResponse* response) override;
  grpc::Status FindImplementations(
      grpc::ServerContext* context,
      const lsp::v1::FindImplementationsRequest* request,
      lsp::v1::FindImplementationsResponse* response) override;
  grpc::Status GetSymbolInfo(grpc::ServerContext* context,
                             const lsp::v1::GetSymbolInfoRequest* request,
                             lsp::v1::GetSymbolInfoResponse* response) override;
  grpc::Status GetDiagnostics(
      grpc::ServerContext* context,
      const lsp::v1::GetDiagnosticsRequest* request,
      lsp::v1::GetDiagnosticsResponse* response) override;

 private:
  // What is the same for all of them.
  template <typename Request, typename Response>
  grpc::Status Answer(grpc::ServerContext* context, const Request& request,
                      const std::string& relative_path,
                      absl::StatusOr<Response> (*query)(const QueryTools&,
                                                        const Asker&,
                                                        const rpc::CallContext&,
                                                        const Request&),
                      Response* response);

  GrantVerifier& verifier_;
  WorkspaceRegistry& workspaces_;
  const QueryTools tools_;
};

}  // namespace banyan::lspd

#endif  // LSPD_SYMBOL_SERVICE_H_
