// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition ReplaceInFilesEdit() {
  return {
      .spec = EditSpec(
          "replace_in_files", "Replace text in many files",
          "Replaces a text, or what a regular expression matches, in all files "
          "that git does not ignore: all or nothing. With dry_run each place "
          "has an id, and `occurrence_ids` then chooses.",
          {{"needle", TextSchema("What is replaced.")},
           {"repl", AnyTextSchema("What comes instead; see replace_content.")},
           {"mode",
            WithDefault(ChoiceSchema("literal or regex; see replace_content.",
                                     {"literal", "regex"}),
                        "literal")},
           {"relative_path",
            TextSchema("File or folder. Default: everywhere.", "")},
           {"paths_include_glob", TextSchema("Only files that fit.", "")},
           {"paths_exclude_glob", TextSchema("No files that fit.", "")},
           {"dry_run", FlagSchema("True: only show the places.", false)},
           {"occurrence_ids",
            ListSchema("Only these places, of an answer with dry_run.",
                       TextSchema("An id."))},
           {"expected_count",
            NumberSchema("How many places there must be; 0: any number.", 0,
                         0)}},
          {"needle", "repl"}, /*names_one_file=*/false),
      .to_operation =
          [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
        lsp::v1::EditOperation operation;
        auto& replace = *operation.mutable_replace_in_files();
        replace.set_needle(arguments.at("needle").get<std::string>());
        replace.set_replacement(arguments.at("repl").get<std::string>());
        replace.set_is_regex(arguments.value("mode", "literal") == "regex");
        const std::string include = arguments.value("paths_include_glob", "");
        if (!include.empty()) replace.add_include_globs(include);
        const std::string exclude = arguments.value("paths_exclude_glob", "");
        if (!exclude.empty()) replace.add_exclude_globs(exclude);
        for (const json& id :
             arguments.value("occurrence_ids", json::array())) {
          replace.add_occurrence_ids(id.get<std::string>());
        }
        replace.set_expected_count(arguments.value("expected_count", 0));
        return operation;
      }};
}

}  // namespace banyan::edge
