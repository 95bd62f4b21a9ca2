// SPDX-License-Identifier: Apache-2.0
#include "lspd/language_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(CountLanguagesTest, EndingsAndWholeNamesAddUpByLanguage) {
  ASSERT_OK_AND_ASSIGN(const ServerCatalog catalog, ServerCatalog::Parse(R"({
    "servers": [
      {"id": "clangd", "language": "cpp", "command": ["clangd"], "is_default": true,
       "documents": [{"id": "cpp", "extensions": [".cc", ".h"]}]},
      {"id": "bash-ls", "language": "bash", "command": ["bash-ls"], "is_default": true,
       "documents": [{"id": "shellscript", "extensions": [".sh"],
                      "file_names": [".bashrc"]}]}]})"));
  EXPECT_THAT(CountLanguages(catalog, {{".cc", 3},
                                       {".h", 2},
                                       {".sh", 1},
                                       {".unknown", 9},
                                       {"makefile", 1}}),
              ElementsAre(Pair("bash", 1), Pair("cpp", 5)));
}

}  // namespace
}  // namespace banyan::lspd
