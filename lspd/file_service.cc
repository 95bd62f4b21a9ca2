// SPDX-License-Identifier: Apache-2.0
#include "lspd/file_service.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lspd/workspace/admission.h"
#include "lspd/workspace/shown_texts.h"
#include "lspd/workspace/text_view.h"
#include "proto/rpc/grpc_context.h"
#include "proto/rpc/status_convert.h"

namespace banyan::lspd {
namespace {

lsp::v1::LineEnding ToProto(LineEnds ends) {
  switch (ends) {
    case LineEnds::kLf:
      return lsp::v1::LINE_ENDING_LF;
    case LineEnds::kCrLf:
      return lsp::v1::LINE_ENDING_CRLF;
    case LineEnds::kCr:
      return lsp::v1::LINE_ENDING_CR;
    case LineEnds::kMixed:
      return lsp::v1::LINE_ENDING_MIXED;
    case LineEnds::kNone:
      break;
  }
  return lsp::v1::LINE_ENDING_UNSPECIFIED;
}

TextQuery FromProto(const lsp::v1::SearchTextRequest& request) {
  return {.pattern = request.pattern(),
          .context_lines_before = std::max(0, request.context_lines_before()),
          .context_lines_after = std::max(0, request.context_lines_after()),
          .include_globs = {request.include_globs().begin(),
                            request.include_globs().end()},
          .exclude_globs = {request.exclude_globs().begin(),
                            request.exclude_globs().end()},
          .relative_path = request.relative_path(),
          .is_multiline = request.is_multiline(),
          .is_case_insensitive = request.is_case_insensitive(),
          .include_ignored_files = request.include_ignored_files()};
}

void ToProto(const TextHits& hits, lsp::v1::SearchTextResponse::File* file) {
  file->set_relative_path(hits.relative_path);
  for (const TextBlock& block : hits.blocks) {
    lsp::v1::SearchTextResponse::Match& match = *file->add_matches();
    for (const TextLine& line : block.lines) {
      lsp::v1::SearchTextResponse::Line& shown = *match.add_lines();
      shown.set_number(line.number);
      shown.set_text(line.text);
      shown.set_is_match(line.is_match);
    }
  }
}

void ToProto(const TextView& view, lsp::v1::ReadFileResponse* response) {
  response->set_text(view.text);
  response->set_line_ending(ToProto(view.line_ends));
  response->set_has_encoding_errors(view.has_encoding_errors);
  response->set_has_bom(view.has_byte_order_mark);
  response->set_total_lines(view.total_lines);
  response->set_start_line(view.start_line);
  response->set_end_line(view.end_line);
  response->set_is_binary(view.is_binary);
}

void AddGitState(const Workspace& workspace, const rpc::CallContext& call,
                 lsp::v1::OpenRootResponse* response) {
  response->set_uncommitted_files(-1);
  if (!workspace.repository().has_value()) return;
  const GitHead head = workspace.repository()->ReadHead();
  response->set_git_branch(head.branch);
  response->set_git_head(head.commit);
  response->set_uncommitted_files(
      workspace.repository()->CountUncommitted(workspace.root(), call));
}

void AddWarnings(const AdmittedCall& admitted,
                 lsp::v1::OpenRootResponse* response) {
  const uid_t owner = admitted.workspace->root().owner_uid();
  const bool will_write =
      admitted.grant.access() == session::v1::ACCESS_READ_WRITE;
  if (will_write && owner != ::geteuid()) {
    response->add_warnings(absl::StrCat(
        "The folder belongs to uid ", owner, ", but the server works as uid ",
        ::geteuid(), ": files that it writes will belong to the latter."));
  }
}

}  // namespace

FileService::FileService(GrantVerifier& verifier, WorkspaceRegistry& workspaces,
                         Options options)
    : verifier_(verifier),
      workspaces_(workspaces),
      options_(std::move(options)) {}

grpc::Status FileService::OpenRoot(grpc::ServerContext* context,
                                   const lsp::v1::OpenRootRequest* request,
                                   lsp::v1::OpenRootResponse* response) {
  const absl::StatusOr<AdmittedCall> admitted =
      Admit(verifier_, workspaces_, request->grant(),
            rpc::FromServerContext(*context));
  if (!admitted.ok()) return rpc::ToGrpc(admitted.status());
  const Workspace& workspace = *admitted->workspace;
  const RootIdentity& identity = workspace.root().identity();
  response->set_canonical_root(workspace.root().path());
  response->mutable_identity()->set_device(identity.device);
  response->mutable_identity()->set_inode(identity.inode);
  response->mutable_identity()->set_birth_ns(identity.birth_ns);
  response->set_owner_uid(workspace.root().owner_uid());

  rpc::CallContext git_call = admitted->call;
  git_call.deadline =
      std::min(git_call.deadline, absl::Now() + options_.git_limit);
  AddGitState(workspace, git_call, response);
  LanguageReport languages = options_.languages(
      *admitted, {request->prewarm().begin(), request->prewarm().end()});
  for (lsp::v1::LanguageState& language : languages.states) {
    *response->add_languages() = std::move(language);
  }
  response->mutable_warnings()->Add(languages.warnings.begin(),
                                    languages.warnings.end());
  AddWarnings(*admitted, response);
  return grpc::Status::OK;
}

grpc::Status FileService::ListDirectory(
    grpc::ServerContext* context, const lsp::v1::ListDirectoryRequest* request,
    lsp::v1::ListDirectoryResponse* response) {
  const absl::StatusOr<AdmittedCall> admitted =
      Admit(verifier_, workspaces_, request->grant(),
            rpc::FromServerContext(*context));
  if (!admitted.ok()) return rpc::ToGrpc(admitted.status());
  const absl::StatusOr<Listing> listing =
      admitted->workspace->files().ListDirectory(
          request->relative_path(), request->recursive(),
          request->skip_ignored_files(), admitted->call);
  if (!listing.ok()) {
    return rpc::ToGrpc(
        admitted->Report(listing.status(), request->relative_path()));
  }
  response->mutable_directories()->Add(listing->directories.begin(),
                                       listing->directories.end());
  response->mutable_files()->Add(listing->files.begin(), listing->files.end());
  response->mutable_incomplete()->Add(listing->incomplete.begin(),
                                      listing->incomplete.end());
  return grpc::Status::OK;
}

grpc::Status FileService::FindFiles(grpc::ServerContext* context,
                                    const lsp::v1::FindFilesRequest* request,
                                    lsp::v1::FindFilesResponse* response) {
  const absl::StatusOr<AdmittedCall> admitted =
      Admit(verifier_, workspaces_, request->grant(),
            rpc::FromServerContext(*context));
  if (!admitted.ok()) return rpc::ToGrpc(admitted.status());
  const absl::StatusOr<Listing> found = admitted->workspace->files().FindFiles(
      request->file_mask(), request->relative_path(), admitted->call);
  if (!found.ok()) {
    return rpc::ToGrpc(
        admitted->Report(found.status(), request->relative_path()));
  }
  response->mutable_files()->Add(found->files.begin(), found->files.end());
  response->mutable_incomplete()->Add(found->incomplete.begin(),
                                      found->incomplete.end());
  return grpc::Status::OK;
}

grpc::Status FileService::ReadFile(grpc::ServerContext* context,
                                   const lsp::v1::ReadFileRequest* request,
                                   lsp::v1::ReadFileResponse* response) {
  const absl::StatusOr<AdmittedCall> admitted =
      Admit(verifier_, workspaces_, request->grant(),
            rpc::FromServerContext(*context));
  if (!admitted.ok()) return rpc::ToGrpc(admitted.status());
  const absl::StatusOr<FileContent> content =
      admitted->workspace->root().ReadFile(request->relative_path());
  if (!content.ok()) {
    return rpc::ToGrpc(
        admitted->Report(content.status(), request->relative_path()));
  }
  const absl::StatusOr<TextView> view =
      ViewLines(content->bytes, request->start_line(), request->end_line());
  if (!view.ok()) return rpc::ToGrpc(view.status());
  ToProto(*view, response);
  response->set_hash(content->hash);
  ShownTexts::Of(*admitted->workspace)
      ->Note(admitted->grant.handle_hash(), content->real_path, content->hash,
             content->bytes);
  return grpc::Status::OK;
}

grpc::Status FileService::SearchText(grpc::ServerContext* context,
                                     const lsp::v1::SearchTextRequest* request,
                                     lsp::v1::SearchTextResponse* response) {
  const absl::StatusOr<AdmittedCall> admitted =
      Admit(verifier_, workspaces_, request->grant(),
            rpc::FromServerContext(*context));
  if (!admitted.ok()) return rpc::ToGrpc(admitted.status());
  const absl::StatusOr<TextResult> result =
      admitted->workspace->text().Search(FromProto(*request), admitted->call);
  if (!result.ok()) {
    return rpc::ToGrpc(
        admitted->Report(result.status(), request->relative_path()));
  }
  for (const TextHits& hits : result->files) {
    ToProto(hits, response->add_files());
  }
  response->mutable_incomplete()->Add(result->incomplete.begin(),
                                      result->incomplete.end());
  response->set_match_count(result->match_count);
  return grpc::Status::OK;
}

}  // namespace banyan::lspd
