// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/all_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "edge/tools/tool_registry.h"
#include "re2/re2.h"
#include "tests/support/fake_lsp_client.h"
#include "tests/support/fake_session_client.h"
#include "tests/support/status_matchers.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

class AllToolsTest : public testing::Test {
 protected:
  FakeSessionClient sessions_;
  FakeLspClient lsp_;
  std::vector<std::unique_ptr<Tool>> tools_ =
      AllTools({sessions_, lsp_}, "0.1.0");
};

// Every schema below `schema`, with where it stands.
void Visit(const json& schema, const std::string& where,
           const std::function<void(const json&, const std::string&)>& visit) {
  visit(schema, where);
  if (schema.contains("properties")) {
    for (const auto& [name, property] : schema["properties"].items()) {
      Visit(property, where + "." + name, visit);
    }
  }
  if (schema.contains("items")) Visit(schema["items"], where + "[]", visit);
}

TEST_F(AllToolsTest, TheOrderIsFixedAndTheFirstNeedsNoArguments) {
  std::vector<std::string> names;
  for (const auto& tool : tools_) names.push_back(tool->spec().name);
  EXPECT_THAT(
      names,
      testing::ElementsAre(
          "list_projects", "activate_project", "get_current_config",
          "release_workspace", "list_dir", "find_file", "read_file",
          "search_for_pattern", "get_symbols_overview", "find_symbol",
          "find_referencing_symbols", "find_declaration",
          "find_implementations", "get_symbol_info", "get_diagnostics",
          "list_code_actions", "workspace_activity", "preview_edit",
          "create_text_file", "replace_content", "replace_lines",
          "insert_at_line", "delete_lines", "replace_symbol_body",
          "insert_before_symbol", "insert_after_symbol", "rename_symbol",
          "safe_delete_symbol", "replace_in_files", "delete_file", "move_file",
          "format_file", "apply_code_action", "list_memories", "read_memory",
          "write_memory", "edit_memory", "rename_memory", "delete_memory"));
  EXPECT_FALSE(tools_[0]->spec().input_schema.contains("required"));
}

TEST_F(AllToolsTest, NamesAreShortAndTheSchemasAreReady) {
  for (const auto& tool : tools_) {
    const std::string& name = tool->spec().name;
    EXPECT_TRUE(RE2::FullMatch(name, "[a-z_]{1,64}")) << name;
    EXPECT_FALSE(tool->spec().title.empty()) << name;
    EXPECT_FALSE(tool->spec().description.empty()) << name;
    EXPECT_EQ(tool->spec().input_schema["type"], "object") << name;
    EXPECT_EQ(tool->spec().output_schema["type"], "object") << name;
    EXPECT_THAT(ArgumentSchema::Create(tool->spec().input_schema), IsOk());
    EXPECT_THAT(ArgumentSchema::Create(tool->spec().output_schema), IsOk());
  }
}

TEST_F(AllToolsTest, EveryPropertyHasATypeAndADescription) {
  for (const auto& tool : tools_) {
    for (const json* schema :
         {&tool->spec().input_schema, &tool->spec().output_schema}) {
      Visit(*schema, tool->spec().name,
            [&](const json& part, const std::string& where) {
              EXPECT_TRUE(part.contains("type")) << where;
              if (&part == schema) return;
              EXPECT_FALSE(part.value("description", "").empty()) << where;
            });
    }
  }
}

TEST_F(AllToolsTest, DefaultsFitTheirOwnSchema) {
  for (const auto& tool : tools_) {
    ASSERT_OK_AND_ASSIGN(const ArgumentSchema schema,
                         ArgumentSchema::Create(tool->spec().input_schema));
    json defaults = json::object();
    for (const auto& [name, property] :
         tool->spec().input_schema["properties"].items()) {
      if (property.contains("default")) defaults[name] = property["default"];
    }
    for (const json& name :
         tool->spec().input_schema.value("required", json::array())) {
      const json& property =
          tool->spec().input_schema["properties"][name.get<std::string>()];
      defaults[name.get<std::string>()] =
          property["type"] == "integer" ? json(1) : json("x");
    }
    EXPECT_THAT(schema.Check(defaults), IsOk()) << tool->spec().name;
  }
}

TEST_F(AllToolsTest, ATextThatIsRequiredIsNotEmpty) {
  for (const auto& tool : tools_) {
    ASSERT_OK_AND_ASSIGN(const ArgumentSchema schema,
                         ArgumentSchema::Create(tool->spec().input_schema));
    json arguments = json::object();
    for (const json& name :
         tool->spec().input_schema.value("required", json::array())) {
      arguments[name.get<std::string>()] = "";
    }
    if (arguments.empty()) continue;
    EXPECT_THAT(schema.Prepare(arguments),
                HasReason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID))
        << tool->spec().name;
  }
}

// A depth of 150 was answered with 100 levels, said to be complete.
TEST_F(AllToolsTest, NoDepthIsAskedForThatNoParserReads) {
  int tools_with_depth = 0;
  for (const auto& tool : tools_) {
    const json& properties = tool->spec().input_schema["properties"];
    if (!properties.contains("depth")) continue;
    ++tools_with_depth;
    EXPECT_LE(properties["depth"]["maximum"], 40) << tool->spec().name;
  }
  EXPECT_EQ(tools_with_depth, 2);
}

TEST_F(AllToolsTest, ToolsThatWorkInAWorkspaceMirrorItInAHeader) {
  const std::set<std::string> without = {"list_projects", "activate_project"};
  for (const auto& tool : tools_) {
    const json& properties = tool->spec().input_schema["properties"];
    const bool expected = without.count(tool->spec().name) == 0;
    EXPECT_EQ(properties.contains("workspace"), expected) << tool->spec().name;
    for (const auto& [name, property] : properties.items()) {
      EXPECT_EQ(property.value("x-mcp-header", ""),
                name == "workspace" ? "Workspace" : "")
          << tool->spec().name << "." << name;
    }
  }
}

// Field report 16.
TEST_F(AllToolsTest, LongAnswersCanBeBoundedAndContinued) {
  for (const auto& tool : tools_) {
    if (tool->spec().group == ToolGroup::kWorkspace) continue;
    const json& properties = tool->spec().input_schema["properties"];
    EXPECT_EQ(properties["max_answer_chars"]["default"], 60000)
        << tool->spec().name;
    // An edit is not made again to show the rest of its answer.
    EXPECT_EQ(properties.contains("cursor"),
              tool->spec().group != ToolGroup::kEditing)
        << tool->spec().name;
  }
}

TEST_F(AllToolsTest, WhatChangesFilesSaysSo) {
  for (const auto& tool : tools_) {
    const ToolSpec& spec = tool->spec();
    if (spec.group != ToolGroup::kEditing) {
      EXPECT_FALSE(spec.is_destructive) << spec.name;
      continue;
    }
    EXPECT_EQ(spec.is_read_only, spec.name == "preview_edit") << spec.name;
    EXPECT_EQ(spec.is_destructive, !spec.is_read_only) << spec.name;
  }
}

TEST_F(AllToolsTest, TwoToolsOfOneNameAreRefused) {
  std::vector<std::unique_ptr<Tool>> twice;
  twice.push_back(NewFindFileTool({sessions_, lsp_}));
  twice.push_back(NewFindFileTool({sessions_, lsp_}));
  EXPECT_THAT(ToolRegistry::Create(std::move(twice)),
              HasCode(absl::StatusCode::kInternal));
}

}  // namespace
}  // namespace banyan::edge
