// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/schema_parts.h"

#include <limits>
#include <utility>

#include "edge/tools/result_format.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr int32_t kDeepest = 32;

json Described(absl::string_view type, absl::string_view description) {
  return {{"type", std::string(type)},
          {"description", std::string(description)}};
}

json Symbol(const json& children) {
  return ObjectSchema(
      "A symbol. Lines and columns are 1-based; columns count Unicode code "
      "points; end_line is inclusive, end_column exclusive.",
      {{"name_path",
        TextSchema("Its name with those of the symbols around it in the same "
                   "file: Class/method. name[1] is the second of same-named "
                   "siblings.")},
       {"kind", TextSchema("LSP kind: class, function, enum_member, … Absent "
                           "where the server names none, outside the "
                           "workspace.")},
       {"relative_path", TextSchema("File, relative to the root.")},
       {"start_line", NumberSchema("First line of the definition.", 0)},
       {"column", NumberSchema("Column where it starts.", 0)},
       {"end_line", NumberSchema("Last line of the definition.", 0)},
       {"end_column", NumberSchema("Column behind its end.", 0)},
       {"detail", TextSchema("What the server says beside the name.")},
       {"body", TextSchema("Source text of the definition, on demand.")},
       {"info", TextSchema("Hover text, on demand.")},
       {"hash", TextSchema("Hash of the file, where a body is given.")},
       {"external",
        FlagSchema("True: outside the workspace, known by name only; no body, "
                   "and no tool reads the file.")},
       {"external_file",
        TextSchema("End of the path of an external symbol's file.")},
       {"children", children}},
      {"name_path"});
}

}  // namespace

json TextSchema(absl::string_view description) {
  return Described("string", description);
}

json AnyTextSchema(absl::string_view description) {
  json schema = TextSchema(description);
  schema["minLength"] = 0;
  return schema;
}

json TextSchema(absl::string_view description,
                absl::string_view default_value) {
  json schema = TextSchema(description);
  schema["default"] = std::string(default_value);
  return schema;
}

json FlagSchema(absl::string_view description,
                std::optional<bool> default_value) {
  json schema = Described("boolean", description);
  if (default_value.has_value()) schema["default"] = *default_value;
  return schema;
}

json NumberSchema(absl::string_view description, int32_t minimum,
                  std::optional<int32_t> default_value) {
  json schema = Described("integer", description);
  schema["minimum"] = minimum;
  schema["maximum"] = std::numeric_limits<int32_t>::max();
  if (default_value.has_value()) schema["default"] = *default_value;
  return schema;
}

json DepthSchema(absl::string_view description) {
  json schema = NumberSchema(description, 0, 0);
  schema["maximum"] = kDeepest;
  return schema;
}

json ChoiceSchema(absl::string_view description,
                  const std::vector<std::string>& choices) {
  json schema = Described("string", description);
  schema["enum"] = choices;
  return schema;
}

json WithDefault(json schema, const json& default_value) {
  schema["default"] = default_value;
  return schema;
}

json ListSchema(absl::string_view description, const json& items) {
  json schema = Described("array", description);
  schema["items"] = items;
  return schema;
}

json ObjectSchema(absl::string_view description, const json& properties,
                  const std::vector<std::string>& required) {
  json schema = Described("object", description);
  schema["properties"] = properties;
  if (!required.empty()) schema["required"] = required;
  return schema;
}

json InputSchema(const json& properties,
                 const std::vector<std::string>& required) {
  json schema = {{"type", "object"}, {"properties", properties}};
  if (properties.empty()) schema["properties"] = json::object();
  if (!required.empty()) schema["required"] = required;
  // What must be there must say something: an empty mask or name finds nothing,
  // which would read as if there were nothing.
  for (const std::string& name : required) {
    json& property = schema["properties"][name];
    if (property["type"] == "string" && !property.contains("minLength")) {
      property["minLength"] = 1;
    }
  }
  return schema;
}

json WorkspaceInputSchema(json properties,
                          const std::vector<std::string>& required) {
  json workspace = TextSchema(
      "Where to look: a handle from activate_project, or a project's name for "
      "reading without a handle. Default: the workspace of this session.");
  workspace["x-mcp-header"] = "Workspace";
  properties["workspace"] = std::move(workspace);
  return InputSchema(properties, required);
}

