// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_FILE_SERVICE_H_
#define LSPD_FILE_SERVICE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "banyan/lsp/v1/file_service.grpc.pb.h"
#include "lspd/language_states.h"
#include "lspd/workspace/admission.h"
#include "lspd/workspace/grant_verifier.h"
#include "lspd/workspace/workspace_registry.h"

namespace banyan::lspd {

// Files of a root over gRPC. Thin: grant, workspace, answer.
class FileService final : public lsp::v1::FileService::Service {
 public:
  struct Options {
    // What the pool knows of the languages in a root; `prewarm` names those
    // whose servers are to be started.
    std::function<LanguageReport(const AdmittedCall&,
                                 const std::vector<std::string>& prewarm)>
        languages = [](const AdmittedCall&, const std::vector<std::string>&) {
          return LanguageReport();
        };
    absl::Duration git_limit =
        absl::Seconds(2);  // For counting uncommitted files.
  };

  // Both must outlive this.
  FileService(GrantVerifier& verifier, WorkspaceRegistry& workspaces,
              Options options);

  grpc::Status OpenRoot(grpc::ServerContext* context,
                        const lsp::v1::OpenRootRequest* request,
                        lsp::v1::OpenRootResponse* response) override;
  grpc::Status ListDirectory(grpc::ServerContext* context,
                             const lsp::v1::ListDirectoryRequest* request,
                             lsp::v1::ListDirectoryResponse* response) override;
  grpc::Status FindFiles(grpc::ServerContext* context,
                         const lsp::v1::FindFilesRequest* request,
                         lsp::v1::FindFilesResponse* response) override;
  grpc::Status ReadFile(grpc::ServerContext* context,
                        const lsp::v1::ReadFileRequest* request,
                        lsp::v1::ReadFileResponse* response) override;
  grpc::Status SearchText(grpc::ServerContext* context,
                          const lsp::v1::SearchTextRequest* request,
                          lsp::v1::SearchTextResponse* response) override;

 private:
  GrantVerifier& verifier_;
  WorkspaceRegistry& workspaces_;
  const Options options_;
};

}  // namespace banyan::lspd

#endif  // LSPD_FILE_SERVICE_H_
