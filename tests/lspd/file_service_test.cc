// SPDX-License-Identifier: Apache-2.0
#include "lspd/file_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"
#include "proto/rpc/grant.h"
#include "proto/rpc/grpc_server.h"
#include "proto/rpc/status_convert.h"
#include "tests/support/git_repo.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class GrantingLeases : public RootLeases {
 public:
  absl::StatusOr<int64_t> Acquire(const std::string&,
                                  const rpc::CallContext&) override {
    return 1;
  }
  bool IsHeld(const std::string&) const override { return true; }
  void Release(const std::string&) override {}
};

class FileServiceTest : public ::testing::Test {
 protected:
  FileServiceTest() {
    verifier_.SetKeys({key_.ToProto()});
    verifier_.SetClock(absl::Now());
    EXPECT_THAT(server_.Start({&service_}), IsOk());
    stub_ = lsp::v1::FileService::NewStub(server_.InProcessChannel());
    rpc::SetLogObserver([this](const rpc::LogEntry& entry) {
      if (entry.event == "path_traversal_blocked") {
        blocked_.push_back(entry.message);
      }
    });
  }
  ~FileServiceTest() override {
    rpc::SetLogObserver(nullptr);
    server_.Drain(absl::ZeroDuration());
  }

  WorkspaceRegistry::Options RegistryOptions() const {
    WorkspaceRegistry::Options options;
    options.workspaces_roots = {folder_.path()};
    return options;
  }

  static FileService::Options ServiceOptions() {
    FileService::Options options;
    options.languages = [](const AdmittedCall&,
                           const std::vector<std::string>& prewarm) {
      LanguageReport report;
      report.states.resize(1);
      report.states[0].set_language("cpp");
      report.states[0].set_state(prewarm.empty() ? "not started" : "starting");
      if (prewarm == std::vector<std::string>{"doubt"}) {
        report.warnings = {"not all is known"};
      }
      return report;
    };
    return options;
  }

  session::v1::Grant Grant() const {
    session::v1::Grant grant;
    grant.set_root(folder_.path());
    grant.set_access(session::v1::ACCESS_READ_ONLY);
    grant.set_handle_hash("handle");
    grant.set_session_public_id("a1b2c3d4e5f60718");
    grant.set_issued_unix_ms(absl::ToUnixMillis(absl::Now()));
    grant.set_expires_unix_ms(
        absl::ToUnixMillis(absl::Now() + absl::Seconds(30)));
    return grant;
  }

  template <typename Request>
  Request Asking(const session::v1::Grant& grant) const {
    Request request;
    *request.mutable_grant() = key_.Sign(grant);
    return request;
  }

  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(
      grpc::Status (lsp::v1::FileService::Stub::*method)(grpc::ClientContext*,
                                                         const Request&,
                                                         Response*),
      const Request& request) {
    grpc::ClientContext context;
    Response response;
    const grpc::Status status =
        (stub_.get()->*method)(&context, request, &response);
    if (!status.ok()) return rpc::FromGrpc(status);
    return response;
  }

  absl::StatusOr<lsp::v1::ReadFileResponse> Read(const std::string& path,
                                                 int start = 0, int end = 0) {
    auto request = Asking<lsp::v1::ReadFileRequest>(Grant());
    request.set_relative_path(path);
    request.set_start_line(start);
    request.set_end_line(end);
    return Call(&lsp::v1::FileService::Stub::ReadFile, request);
  }

  TempWorkspace folder_;
  const rpc::GrantKey key_ = *rpc::GrantKey::Generate();
  GrantVerifier verifier_{{}};
  GrantingLeases leases_;
  WorkspaceRegistry workspaces_{leases_, RegistryOptions()};
  FileService service_{verifier_, workspaces_, ServiceOptions()};
  rpc::GrpcServer server_{{.listen = ""}};
  std::unique_ptr<lsp::v1::FileService::Stub> stub_;
  std::vector<std::string> blocked_;
};

