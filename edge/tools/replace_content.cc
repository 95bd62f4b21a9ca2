// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/edit_tool.h"
#include "edge/tools/schema_parts.h"

namespace banyan::edge {

using nlohmann::json;

EditDefinition ReplaceContentEdit() {
  return {
      .spec = EditSpec(
          "replace_content", "Replace text in a file",
          "Replaces a text, or what a regular expression matches, in one file. "
          "Line ends need not match those of the file.",
          {{"relative_path", TextSchema("The file, relative to the root.")},
           {"needle", TextSchema("What is replaced.")},
           {"repl", AnyTextSchema("What comes instead. With mode regex, $1 and "
                                  "\\1 stand for groups; $$1 and \\\\1 for "
                                  "themselves.")},
           {"mode", WithDefault(ChoiceSchema(
                                    "literal: the needle as it is. regex: RE2, "
                                    "where . matches line ends too and ^ and $ "
                                    "match at each line.",
                                    {"literal", "regex"}),
                                "literal")},
           {"allow_multiple_occurrences",
            FlagSchema("True: replace every match. Else more than one is an "
                       "error that lists them.",
                       false)}},
          {"relative_path", "needle", "repl"}),
      .to_operation =
          [](const json& arguments) -> absl::StatusOr<lsp::v1::EditOperation> {
        lsp::v1::EditOperation operation;
        auto& replace = *operation.mutable_replace_content();
        replace.set_needle(arguments.at("needle").get<std::string>());
        replace.set_replacement(arguments.at("repl").get<std::string>());
        replace.set_is_regex(arguments.value("mode", "literal") == "regex");
        replace.set_may_match_often(
            arguments.value("allow_multiple_occurrences", false));
        return operation;
      }};
}

}  // namespace banyan::edge
