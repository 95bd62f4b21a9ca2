// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/import_lines.h"

#include <gmock/gmock.h>

namespace banyan::lspd {
namespace {

bool IsImport(absl::string_view text, int line, absl::string_view language) {
  return IsImportLine(LineIndex(text), line, language);
}

TEST(ImportLinesTest, KnowsTheFormsOfEachLanguage) {
  EXPECT_TRUE(IsImport("import os\n", 1, "python"));
  EXPECT_TRUE(IsImport("    from a.b import run\n", 1, "python"));
  EXPECT_TRUE(IsImport("import { run } from './a';\n", 1, "typescript"));
  EXPECT_TRUE(IsImport("import run from './a';\n", 1, "typescript"));
  EXPECT_TRUE(IsImport("export { run } from './a';\n", 1, "typescript"));
  EXPECT_TRUE(IsImport("const { run } = require('./a');\n", 1, "typescript"));
  EXPECT_TRUE(IsImport("pub(crate) use a::run;\n", 1, "rust"));
  EXPECT_TRUE(IsImport("using geo::Box;\n", 1, "cpp"));
}

TEST(ImportLinesTest, UsesAreNoImports) {
  EXPECT_FALSE(IsImport("important = run()\n", 1, "python"));
  EXPECT_FALSE(IsImport("x = import_module('a')\n", 1, "python"));
  EXPECT_FALSE(
      IsImport("const page = await import('./a');\n", 1, "typescript"));
  EXPECT_FALSE(IsImport("user.run();\n", 1, "rust"));
  EXPECT_FALSE(IsImport("using Alias = Box<run>;\n", 1, "cpp"));
  EXPECT_FALSE(IsImport("import run\n", 1, "bash"));
}

TEST(ImportLinesTest, AStatementOverSeveralLinesEndsAtItsBracket) {
  const absl::string_view python =
      "from a import (\n  run,\n  walk,\n)\nrun()\n";
  EXPECT_TRUE(IsImport(python, 2, "python"));
  EXPECT_TRUE(IsImport(python, 3, "python"));
  EXPECT_FALSE(IsImport(python, 5, "python"));
  const absl::string_view script = "import {\n  run,\n} from './a';\nrun();\n";
  EXPECT_TRUE(IsImport(script, 2, "typescript"));
  EXPECT_FALSE(IsImport(script, 4, "typescript"));
  EXPECT_TRUE(IsImport("use a::{\n    run,\n};\n", 2, "rust"));
}

TEST(ImportLinesTest, ALineOutsideTheTextIsNoImport) {
  EXPECT_FALSE(IsImport("import os\n", 0, "python"));
  EXPECT_FALSE(IsImport("import os\n", 99, "python"));
  EXPECT_FALSE(IsImport("", 1, "python"));
}

}  // namespace
}  // namespace banyan::lspd
