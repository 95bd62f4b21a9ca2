// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_FAKE_LSP_CLIENT_H_
#define TESTS_SUPPORT_FAKE_LSP_CLIENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "edge/clients/lsp_client.h"

namespace banyan::edge {

// Answers every call with what the test put there, and keeps what was asked.
// Not for calls from several threads.
class FakeLspClient final : public LspClient {
 public:
  template <typename Request, typename Response>
  struct Method {
    absl::StatusOr<Response> answer = Response();
    std::vector<Request> requests;
    std::vector<std::string> roots;

    absl::StatusOr<Response> Ask(absl::string_view root,
                                 const Request& request) {
      requests.push_back(request);
      roots.emplace_back(root);
      return answer;
    }
  };

  Method<lsp::v1::OpenRootRequest, lsp::v1::OpenRootResponse> open_root;
  Method<lsp::v1::ListDirectoryRequest, lsp::v1::ListDirectoryResponse>
      list_directory;
  Method<lsp::v1::FindFilesRequest, lsp::v1::FindFilesResponse> find_files;
  Method<lsp::v1::ReadFileRequest, lsp::v1::ReadFileResponse> read_file;
  Method<lsp::v1::SearchTextRequest, lsp::v1::SearchTextResponse> search_text;
  Method<lsp::v1::GetSymbolsOverviewRequest,
         lsp::v1::GetSymbolsOverviewResponse>
      get_symbols_overview;
  Method<lsp::v1::FindSymbolRequest, lsp::v1::FindSymbolResponse> find_symbol;
  Method<lsp::v1::FindReferencingSymbolsRequest,
         lsp::v1::FindReferencingSymbolsResponse>
      find_referencing_symbols;
  Method<lsp::v1::FindDeclarationRequest, lsp::v1::FindDeclarationResponse>
      find_declaration;
  Method<lsp::v1::FindImplementationsRequest,
         lsp::v1::FindImplementationsResponse>
      find_implementations;
  Method<lsp::v1::GetSymbolInfoRequest, lsp::v1::GetSymbolInfoResponse>
      get_symbol_info;
  Method<lsp::v1::GetDiagnosticsRequest, lsp::v1::GetDiagnosticsResponse>
      get_diagnostics;
  Method<lsp::v1::ApplyEditRequest, lsp::v1::ApplyEditResponse> apply_edit;
  Method<lsp::v1::ListCodeActionsRequest, lsp::v1::ListCodeActionsResponse>
      list_code_actions;
  Method<lsp::v1::GetActivityRequest, lsp::v1::GetActivityResponse>
      get_activity;
  Method<lsp::v1::RestartServerRequest, lsp::v1::RestartServerResponse>
      restart_server;
  PoolStats pool_stats;
  rpc::CallContext last_context;

  absl::StatusOr<lsp::v1::OpenRootResponse> OpenRoot(
      absl::string_view root, const lsp::v1::OpenRootRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return open_root.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::ListDirectoryResponse> ListDirectory(
      absl::string_view root, const lsp::v1::ListDirectoryRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return list_directory.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::FindFilesResponse> FindFiles(
      absl::string_view root, const lsp::v1::FindFilesRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return find_files.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::ReadFileResponse> ReadFile(
      absl::string_view root, const lsp::v1::ReadFileRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return read_file.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::SearchTextResponse> SearchText(
      absl::string_view root, const lsp::v1::SearchTextRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return search_text.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::GetSymbolsOverviewResponse> GetSymbolsOverview(
      absl::string_view root, const lsp::v1::GetSymbolsOverviewRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return get_symbols_overview.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::FindSymbolResponse> FindSymbol(
      absl::string_view root, const lsp::v1::FindSymbolRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return find_symbol.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::FindReferencingSymbolsResponse>
  FindReferencingSymbols(absl::string_view root,
                         const lsp::v1::FindReferencingSymbolsRequest& request,
                         const rpc::CallContext& call) override {
    last_context = call;
    return find_referencing_symbols.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::FindDeclarationResponse> FindDeclaration(
      absl::string_view root, const lsp::v1::FindDeclarationRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return find_declaration.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::FindImplementationsResponse> FindImplementations(
      absl::string_view root,
      const lsp::v1::FindImplementationsRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return find_implementations.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::GetSymbolInfoResponse> GetSymbolInfo(
      absl::string_view root, const lsp::v1::GetSymbolInfoRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return get_symbol_info.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::GetDiagnosticsResponse> GetDiagnostics(
      absl::string_view root, const lsp::v1::GetDiagnosticsRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return get_diagnostics.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::RestartServerResponse> RestartServer(
      absl::string_view root, const lsp::v1::RestartServerRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return restart_server.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::ApplyEditResponse> ApplyEdit(
      absl::string_view root, const lsp::v1::ApplyEditRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return apply_edit.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::ListCodeActionsResponse> ListCodeActions(
      absl::string_view root, const lsp::v1::ListCodeActionsRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return list_code_actions.Ask(root, request);
  }

  absl::StatusOr<lsp::v1::GetActivityResponse> GetActivity(
      absl::string_view root, const lsp::v1::GetActivityRequest& request,
      const rpc::CallContext& call) override {
    last_context = call;
    return get_activity.Ask(root, request);
  }

  PoolStats GetPoolStats(const lsp::v1::GetPoolStatsRequest&,
                         const rpc::CallContext&) override {
    return pool_stats;
  }
};

}  // namespace banyan::edge

#endif  // TESTS_SUPPORT_FAKE_LSP_CLIENT_H_