TEST_F(FileServiceTest, OpensARootAndSaysWhatItIs) {
  folder_.Write("a.cc", "x\n");
  Git(folder_.path(), "init -q");
  Git(folder_.path(), "add -A");
  Git(folder_.path(), "commit -q -m first");
  folder_.Write("b.cc", "x\n");
  auto request = Asking<lsp::v1::OpenRootRequest>(Grant());
  request.add_prewarm("cpp");
  ASSERT_OK_AND_ASSIGN(const auto opened,
                       Call(&lsp::v1::FileService::Stub::OpenRoot, request));
  EXPECT_EQ(opened.canonical_root(), folder_.path());
  EXPECT_NE(opened.identity().inode(), 0u);
  EXPECT_EQ(opened.git_branch(), "main");
  EXPECT_THAT(opened.git_head(), SizeIs(40));
  EXPECT_EQ(opened.uncommitted_files(), 1);
  EXPECT_EQ(opened.owner_uid(), ::geteuid());
  EXPECT_EQ(opened.languages(0).state(), "starting");
  EXPECT_THAT(opened.warnings(), IsEmpty());
  request.clear_prewarm();
  request.add_prewarm("doubt");
  EXPECT_THAT(Call(&lsp::v1::FileService::Stub::OpenRoot, request)->warnings(),
              ElementsAre("not all is known"));

  // Bound to what was answered, it opens again; to anything else it does not.
  session::v1::Grant grant = Grant();
  *grant.mutable_identity() = opened.identity();
  EXPECT_THAT(Call(&lsp::v1::FileService::Stub::OpenRoot,
                   Asking<lsp::v1::OpenRootRequest>(grant)),
              IsOk());
  grant.mutable_identity()->set_inode(1);
  EXPECT_THAT(Call(&lsp::v1::FileService::Stub::OpenRoot,
                   Asking<lsp::v1::OpenRootRequest>(grant)),
              HasReason(rpc::v1::ERROR_REASON_ROOT_REPLACED));
}

TEST_F(FileServiceTest, WarnsAWriterWhoseFilesBelongToAnother) {
  if (::chown(folder_.path().c_str(), 4711, 4711) != 0) {
    GTEST_SKIP() << "owners cannot be changed here";
  }
  session::v1::Grant grant = Grant();
  grant.set_access(session::v1::ACCESS_READ_WRITE);
  ASSERT_OK_AND_ASSIGN(const auto opened,
                       Call(&lsp::v1::FileService::Stub::OpenRoot,
                            Asking<lsp::v1::OpenRootRequest>(grant)));
  EXPECT_EQ(opened.owner_uid(), 4711u);
  EXPECT_THAT(opened.warnings(), SizeIs(1));
}

TEST_F(FileServiceTest, ReadsLinesWithTheHashOfTheWholeFile) {
  folder_.Write("a.txt", "one\r\ntwo\r\nthree");
  ASSERT_OK_AND_ASSIGN(const auto read, Read("a.txt", 2, 2));
  EXPECT_EQ(read.text(), "two\r\n");
  EXPECT_EQ(read.hash(), HashOf("one\r\ntwo\r\nthree"));
  EXPECT_EQ(read.line_ending(), lsp::v1::LINE_ENDING_CRLF);
  EXPECT_EQ(read.total_lines(), 3);
  EXPECT_EQ(read.start_line(), 2);
  EXPECT_EQ(read.end_line(), 2);
  EXPECT_THAT(Read("a.txt", 9),
              HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID));
}

TEST_F(FileServiceTest, ReadsWhatIsNoText) {
  folder_.Write("bad",
                "\xef\xbb\xbf"
                "caf\xe9");
  folder_.Write("binary", std::string("a\0b", 3));
  ASSERT_OK_AND_ASSIGN(const auto bad, Read("bad"));
  EXPECT_TRUE(bad.has_encoding_errors());
  EXPECT_TRUE(bad.has_bom());
  EXPECT_EQ(bad.text(), "caf\xef\xbf\xbd");
  ASSERT_OK_AND_ASSIGN(const auto binary, Read("binary"));
  EXPECT_TRUE(binary.is_binary());
  EXPECT_EQ(binary.text(), "(binary file, 3 bytes)");
  EXPECT_EQ(binary.hash(), HashOf(absl::string_view("a\0b", 3)));
}

