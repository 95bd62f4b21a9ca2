// SPDX-License-Identifier: Apache-2.0
#include "edge/clients/grpc_lsp_client.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "banyan/lsp/v1/edit_service.grpc.pb.h"
#include "banyan/lsp/v1/file_service.grpc.pb.h"
#include "banyan/lsp/v1/pool_service.grpc.pb.h"
#include "banyan/lsp/v1/symbol_service.grpc.pb.h"
#include "edge/clients/lsp_placement.h"
#include "edge/clients/progress_watch.h"
#include "proto/rpc/error_reason.h"

namespace banyan::edge {
namespace {

using EditStub = lsp::v1::EditService::Stub;
using FileStub = lsp::v1::FileService::Stub;
using PoolStub = lsp::v1::PoolService::Stub;
using SymbolStub = lsp::v1::SymbolService::Stub;
using Method = DaemonConnection::Method;

// One lspd with its stubs.
struct Lspd {
  Lspd(std::shared_ptr<grpc::Channel> channel, DaemonOptions options)
      : connection("lspd", std::move(channel), options),
        edit(connection.channel()),
        file(connection.channel()),
        pool(connection.channel()),
        symbol(connection.channel()) {}

  DaemonConnection connection;
  EditStub edit;
  FileStub file;
  PoolStub pool;
  SymbolStub symbol;
};

std::vector<std::string> AddressesOf(
    const std::vector<LspEndpoint>& endpoints) {
  std::vector<std::string> addresses;
  for (const LspEndpoint& endpoint : endpoints) {
    addresses.push_back(endpoint.address);
  }
  return addresses;
}

absl::Status OwnerUnknown() {
  return rpc::Error(rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE,
                    "This workspace is served by an lspd that this edge does "
                    "not know. Tell the operator: --lspd must name all of "
                    "them.");
}

// Where there is another one to ask, one that is not there is not waited for.
constexpr absl::Duration kPassOver = absl::Milliseconds(150);
constexpr absl::Duration kBetweenRounds = absl::Milliseconds(50);

// An answer that is there meanwhile waits no longer than that.
constexpr absl::Duration kProgressLimit = absl::Milliseconds(300);

bool IsUnreachable(const absl::Status& status) {
  return !status.ok() &&
         rpc::ReasonOf(status) == rpc::v1::ERROR_REASON_DAEMON_UNREACHABLE;
}

bool IsMoved(const absl::Status& status) {
  return !status.ok() && rpc::ReasonOf(status) == rpc::v1::ERROR_REASON_MOVED;
}

class GrpcLspClient final : public LspClient {
 public:
  GrpcLspClient(std::vector<LspEndpoint> endpoints, DaemonOptions options)
      : placement_(AddressesOf(endpoints)),
        restart_wait_(options.restart_wait) {
    if (endpoints.size() > 1) options.restart_wait = kPassOver;
    for (LspEndpoint& endpoint : endpoints) {
      lspds_.push_back(
          std::make_unique<Lspd>(std::move(endpoint.channel), options));
    }
  }

  absl::StatusOr<lsp::v1::OpenRootResponse> OpenRoot(
      absl::string_view root, const lsp::v1::OpenRootRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"FileService", "OpenRoot"}, &Lspd::file,
               &FileStub::AsyncOpenRoot, request, call);
  }

