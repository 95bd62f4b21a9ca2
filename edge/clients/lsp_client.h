// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_CLIENTS_LSP_CLIENT_H_
#define EDGE_CLIENTS_LSP_CLIENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/lsp/v1/edit_service.pb.h"
#include "banyan/lsp/v1/file_service.pb.h"
#include "banyan/lsp/v1/pool_service.pb.h"
#include "banyan/lsp/v1/symbol_service.pb.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// What runs, from every lspd.
struct PoolStats {
  std::vector<lsp::v1::GetPoolStatsResponse> answers;
  std::vector<std::string> silent;  // Addresses of those that did not answer.
};

// The lspds, as the edge asks them. `root` is the root of the request's grant
// and says which lspd is asked; the one that owns it answers. Every error
// carries the reason that the protos name, and besides:
//   DAEMON_UNREACHABLE  no lspd came back within the restart wait
//   DEADLINE            the call's time is over
//   CANCELLED           nobody waits any more
//
// While an lspd restarts a call waits for it. A read that was interrupted is
// asked again once, an edit never:
//   OUTCOME_UNKNOWN      it may have been made or not
//
// Thread-safe; calls block.
class LspClient {
 public:
  virtual ~LspClient() = default;

  virtual absl::StatusOr<lsp::v1::OpenRootResponse> OpenRoot(
      absl::string_view root, const lsp::v1::OpenRootRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::ListDirectoryResponse> ListDirectory(
      absl::string_view root, const lsp::v1::ListDirectoryRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::FindFilesResponse> FindFiles(
      absl::string_view root, const lsp::v1::FindFilesRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::ReadFileResponse> ReadFile(
      absl::string_view root, const lsp::v1::ReadFileRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::SearchTextResponse> SearchText(
      absl::string_view root, const lsp::v1::SearchTextRequest& request,
      const rpc::CallContext& call) = 0;

  virtual absl::StatusOr<lsp::v1::GetSymbolsOverviewResponse>
  GetSymbolsOverview(absl::string_view root,
                     const lsp::v1::GetSymbolsOverviewRequest& request,
                     const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::FindSymbolResponse> FindSymbol(
      absl::string_view root, const lsp::v1::FindSymbolRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::FindReferencingSymbolsResponse>
  FindReferencingSymbols(absl::string_view root,
                         const lsp::v1::FindReferencingSymbolsRequest& request,
                         const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::FindDeclarationResponse> FindDeclaration(
      absl::string_view root, const lsp::v1::FindDeclarationRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::FindImplementationsResponse>
  FindImplementations(absl::string_view root,
                      const lsp::v1::FindImplementationsRequest& request,
                      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::GetSymbolInfoResponse> GetSymbolInfo(
      absl::string_view root, const lsp::v1::GetSymbolInfoRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::GetDiagnosticsResponse> GetDiagnostics(
      absl::string_view root, const lsp::v1::GetDiagnosticsRequest& request,
      const rpc::CallContext& call) = 0;

  virtual absl::StatusOr<lsp::v1::ApplyEditResponse> ApplyEdit(
      absl::string_view root, const lsp::v1::ApplyEditRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::ListCodeActionsResponse> ListCodeActions(
      absl::string_view root, const lsp::v1::ListCodeActionsRequest& request,
      const rpc::CallContext& call) = 0;
  virtual absl::StatusOr<lsp::v1::GetActivityResponse> GetActivity(
      absl::string_view root, const lsp::v1::GetActivityRequest& request,
      const rpc::CallContext& call) = 0;

  // Every lspd is asked. The grant is an operator's.
  virtual PoolStats GetPoolStats(const lsp::v1::GetPoolStatsRequest& request,
                                 const rpc::CallContext& call) = 0;

  // The lspd that owns `root` ends its server of that language.
  virtual absl::StatusOr<lsp::v1::RestartServerResponse> RestartServer(
      absl::string_view root, const lsp::v1::RestartServerRequest& request,
      const rpc::CallContext& call) = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_CLIENTS_LSP_CLIENT_H_
