// SPDX-License-Identifier: Apache-2.0
#include "sessiond/projects/project_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/rpc/error_reason.h"
#include "tests/support/status_matchers.h"

namespace banyan::sessiond {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

ProjectRegistry Make(const ProjectRegistry::Options& options) {
  auto registry = ProjectRegistry::Create(options);
  EXPECT_THAT(registry, IsOk());
  return *std::move(registry);
}

std::string MessageOf(const absl::StatusOr<Project>& project) {
  return std::string(project.status().message());
}

TEST(ProjectRegistryTest, ProjectsAreFoundByNameAndByRoot) {
  const auto registry =
      Make({.projects = {"backend=/srv/back/", "/srv/front"}});
  EXPECT_EQ(registry.Find("backend", {})->root, "/srv/back");
  EXPECT_EQ(registry.Find("front", {})->root, "/srv/front");
  EXPECT_EQ(registry.Find("/srv/back", {})->name, "backend");
  EXPECT_EQ(registry.Find("/srv//x/../back/", {})->name, "backend");
  EXPECT_TRUE(registry.Find("/srv/back", {})->is_registered);
}

TEST(ProjectRegistryTest, AnUnknownNameListsThoseThereAre) {
  const auto registry = Make({.projects = {"one=/srv/1", "two=/srv/2"}});
  const auto found = registry.Find("three", {});
  EXPECT_THAT(found, HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN));
  EXPECT_THAT(MessageOf(found), HasSubstr("one, two"));
  EXPECT_THAT(rpc::DetailOf(found.status()).alternatives(),
              ElementsAre("one", "two"));
}

TEST(ProjectRegistryTest, ANameOfTwoRootsIsAnErrorThatListsBoth) {
  const auto registry = Make({.projects = {"api=/a/api", "api=/b/api"}});
  const auto found = registry.Find("api", {});
  EXPECT_THAT(found, HasReason(rpc::v1::ERROR_REASON_PROJECT_AMBIGUOUS));
  EXPECT_THAT(MessageOf(found),
              AllOf(HasSubstr("/a/api"), HasSubstr("/b/api")));
  EXPECT_EQ(registry.Find("/b/api", {})->root, "/b/api");
  // What a caller may not use cannot confuse it.
  EXPECT_EQ(registry.Find("api", {"/a"})->root, "/a/api");
}

TEST(ProjectRegistryTest, FoldersBelowAWorkspacesRootAreNamedAfterThemselves) {
  const auto registry = Make({.workspaces_roots = {"/home/dev"}});
  const Project project = *registry.Find("/home/dev/x/tool/", {});
  EXPECT_EQ(project.name, "tool");
  EXPECT_EQ(project.root, "/home/dev/x/tool");
  EXPECT_FALSE(project.is_registered);
}

TEST(ProjectRegistryTest, FoldersElsewhereAreRefused) {
  const auto registry =
      Make({.projects = {"app=/srv/app"}, .workspaces_roots = {"/home/dev"}});
  for (const std::string& path :
       {std::string("/etc"), std::string("/"), std::string("/home"),
        std::string("/home/dev/../ada"), std::string("/home/developer"),
        std::string("/home/dev-evil/x"), std::string("/srv/app-evil"),
        std::string("/home/dev/repo/.git"),
        std::string("/home/dev/repo/.GIT/modules/x")}) {
    EXPECT_THAT(registry.Find(path, {}),
                HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED))
        << path;
  }
  EXPECT_THAT(registry.Find("/home/dev/a\xff", {}),
              HasReason(rpc::v1::ERROR_REASON_PATH_MALFORMED));
}

TEST(ProjectRegistryTest, WithoutAWorkspacesRootTheProjectsAreTheFence) {
  const auto registry = Make({.projects = {"app=/srv/app"}});
  EXPECT_EQ(registry.Find("/srv/app/sub", {})->name, "sub");
  EXPECT_THAT(registry.Find("/srv/other", {}),
              HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED));
}

TEST(ProjectRegistryTest, ARelativePathIsTakenAsANameAndNeverAsAPath) {
  const auto registry = Make({.workspaces_roots = {"/home/dev"}});
  for (const char* path : {"home/dev/x", "./x", "../x", "~/x", ""}) {
    EXPECT_THAT(registry.Find(path, {}),
                HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN))
        << path;
  }
}

TEST(ProjectRegistryTest, RootsThatACallerMayNotUseDoNotExistForIt) {
  const auto registry = Make(
      {.projects = {"a=/srv/a", "b=/srv/b"}, .workspaces_roots = {"/srv"}});
  const std::vector<std::string> only_a = {"/srv/a/"};
  EXPECT_THAT(registry.Find("a", only_a), IsOk());
  const auto found = registry.Find("b", only_a);
  EXPECT_THAT(found, HasReason(rpc::v1::ERROR_REASON_PROJECT_UNKNOWN));
  EXPECT_THAT(rpc::DetailOf(found.status()).alternatives(), ElementsAre("a"));
  EXPECT_THAT(registry.Find("/srv/b", only_a),
              HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED));
  EXPECT_THAT(registry.Find("/srv/a-evil", only_a),
              HasReason(rpc::v1::ERROR_REASON_ROOT_NOT_ALLOWED));
  EXPECT_THAT(registry.List(only_a), SizeIs(1));
  // A limit that is no path allows nothing, rather than all.
  EXPECT_THAT(registry.List({"srv"}), SizeIs(0));
  EXPECT_THAT(registry.List({""}), SizeIs(0));
}

