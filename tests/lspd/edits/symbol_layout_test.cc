// SPDX-License-Identifier: Apache-2.0
//
// Where edits of symbols land: a table, each case with the whole file before
// and after. `«` and `»` enclose the range that the server gives.
#include "lspd/edits/symbol_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "tests/support/status_matchers.h"

namespace banyan::lspd {
namespace {

enum class Edit { kReplace, kBefore, kAfter, kRemove };

struct Case {
  const char* name;
  const char* language;
  const char* kind;
  Edit edit;
  std::string before;
  std::string body;
  std::string after;  // Empty: refused.
};

const std::vector<Case>& Cases() {
  static const auto* const kCases = new std::vector<Case>{
      {"python function", "python", "function", Edit::kReplace,
       "import a\n\n\n«def f():\n    return 1»\n\n\nx = 2\n",
       "def f():\n    return 2\n",
       "import a\n\n\ndef f():\n    return 2\n\n\nx = 2\n"},
      {"python decorators belong to the range", "python", "function",
       Edit::kReplace, "«@a\n@b\ndef f():\n    return 1»\n",
       "@a\ndef f():\n    return 2", "@a\ndef f():\n    return 2\n"},
      {"python method from column 1 on", "python", "method", Edit::kReplace,
       "class A:\n    «def f(self):\n        return 1»\n",
       "def f(self):\n    return 2\n",
       "class A:\n    def f(self):\n        return 2\n"},
      {"python method as it was shown", "python", "method", Edit::kReplace,
       "class A:\n    «def f(self):\n        return 1»\n",
       "def f(self):\n        return 2",
       "class A:\n    def f(self):\n        return 2\n"},
      {"python method as it stands", "python", "method", Edit::kReplace,
       "class A:\n    «def f(self):\n        return 1»\n",
       "    def f(self):\n        return 2\n",
       "class A:\n    def f(self):\n        return 2\n"},
      {"a doc comment stays", "go", "function", Edit::kReplace,
       "// F does.\n«func F() {}»\n", "func F() { x() }",
       "// F does.\nfunc F() { x() }\n"},
      {"a doc comment within the range stays too", "php", "function",
       Edit::kReplace,
       "<?php\n«/** Adds.\n * Two. */\nfunction a() { x(); }»\n",
       "function a() { y(); }",
       "<?php\n/** Adds.\n * Two. */\nfunction a() { y(); }\n"},
      {"within the range and brought by the body", "rust", "method",
       Edit::kReplace,
       "impl A {\n    «/// Puts.\n    /// One.\n    #[inline]\n    fn f() "
       "{}»\n}\n",
       "/// Takes.\nfn f() {}", "impl A {\n    /// Takes.\n    fn f() {}\n}\n"},
      {"within the range of what has an attribute", "rust", "method",
       Edit::kReplace,
       "impl A {\n    «/// Puts.\n    #[inline]\n    fn f() {}»\n}\n",
       "#[cold]\nfn f() {}",
       "impl A {\n    /// Puts.\n    #[cold]\n    fn f() {}\n}\n"},
      {"a doc comment of the body replaces the old one", "go", "function",
       Edit::kReplace, "// F does.\n// Much.\n«func F() {}»\n",
       "// F does it.\nfunc F() {}", "// F does it.\nfunc F() {}\n"},
      {"a block comment too", "cpp", "function", Edit::kReplace,
       "/**\n * Old.\n */\n«int f() { return 1; }»\n",
       "/** New. */\nint f() { return 2; }",
       "/** New. */\nint f() { return 2; }\n"},
      {"a comment behind code is not its", "cpp", "function", Edit::kReplace,
       "int x;  /* of x\n */\n«int f() {}»\n", "/* f */\nint f() {}",
       "int x;  /* of x\n */\n/* f */\nint f() {}\n"},
      {"a template head outside the range stays", "cpp", "function",
       Edit::kReplace, "template <typename T>\n«T f() { return 1; }»\n",
       "T f() { return 2; }", "template <typename T>\nT f() { return 2; }\n"},
      {"a template head of the body replaces it", "cpp", "function",
       Edit::kReplace, "template <typename T>\n«T f() { return 1; }»\n",
       "template <class U>\nU f() { return 2; }",
       "template <class U>\nU f() { return 2; }\n"},
      {"an export outside the range", "typescript", "function", Edit::kReplace,
       "export «function f() {}»\n", "export function f() { g(); }",
       "export function f() { g(); }\n"},
      {"an export that the body leaves out stays", "typescript", "function",
       Edit::kReplace, "export «function f() {}»\n", "function f() { g(); }",
       "export function f() { g(); }\n"},
      {"no gap of another scope", "python", "method", Edit::kBefore,
       "class A:\n    def f(self):\n        pass\n\n    «def g(self):\n        "
       "pass»\n\n\ndef h():\n    pass\n",
       "def e(self):\n    pass\n",
       "class A:\n    def f(self):\n        pass\n\n    def e(self):\n        "
       "pass\n\n    def g(self):\n        pass\n\n\ndef h():\n    pass\n"},
      {"the last method leaves the class's gap", "python", "method",
       Edit::kRemove,
       "class A:\n    x = 1\n\n    «def g(self):\n        pass»\n\n\ndef "
       "h():\n    pass\n",
       "", "class A:\n    x = 1\n\n\ndef h():\n    pass\n"},
      {"what closes keeps its gap", "cpp", "function", Edit::kRemove,
       "namespace a {\n\nint x;\n\n«int f() {}»\n\n}  // namespace a\n", "",
       "namespace a {\n\nint x;\n\n}  // namespace a\n"},
      {"a semicolon is not doubled", "cpp", "class", Edit::kReplace,
       "«class A {}»;\nint x;\n", "class A { int y; };",
       "class A { int y; };\nint x;\n"},
      {"line ends of the file", "cpp", "function", Edit::kReplace,
       "int x;\r\n«int f() {\r\n}»\r\n", "int f() {\n  return 1;\n}\n",
       "int x;\r\nint f() {\r\n  return 1;\r\n}\r\n"},
      {"tabs", "go", "method", Edit::kReplace,
       "type A interface {\n\t«F()»\n}\n", "F(int)",
       "type A interface {\n\tF(int)\n}\n"},
      {"a variable that its server knows by name alone", "python", "variable",
       Edit::kReplace, "«x» = [\n    1,\n]\ny = 2\n", "x = [2]",
       "x = [2]\ny = 2\n"},
      {"no line end at the end", "bash", "function", Edit::kReplace,
       "«f() {\n  :\n}»", "f() {\n  true\n}\n", "f() {\n  true\n}"},
      {"rust attributes in the range", "rust", "function", Edit::kReplace,
       "«/// Doc.\n#[test]\nfn f() {}»\n", "/// Doc.\n#[test]\nfn f() { g() }",
       "/// Doc.\n#[test]\nfn f() { g() }\n"},

      {"after a function", "go", "function", Edit::kAfter,
       "«func A() {}»\n\nfunc C() {}\n", "func B() {}",
       "func A() {}\n\nfunc B() {}\n\nfunc C() {}\n"},
      {"after the last one", "go", "function", Edit::kAfter, "«func A() {}»\n",
       "func B() {}\n", "func A() {}\n\nfunc B() {}\n"},
      {"after the last one without a line end", "go", "function", Edit::kAfter,
       "«func A() {}»", "func B() {}\n", "func A() {}\n\nfunc B() {}"},
      {"python keeps two lines", "python", "function", Edit::kAfter,
       "«def a():\n    pass»\n\n\ndef c():\n    pass\n", "def b():\n    pass\n",
       "def a():\n    pass\n\n\ndef b():\n    pass\n\n\ndef c():\n    pass\n"},
      {"a method at the end of its class", "typescript", "method", Edit::kAfter,
       "class A {\n  «f() {}»\n}\n", "g() {}",
       "class A {\n  f() {}\n\n  g() {}\n}\n"},
      {"a field gets no gap", "cpp", "field", Edit::kAfter,
       "struct A {\n  «int x»;\n  int z;\n};\n", "int y;",
       "struct A {\n  int x;\n  int y;\n  int z;\n};\n"},
      {"an enum member", "rust", "enum_member", Edit::kAfter,
       "enum E {\n    «A»,\n    C,\n}\n", "B,",
       "enum E {\n    A,\n    B,\n    C,\n}\n"},
      {"behind the whole statement of a name", "python", "variable",
       Edit::kAfter, "«x» = f(\n    1,  # )\n    \")\",\n)\ny = 2\n", "z = 3",
       "x = f(\n    1,  # )\n    \")\",\n)\nz = 3\ny = 2\n"},
      {"behind a continued line", "python", "variable", Edit::kAfter,
       "«x» = 1 + \\\n    2\ny = 3\n", "z = 4",
       "x = 1 + \\\n    2\nz = 4\ny = 3\n"},
      {"behind the semicolon", "cpp", "class", Edit::kAfter,
       "«class A {}»;\nclass C {};\n", "class B {};",
       "class A {};\n\nclass B {};\n\nclass C {};\n"},
      {"never within a list of declarators", "cpp", "variable", Edit::kAfter,
       "int «a»,\n    b;\n", "int c;", ""},
      {"never on a line that something else ends", "cpp", "field", Edit::kAfter,
       "struct A { «int x»; };\n", "int y;", ""},
      {"carriage returns alone", "php", "function", Edit::kAfter,
       "<?php\r«function a() {}»\r", "function b() {}",
       "<?php\rfunction a() {}\r\rfunction b() {}\r"},

      {"before a function with its comment", "rust", "function", Edit::kBefore,
       "use a;\n\n// C is third.\n«fn c() {}»\n", "fn b() {}",
       "use a;\n\nfn b() {}\n\n// C is third.\nfn c() {}\n"},
      {"before the first one", "bash", "function", Edit::kBefore,
       "«f() {\n  :\n}»\n", "g() {\n  :\n}\n",
       "g() {\n  :\n}\n\nf() {\n  :\n}\n"},
      {"above a template head", "cpp", "function", Edit::kBefore,
       "template <class T>\n«T f();»\n", "int g();",
       "int g();\n\ntemplate <class T>\nT f();\n"},
      {"before a method, moved to its place", "python", "method", Edit::kBefore,
       "class A:\n    «def f(self):\n        pass»\n",
       "def e(self):\n    pass\n",
       "class A:\n    def e(self):\n        pass\n\n    def f(self):\n"
       "        pass\n"},
      {"an import before an import", "python", "variable", Edit::kBefore,
       "«x» = 1\n", "w = 0", "w = 0\nx = 1\n"},
      {"never before the second declarator", "cpp", "variable", Edit::kBefore,
       "int a,\n    «b»;\n", "int c;", ""},
      {"never behind other code", "cpp", "function", Edit::kBefore,
       "int x; «int f() { return x; }»\n", "int g();", ""},
      {"line ends of the place", "go", "function", Edit::kBefore,
       "package a\r\n\r\n«func A() {}»\r\n", "func B() {}\n",
       "package a\r\n\r\nfunc B() {}\r\n\r\nfunc A() {}\r\n"},

      {"removed with comment and gap", "go", "function", Edit::kRemove,
       "func A() {}\n\n// B is.\n«func B() {}»\n\nfunc C() {}\n", "",
       "func A() {}\n\nfunc C() {}\n"},
      {"removed at the end", "go", "function", Edit::kRemove,
       "func A() {}\n\n«func B() {}»\n", "", "func A() {}\n"},
      {"removed as the last member", "typescript", "method", Edit::kRemove,
       "class A {\n  f() {}\n\n  «g() {}»\n}\n", "",
       "class A {\n  f() {}\n}\n"},
      {"removed with its semicolon", "cpp", "class", Edit::kRemove,
       "«class A {}»;\nint x;\n", "", "int x;\n"},
      {"removed from the middle of a line", "cpp", "field", Edit::kRemove,
       "struct A { int y; «int x»; };\n", "", "struct A { int y;  };\n"},
      {"removed with what is assigned", "python", "variable", Edit::kRemove,
       "«x»: int = 1\ny = 2\n", "", "y = 2\n"},
      {"removed with the whole statement", "python", "variable", Edit::kRemove,
       "a = 1\n«x» = [\n    1,\n]\nb = 2\n", "", "a = 1\nb = 2\n"},
  };
  return *kCases;
}

std::string Edited(const Case& test) {
  const size_t open = test.before.find("«");
  const size_t close = test.before.find("»") - 2;  // Two bytes each.
  const std::string text =
      absl::StrReplaceAll(test.before, {{"«", ""}, {"»", ""}});
  const LineIndex lines(text);
  const Definition symbol{.range = {.start = lines.PositionOf(open),
                                    .end = lines.PositionOf(close)},
                          .kind = test.kind,
                          .language = test.language};
  absl::StatusOr<TextChange> change;
  switch (test.edit) {
    case Edit::kReplace:
      change = ReplaceDefinition(lines, symbol, test.body);
      break;
    case Edit::kBefore:
      change = InsertBeforeDefinition(lines, symbol, test.body);
      break;
    case Edit::kAfter:
      change = InsertAfterDefinition(lines, symbol, test.body);
      break;
    case Edit::kRemove:
      change = RemoveDefinition(lines, symbol);
      break;
  }
  if (!change.ok()) return "";
  return ApplyChanges(text, {*change}).value_or("overlap");
}

TEST(SymbolLayoutTest, EachEditLandsWhereItIsMeant) {
  for (const Case& test : Cases()) {
    EXPECT_EQ(Edited(test), test.after) << test.name;
  }
}

// The same table with the other line ends: nothing else may differ.
TEST(SymbolLayoutTest, EachEditLandsThereWithWindowsLineEndsToo) {
  for (Case test : Cases()) {
    if (test.before.find('\r') != std::string::npos) continue;
    // Nothing says which line ends a file of one line would have.
    if (test.before.find('\n') == std::string::npos) continue;
    for (std::string* text : {&test.before, &test.after}) {
      *text = absl::StrReplaceAll(*text, {{"\n", "\r\n"}});
    }
    EXPECT_EQ(Edited(test), test.after) << test.name;
  }
}

}  // namespace
}  // namespace banyan::lspd