  absl::StatusOr<lsp::v1::ListDirectoryResponse> ListDirectory(
      absl::string_view root, const lsp::v1::ListDirectoryRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"FileService", "ListDirectory"}, &Lspd::file,
               &FileStub::AsyncListDirectory, request, call);
  }

  absl::StatusOr<lsp::v1::FindFilesResponse> FindFiles(
      absl::string_view root, const lsp::v1::FindFilesRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"FileService", "FindFiles"}, &Lspd::file,
               &FileStub::AsyncFindFiles, request, call);
  }

  absl::StatusOr<lsp::v1::ReadFileResponse> ReadFile(
      absl::string_view root, const lsp::v1::ReadFileRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"FileService", "ReadFile"}, &Lspd::file,
               &FileStub::AsyncReadFile, request, call);
  }

  absl::StatusOr<lsp::v1::SearchTextResponse> SearchText(
      absl::string_view root, const lsp::v1::SearchTextRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"FileService", "SearchText"}, &Lspd::file,
               &FileStub::AsyncSearchText, request, call);
  }

  absl::StatusOr<lsp::v1::GetSymbolsOverviewResponse> GetSymbolsOverview(
      absl::string_view root, const lsp::v1::GetSymbolsOverviewRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"SymbolService", "GetSymbolsOverview"},
               &Lspd::symbol, &SymbolStub::AsyncGetSymbolsOverview, request,
               call);
  }

  absl::StatusOr<lsp::v1::FindSymbolResponse> FindSymbol(
      absl::string_view root, const lsp::v1::FindSymbolRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"SymbolService", "FindSymbol"}, &Lspd::symbol,
               &SymbolStub::AsyncFindSymbol, request, call);
  }

  absl::StatusOr<lsp::v1::FindReferencingSymbolsResponse>
  FindReferencingSymbols(absl::string_view root,
                         const lsp::v1::FindReferencingSymbolsRequest& request,
                         const rpc::CallContext& call) override {
    return Ask(root, Method{"SymbolService", "FindReferencingSymbols"},
               &Lspd::symbol, &SymbolStub::AsyncFindReferencingSymbols, request,
               call);
  }

  absl::StatusOr<lsp::v1::FindDeclarationResponse> FindDeclaration(
      absl::string_view root, const lsp::v1::FindDeclarationRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"SymbolService", "FindDeclaration"}, &Lspd::symbol,
               &SymbolStub::AsyncFindDeclaration, request, call);
  }

  absl::StatusOr<lsp::v1::FindImplementationsResponse> FindImplementations(
      absl::string_view root,
      const lsp::v1::FindImplementationsRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"SymbolService", "FindImplementations"},
               &Lspd::symbol, &SymbolStub::AsyncFindImplementations, request,
               call);
  }

  absl::StatusOr<lsp::v1::GetSymbolInfoResponse> GetSymbolInfo(
      absl::string_view root, const lsp::v1::GetSymbolInfoRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"SymbolService", "GetSymbolInfo"}, &Lspd::symbol,
               &SymbolStub::AsyncGetSymbolInfo, request, call);
  }

  absl::StatusOr<lsp::v1::GetDiagnosticsResponse> GetDiagnostics(
      absl::string_view root, const lsp::v1::GetDiagnosticsRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"SymbolService", "GetDiagnostics"}, &Lspd::symbol,
               &SymbolStub::AsyncGetDiagnostics, request, call);
  }

  absl::StatusOr<lsp::v1::ApplyEditResponse> ApplyEdit(
      absl::string_view root, const lsp::v1::ApplyEditRequest& request,
      const rpc::CallContext& call) override {
    // Showing an edit is a read.
    const auto repeat = request.is_dry_run()
                            ? DaemonConnection::Repeat::kOnce
                            : DaemonConnection::Repeat::kNeverKnown;
    return Ask(root, Method{"EditService", "ApplyEdit", repeat}, &Lspd::edit,
               &EditStub::AsyncApplyEdit, request, call);
  }

  absl::StatusOr<lsp::v1::ListCodeActionsResponse> ListCodeActions(
      absl::string_view root, const lsp::v1::ListCodeActionsRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"EditService", "ListCodeActions"}, &Lspd::edit,
               &EditStub::AsyncListCodeActions, request, call);
  }

  absl::StatusOr<lsp::v1::GetActivityResponse> GetActivity(
      absl::string_view root, const lsp::v1::GetActivityRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"EditService", "GetActivity"}, &Lspd::edit,
               &EditStub::AsyncGetActivity, request, call);
  }

  PoolStats GetPoolStats(const lsp::v1::GetPoolStatsRequest& request,
                         const rpc::CallContext& call) override {
    PoolStats stats;
    const Method method{"PoolService", "GetPoolStats",
                        DaemonConnection::Repeat::kOnce, absl::Seconds(5)};
    for (size_t i = 0; i < lspds_.size(); ++i) {
      auto answer = lspds_[i]->connection.Call(
          method, lspds_[i]->pool, &PoolStub::AsyncGetPoolStats, request, call);
      if (answer.ok()) {
        stats.answers.push_back(*std::move(answer));
      } else {
        stats.silent.push_back(placement_.addresses()[i]);
      }
    }
    return stats;
  }

  absl::StatusOr<lsp::v1::RestartServerResponse> RestartServer(
      absl::string_view root, const lsp::v1::RestartServerRequest& request,
      const rpc::CallContext& call) override {
    return Ask(root, Method{"PoolService", "RestartServer"}, &Lspd::pool,
               &PoolStub::AsyncRestartServer, request, call);
  }

 private:
  template <typename Stub, typename Request, typename Response>
  using Start = std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (
      Stub::*)(grpc::ClientContext*, const Request&, grpc::CompletionQueue*);

  // What the servers of this root are doing, for somebody who waits for them.
  std::optional<lsp::v1::GetProgressResponse> Progress(
      absl::string_view root, const session::v1::SignedGrant& grant) {
    lsp::v1::GetProgressRequest request;
    *request.mutable_grant() = grant;
    rpc::CallContext soon;
    soon.deadline = absl::Now() + kProgressLimit;
    auto answer = Ask(root, Method{"PoolService", "GetProgress"}, &Lspd::pool,
                      &PoolStub::AsyncGetProgress, request, soon);
    if (!answer.ok()) return std::nullopt;
    return *std::move(answer);
  }

  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Ask(absl::string_view root, Method method,
                               Stub Lspd::*stub,
                               Start<Stub, Request, Response> start,
                               const Request& request,
                               const rpc::CallContext& call) {
    ProgressWatch watch([&] { return Progress(root, request.grant()); },
                        call.on_progress, absl::Now());
    if (call.on_progress != nullptr) {
      method.while_waiting = [&watch] { watch.Look(absl::Now()); };
    }
    const absl::Time give_up = absl::Now() + restart_wait_;
    while (true) {
      absl::StatusOr<Response> answer =
          AskRound(root, method, stub, start, request, call);
      const bool is_final = !IsUnreachable(answer.status()) ||
                            method.repeat == DaemonConnection::Repeat::kNever ||
                            lspds_.size() == 1 || absl::Now() >= give_up ||
                            call.IsOver();
      if (is_final) return answer;
      absl::SleepFor(kBetweenRounds);
    }
  }

  // Every lspd at most once, in the root's order, until one is there.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> AskRound(absl::string_view root,
                                    const Method& method, Stub Lspd::*stub,
                                    Start<Stub, Request, Response> start,
                                    const Request& request,
                                    const rpc::CallContext& call) {
    const auto ask = [&](size_t index) {
      Lspd& lspd = *lspds_[index];
      return lspd.connection.Call(method, lspd.*stub, start, request, call);
    };
    const std::vector<size_t> order = placement_.Order(root);
    absl::StatusOr<Response> answer = OwnerUnknown();
    for (const size_t index : order) {
      answer = ask(index);
      if (IsUnreachable(answer.status())) continue;
      // It has taken the root over from one that has gone.
      if (answer.ok() && index != order.front()) {
        placement_.Learn(root, placement_.addresses()[index]);
      }
      break;
    }
    if (!IsMoved(answer.status())) return answer;
    const std::optional<size_t> owner =
        placement_.Learn(root, rpc::DetailOf(answer.status()).owner());
    if (!owner.has_value()) return OwnerUnknown();
    return ask(*owner);
  }

  LspPlacement placement_;
  const absl::Duration restart_wait_;
  std::vector<std::unique_ptr<Lspd>> lspds_;
};

}  // namespace

std::unique_ptr<LspClient> NewGrpcLspClient(std::vector<LspEndpoint> endpoints,
                                            DaemonOptions options) {
  return std::make_unique<GrpcLspClient>(std::move(endpoints), options);
}

}  // namespace banyan::edge