TEST(ProjectRegistryTest, OneProjectIsTheOnlyOne) {
  EXPECT_EQ(Make({.projects = {"a=/srv/a"}}).OnlyProject({})->root, "/srv/a");
  EXPECT_FALSE(Make({.projects = {"a=/srv/a"}}).OnlyProject({"/x"}));
  // Two, of which the caller sees one: the server was not started with one.
  EXPECT_FALSE(
      Make({.projects = {"a=/srv/a", "b=/srv/b"}}).OnlyProject({"/srv/a"}));
  EXPECT_FALSE(Make({.workspaces_roots = {"/srv"}}).OnlyProject({}));
}

TEST(ProjectRegistryTest, TheProjectsFileSaysMoreThanAFlagCan) {
  const auto registry = Make({.projects = {"a=/srv/a"}, .projects_json = R"json(
    {"projects": [
      {"name": "a", "root": "/srv/a", "trust_domain": "secret"},
      {"root": "/srv/b", "writers": "WRITERS_EXCLUSIVE"}]})json"});
  EXPECT_THAT(registry.List({}), SizeIs(2));
  EXPECT_EQ(registry.Find("a", {})->trust_domain, "secret");
  EXPECT_TRUE(registry.Find("b", {})->has_exclusive_writer);
}

// Opened by its path, a folder of a project shared processes and caches with
// everybody's.
TEST(ProjectRegistryTest, AFolderOfAProjectIsInItsTrustDomain) {
  const auto registry = Make({.projects_json = R"json(
    {"projects": [
      {"root": "/srv/a", "trust_domain": "secret",
       "writers": "WRITERS_EXCLUSIVE"},
      {"root": "/srv/a/open", "trust_domain": "guests"},
      {"root": "/srv/plain"}]})json",
                              .workspaces_roots = {"/srv"}});
  EXPECT_EQ(registry.Find("/srv/a/lib/x", {})->trust_domain, "secret");
  EXPECT_TRUE(registry.Find("/srv/a/lib/x", {})->has_exclusive_writer);
  EXPECT_EQ(registry.Find("/srv/a/open/y", {})->trust_domain, "guests");
  EXPECT_FALSE(registry.Find("/srv/a/open/y", {})->has_exclusive_writer);
  EXPECT_EQ(registry.Find("/srv/abc", {})->trust_domain, "");
  EXPECT_EQ(registry.Find("/srv/plain/z", {})->trust_domain, "");
}

// Where only a file named projects, no folder at all could be opened.
TEST(ProjectRegistryTest, WhatMayBeOpenedIncludesTheFilesProjects) {
  const std::string json = R"json({"projects": [{"root": "/srv/b"}]})json";
  EXPECT_THAT(Make({.projects_json = json}).OpenableRoots(),
              ElementsAre("/srv/b"));
  EXPECT_THAT(Make({.projects = {"a=/srv/a"},
                    .projects_json = json,
                    .workspaces_roots = {"/home"}})
                  .OpenableRoots(),
              ElementsAre("/home", "/srv/a", "/srv/b"));
}

TEST(ProjectRegistryTest, MistakesOfTheOperatorAreNamed) {
  const auto message_of = [](const ProjectRegistry::Options& options) {
    const auto registry = ProjectRegistry::Create(options);
    EXPECT_THAT(registry, HasCode(absl::StatusCode::kInvalidArgument));
    return std::string(registry.status().message());
  };
  EXPECT_THAT(message_of({.projects = {"a=relative"}}), HasSubstr("relative"));
  EXPECT_THAT(message_of({.projects = {"a="}}), HasSubstr("--projects"));
  EXPECT_THAT(message_of({.workspaces_roots = {"src"}}),
              HasSubstr("--workspaces_root: src"));
  // A mistake in the file is not one of the flag.
  EXPECT_THAT(message_of({.projects_json = R"({"projects": [{"root": "b"}]})"}),
              HasSubstr("--projects_file: b"));
  EXPECT_THAT(message_of({.projects = {"x/y=/srv/a"}}), HasSubstr("x/y"));
  EXPECT_THAT(message_of({.projects_json = "{"}), HasSubstr("--projects_file"));
  EXPECT_THAT(message_of({.projects_json = R"({"projcts": []})"}),
              HasSubstr("projcts"));
}

TEST(ProjectRegistryTest, ALinkedFolderIsKnownUnderBothSpellings) {
  const auto registry = Make({.projects = {"app=/home/ada/app"},
                              .workspaces_roots = {"/home/ada"},
                              .canonicalize = [](const std::string& path) {
                                return path.find("/home/ada") == 0
                                           ? "/data/ada" + path.substr(9)
                                           : path;
                              }});
  EXPECT_EQ(registry.Find("app", {})->root, "/data/ada/app");
  EXPECT_EQ(registry.Find("/home/ada/app", {})->root, "/data/ada/app");
  EXPECT_EQ(registry.Find("/data/ada/app", {})->name, "app");
  EXPECT_THAT(registry.Find("/home/ada/other", {}), IsOk());
  EXPECT_THAT(registry.Find("/data/ada/other", {}), IsOk());
}

}  // namespace
}  // namespace banyan::sessiond