json PagedInputSchema(json properties,
                      const std::vector<std::string>& required) {
  properties["max_answer_chars"] = NumberSchema(
      "Longest answer, in characters. A longer one is shortened, then cut "
      "with next_cursor. -1: as much as the server allows. Less than 1000 "
      "counts as 1000.",
      -1, kDefaultAnswerChars);
  properties["cursor"] = TextSchema(
      "next_cursor of the answer before, with the same arguments: goes on "
      "where that one was cut.");
  return WorkspaceInputSchema(std::move(properties), required);
}

json OutputSchema(json properties, const std::vector<std::string>& required) {
  properties["error"] = ObjectSchema(
      "Only when the call failed: what went wrong.",
      {{"reason", TextSchema("A stable name, such as FILE_NOT_FOUND.")},
       {"message", TextSchema("The same for a reader, with the next step.")},
       {"retry_after_ms", NumberSchema("When a retry can make sense.", 0)},
       {"transaction", TextSchema("Id of an edit whose outcome is unknown.")},
       {"alternatives",
        ListSchema("Candidates, projects or servers to choose from.",
                   TextSchema("One of them."))}},
      {"reason", "message"});
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"anyOf", {{{"required", required}}, {{"required", {"error"}}}}}};
}

json WorkspaceOutputSchema(json properties, std::vector<std::string> required) {
  properties["workspace"] = TextSchema(
      "The workspace that was asked: its handle, or the project's "
      "name where there is none.");
  properties["complete"] = FlagSchema(
      "True: nothing is missing, and empty means that there is "
      "none. False: `incomplete` says why.");
  properties["incomplete"] = ListSchema(
      "Why something may be missing.",
      ObjectSchema(
          "One reason.",
          {{"reason",
            TextSchema("indexing, server_restarted, server_missing, deadline, "
                       "result_cap, no_compile_database, not_in_project, "
                       "dependencies_missing, changed_while_reading, "
                       "files_not_searched, outside_root, "
                       "name_may_be_generated, unknown_readiness")},
           {"language", TextSchema("Which language it is about.")},
           {"count", NumberSchema("How much was left out, if countable.", 0)}},
          {"reason"}));
  properties["left_out"] =
      ListSchema("What was shortened to fit max_answer_chars.",
                 TextSchema("One kind of detail."));
  properties["next_cursor"] = TextSchema(
      "There is more: call again with the same arguments and this as cursor.");
  for (const char* name : {"workspace", "complete", "incomplete"}) {
    required.push_back(name);
  }
  return OutputSchema(std::move(properties), required);
}

json SymbolSchema() {
  const json grandchildren = ListSchema(
      "Symbols inside it, in the same form.",
      {{"type", "object"}, {"description", "A symbol of the same form."}});
  return Symbol(
      ListSchema("Symbols inside it, down to `depth`.", Symbol(grandchildren)));
}

void AddPositionArguments(json& properties) {
  properties["regex"] = TextSchema(
      "Names the place: a regular expression with exactly one group, which "
      "matches once in the file; the group is what is asked about.");
  properties["containing_symbol_name_path"] =
      TextSchema("Name path of the symbol within which the regex matches.");
  properties["line"] =
      NumberSchema("Instead of regex: 1-based line, with column.", 1);
  properties["column"] = NumberSchema(
      "Instead of regex: 1-based column in Unicode code points.", 1);
}

json KindsSchema(absl::string_view description) {
  json items = TextSchema("A kind, such as class, or its LSP number.");
  items["type"] = {"string", "integer"};
  return ListSchema(description, items);
}

json LanguageSchema() {
  return ObjectSchema(
      "A language and its server.",
      {{"language", TextSchema("Its name: cpp, python, …")},
       {"server", TextSchema("The language server: clangd, pyright, …")},
       {"state", TextSchema("not started, starting, indexing, ready, missing "
                            "or failed")},
       {"message", TextSchema("What to do when it is missing or failed.")},
       {"files", NumberSchema("Files of this language seen so far.", 0)}},
      {"language", "state"});
}

json LimitsSchema() {
  return ObjectSchema(
      "How long the handle lives.",
      {{"idle_expires_at",
        TextSchema("When it ends unless it is used before (RFC 3339).")},
       {"expires_at", TextSchema("When it ends at the latest (RFC 3339).")}});
}

}  // namespace banyan::edge