TEST_F(FileServiceTest, BlocksAndLogsEveryTraversal) {
  std::filesystem::create_symlink("/etc", folder_.PathOf("link"));
  const auto reason = rpc::v1::ERROR_REASON_PATH_OUTSIDE_ROOT;
  EXPECT_THAT(Read("/etc/passwd"), HasReason(reason));
  EXPECT_THAT(Read("link/passwd"), HasReason(reason));
  auto list = Asking<lsp::v1::ListDirectoryRequest>(Grant());
  list.set_relative_path("..");
  EXPECT_THAT(Call(&lsp::v1::FileService::Stub::ListDirectory, list),
              HasReason(reason));
  auto find = Asking<lsp::v1::FindFilesRequest>(Grant());
  find.set_file_mask("*");
  find.set_relative_path("link");
  EXPECT_THAT(Call(&lsp::v1::FileService::Stub::FindFiles, find),
              HasReason(reason));
  auto search = Asking<lsp::v1::SearchTextRequest>(Grant());
  search.set_pattern("root");
  search.set_relative_path("link");
  EXPECT_THAT(Call(&lsp::v1::FileService::Stub::SearchText, search),
              HasReason(reason));
  ASSERT_THAT(blocked_, SizeIs(5));
  EXPECT_EQ(blocked_[0],
            "[Security] Path Traversal Blocked: /etc/passwd escapes " +
                folder_.path() + " (Session: a1b2)");
}

TEST_F(FileServiceTest, ListsFindsAndSearches) {
  folder_.Write("src/a.cc", "one\nneedle\nthree\n");
  folder_.Write("b.h", "needle\n");
  auto list = Asking<lsp::v1::ListDirectoryRequest>(Grant());
  ASSERT_OK_AND_ASSIGN(const auto listed,
                       Call(&lsp::v1::FileService::Stub::ListDirectory, list));
  EXPECT_THAT(listed.directories(), ElementsAre("src"));
  EXPECT_THAT(listed.files(), ElementsAre("b.h"));

  auto find = Asking<lsp::v1::FindFilesRequest>(Grant());
  find.set_file_mask("*.cc");
  ASSERT_OK_AND_ASSIGN(const auto found,
                       Call(&lsp::v1::FileService::Stub::FindFiles, find));
  EXPECT_THAT(found.files(), ElementsAre("src/a.cc"));

  auto search = Asking<lsp::v1::SearchTextRequest>(Grant());
  search.set_pattern("needle");
  search.set_context_lines_before(1);
  search.add_include_globs("*.cc");
  ASSERT_OK_AND_ASSIGN(const auto hits,
                       Call(&lsp::v1::FileService::Stub::SearchText, search));
  EXPECT_EQ(hits.match_count(), 1);
  ASSERT_EQ(hits.files_size(), 1);
  EXPECT_EQ(hits.files(0).relative_path(), "src/a.cc");
  ASSERT_EQ(hits.files(0).matches(0).lines_size(), 2);
  EXPECT_FALSE(hits.files(0).matches(0).lines(0).is_match());
  EXPECT_EQ(hits.files(0).matches(0).lines(1).number(), 2);
  EXPECT_EQ(hits.files(0).matches(0).lines(1).text(), "needle");
}

TEST_F(FileServiceTest, ActsOnNothingButAGoodGrant) {
  folder_.Write("a.txt", "x");
  lsp::v1::ReadFileRequest request;
  request.set_relative_path("a.txt");
  EXPECT_THAT(Call(&lsp::v1::FileService::Stub::ReadFile, request),
              HasReason(rpc::v1::ERROR_REASON_GRANT_INVALID));

  session::v1::Grant grant = Grant();
  grant.set_access(session::v1::ACCESS_UNSPECIFIED);
  request = Asking<lsp::v1::ReadFileRequest>(grant);
  EXPECT_THAT(Call(&lsp::v1::FileService::Stub::ReadFile, request),
              HasReason(rpc::v1::ERROR_REASON_GRANT_INVALID));

  grant = Grant();
  grant.set_root("/etc");
  request = Asking<lsp::v1::ReadFileRequest>(grant);
  request.set_relative_path("passwd");
  EXPECT_THAT(Call(&lsp::v1::FileService::Stub::ReadFile, request),
              HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED));

  ASSERT_THAT(Read("a.txt"), IsOk());
  verifier_.Revoke("handle");
  EXPECT_THAT(Read("a.txt"), HasReason(rpc::v1::ERROR_REASON_GRANT_INVALID));
}

}  // namespace
}  // namespace banyan::lspd
