// SPDX-License-Identifier: Apache-2.0

// Edits of one file a language, each with the whole text that must come of it:
// `from` stands once in the text and becomes `to`. Each runs with LF and CRLF.

const replaceBody = (name_path, body, from, to) => ({ tool: "replace_symbol_body", args: { name_path, body }, from, to });
const before = (name_path, body, from, to) => ({ tool: "insert_before_symbol", args: { name_path, body }, from, to });
const after = (name_path, body, from, to) => ({ tool: "insert_after_symbol", args: { name_path, body }, from, to });
const remove = (name_path, from, to) => ({ tool: "safe_delete_symbol", args: { name_path, force: true }, from, to });
const content = (needle, repl, from, to, more = {}) => ({ tool: "replace_content", args: { needle, repl, ...more }, from, to });
const lines = (start_line, end_line, text, from, to) => ({ tool: "replace_lines", args: { start_line, end_line, content: text }, from, to });
const insertLine = (line, text, from, to) => ({ tool: "insert_at_line", args: { line, content: text }, from, to });
const deleteLines = (start_line, end_line, from, to) => ({ tool: "delete_lines", args: { start_line, end_line }, from, to });

export const editCases = {
  python: {
    path: "edits.py",
    parse: ["python3", "-c", "import ast,sys; ast.parse(open(sys.argv[1]).read())"],
    text: `import functools


# Adds.
@functools.cache
def add(a: int, b: int) -> int:
    return a + b


class Shelf:
    """Holds."""

    limit = 3

    def put(self, item: str) -> None:
        self.items = [item]

    @property
    def size(self) -> int:
        return 1


def last() -> None:
    pass
`,
    cases: [
      replaceBody("add", "@functools.cache\ndef add(a: int, b: int) -> int:\n    return b + a", "    return a + b", "    return b + a"),
      replaceBody("Shelf/put", "def put(self, item: str) -> None:\n    self.items = [item, item]\n", "[item]", "[item, item]"),
      replaceBody("Shelf/put", "def put(self, item: str) -> None:\n        self.items = []", "self.items = [item]", "self.items = []"),
      replaceBody("Shelf/size", "    @property\n    def size(self) -> int:\n        return 2\n", "return 1", "return 2"),
      replaceBody("last", "def last() -> int:\n    return 0", "def last() -> None:\n    pass", "def last() -> int:\n    return 0"),
      before("add", "def zero() -> int:\n    return 0\n", "# Adds.\n", "def zero() -> int:\n    return 0\n\n\n# Adds.\n"),
      after("add", "def sub(a: int, b: int) -> int:\n    return a - b\n", "    return a + b\n", "    return a + b\n\n\ndef sub(a: int, b: int) -> int:\n    return a - b\n"),
      before("Shelf/size", "def take(self) -> str:\n    return \"\"\n", "    @property\n", "    def take(self) -> str:\n        return \"\"\n\n    @property\n"),
      after("last", "def end() -> None:\n    pass", "def last() -> None:\n    pass\n", "def last() -> None:\n    pass\n\n\ndef end() -> None:\n    pass\n"),
      remove("last", "\n\ndef last() -> None:\n    pass\n", ""),
      remove("Shelf/put", "    def put(self, item: str) -> None:\n        self.items = [item]\n\n", ""),
      content("a \\+ b", "a - b", "a + b", "a - b", { mode: "regex" }),
      lines(1, 1, "import functools\nimport os", "import functools\n", "import functools\nimport os\n"),
      insertLine(1, "import os\n", "import functools\n", "import os\nimport functools\n"),
    ],
  },
  go: {
    path: "edits.go",
    parse: ["gofmt", "-e"],
    text: `package main

// Shelf holds.
type Shelf struct {
	items []string
}

// Put puts.
func (s *Shelf) Put(item string) {
	s.items = append(s.items, item)
}

type Sized interface {
	Size() int
}

const limit = 3

func last() int {
	return limit
}
`,
    cases: [
      replaceBody("Shelf", "type Shelf struct {\n\titems map[string]int\n}", "	items []string", "	items map[string]int"),
      replaceBody("Put", "func (s *Shelf) Put(item string) {\n\ts.items = []string{item}\n}\n", "append(s.items, item)", "[]string{item}"),
      replaceBody("Put", "// Put replaces.\nfunc (s *Shelf) Put(item string) {\n\ts.items = []string{item}\n}", "// Put puts.\nfunc (s *Shelf) Put(item string) {\n	s.items = append(s.items, item)", "// Put replaces.\nfunc (s *Shelf) Put(item string) {\n	s.items = []string{item}"),
      replaceBody("last", "func last() int {\n\treturn 0\n}", "	return limit", "	return 0"),
      before("Shelf", "type Box struct{}\n", "// Shelf holds.\n", "type Box struct{}\n\n// Shelf holds.\n"),
      after("Shelf", "func NewShelf() *Shelf {\n\treturn &Shelf{}\n}\n", "	items []string\n}\n", "	items []string\n}\n\nfunc NewShelf() *Shelf {\n	return &Shelf{}\n}\n"),
      after("last", "func end() {}", "	return limit\n}\n", "	return limit\n}\n\nfunc end() {}\n"),
      before("Put", "func (s *Shelf) Take() {}", "// Put puts.\n", "func (s *Shelf) Take() {}\n\n// Put puts.\n"),
      after("Sized", "var _ Sized = nil", "	Size() int\n}\n", "	Size() int\n}\n\nvar _ Sized = nil\n"),
      remove("Put", "// Put puts.\nfunc (s *Shelf) Put(item string) {\n	s.items = append(s.items, item)\n}\n\n", ""),
      remove("last", "\nfunc last() int {\n	return limit\n}\n", ""),
      content("limit = 3", "limit = 4", "limit = 3", "limit = 4"),
      deleteLines(13, 16, "type Sized interface {\n	Size() int\n}\n\n", ""),
    ],
  },
  typescript: {
    path: "src/edits.ts",
    parse: ["tsc", "--noEmit", "--skipLibCheck", "--target", "es2022"],
    parsesAtOnce: true,
    text: `/** Adds. */
export function add(a: number, b: number): number {
  return a + b;
}

export class Shelf {
  private items: string[] = [];

  /** Puts. */
  put(item: string): void {
    this.items.push(item);
  }

  get size(): number {
    return this.items.length;
  }
}

export interface Sized {
  size: number;
}

export const limit = 3;

export default function last(): number {
  return limit;
}
`,
    cases: [
      replaceBody("add", "export function add(a: number, b: number): number {\n  return b + a;\n}", "return a + b", "return b + a"),
      replaceBody("add", "/** Sums. */\nexport function add(a: number, b: number): number {\n  return a + b;\n}", "/** Adds. */", "/** Sums. */"),
      replaceBody("Shelf/put", "put(item: string): void {\n  this.items = [item];\n}", "this.items.push(item)", "this.items = [item]"),
      replaceBody("Sized", "export interface Sized {\n  size: bigint;\n}", "  size: number;", "  size: bigint;"),
      replaceBody("last", "export default function last(): number {\n  return 0;\n}", "return limit", "return 0"),
      before("add", "export const zero = 0;\n", "/** Adds. */\n", "export const zero = 0;\n\n/** Adds. */\n"),
      before("Shelf/put", "take(): void {}", "  /** Puts. */\n", "  take(): void {}\n\n  /** Puts. */\n"),
      after("Shelf/size", "clear(): void {\n  this.items = [];\n}\n", "    return this.items.length;\n  }\n", "    return this.items.length;\n  }\n\n  clear(): void {\n    this.items = [];\n  }\n"),
      after("Shelf", "export class Box {}\n", "    return this.items.length;\n  }\n}\n", "    return this.items.length;\n  }\n}\n\nexport class Box {}\n"),
      after("limit", "export const most = 4;", "export const limit = 3;\n", "export const limit = 3;\nexport const most = 4;\n"),
      remove("Shelf/put", "  /** Puts. */\n  put(item: string): void {\n    this.items.push(item);\n  }\n\n", ""),
      remove("Sized", "export interface Sized {\n  size: number;\n}\n\n", ""),
      content("return a + b;\n}", "return b;\n}", "return a + b;", "return b;"),
    ],
  },
  cpp: {
    path: "src/edits.cc",
    parse: ["g++", "-std=c++20", "-fsyntax-only"],
    text: `#include <string>

namespace shelves {

// Adds.
int Add(int a, int b) { return a + b; }

template <typename T>
T Twice(T value) {
  return value + value;
}

class Shelf {
 public:
  // Puts.
  void Put(int item) { item_ = item; }
  int size() const { return 1; }

 private:
  int item_ = 0;
};

enum class Kind { kLow, kHigh };

int Last() {
  return 0;
}

}  // namespace shelves
`,
    cases: [
      replaceBody("Add", "int Add(int a, int b) { return b + a; }", "return a + b", "return b + a"),
      replaceBody("Add", "// Sums.\nint Add(int a, int b) { return a + b; }", "// Adds.", "// Sums."),
      replaceBody("Twice", "template <typename T>\nT Twice(T value) {\n  return 2 * value;\n}", "value + value", "2 * value"),
      replaceBody("Shelf/Put", "void Put(int item) { item_ = 2 * item; }", "item_ = item", "item_ = 2 * item"),
      replaceBody("Last", "int Last() {\n  return 1;\n}\n", "int Last() {\n  return 0;", "int Last() {\n  return 1;"),
      before("Add", "int Zero() { return 0; }", "// Adds.\n", "int Zero() { return 0; }\n\n// Adds.\n"),
      before("Twice", "int Once() { return 1; }", "template <typename T>\n", "int Once() { return 1; }\n\ntemplate <typename T>\n"),
      after("Twice", "int Thrice() { return 3; }", "  return value + value;\n}\n", "  return value + value;\n}\n\nint Thrice() { return 3; }\n"),
      after("Shelf", "class Box {};", "  int item_ = 0;\n};\n", "  int item_ = 0;\n};\n\nclass Box {};\n"),
      after("Shelf/item_", "int other_ = 0;", "  int item_ = 0;\n", "  int item_ = 0;\n  int other_ = 0;\n"),
      remove("Last", "int Last() {\n  return 0;\n}\n\n", ""),
      remove("Kind", "enum class Kind { kLow, kHigh };\n\n", ""),
      content("item_ = item", "item_ = -item", "item_ = item", "item_ = -item"),
    ],
  },
  rust: {
    path: "src/ledger.rs",
    parse: ["rustc", "--edition=2021", "--crate-type=lib", "-Aunused", "--emit=metadata"],
    text: `//! Shelves.

/// Adds.
#[inline]
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[derive(Default)]
pub struct Shelf {
    pub items: Vec<String>,
}

impl Shelf {
    /// Puts.
    pub fn put(&mut self, item: String) {
        self.items.push(item);
    }

    pub fn size(&self) -> usize {
        self.items.len()
    }
}

pub enum Kind {
    Low,
    High,
}

pub fn last() -> i32 {
    0
}
`,
    cases: [
      replaceBody("add", "/// Adds.\n#[inline]\npub fn add(a: i32, b: i32) -> i32 {\n    b + a\n}", "    a + b", "    b + a"),
      replaceBody("put", "/// Puts.\npub fn put(&mut self, item: String) {\n    self.items = vec![item];\n}", "self.items.push(item)", "self.items = vec![item]"),
      replaceBody("Kind", "pub enum Kind {\n    Low,\n}", "    Low,\n    High,\n", "    Low,\n"),
      replaceBody("last", "pub fn last() -> i32 {\n    1\n}\n", "pub fn last() -> i32 {\n    0", "pub fn last() -> i32 {\n    1"),
      before("add", "pub fn zero() -> i32 {\n    0\n}\n", "/// Adds.\n", "pub fn zero() -> i32 {\n    0\n}\n\n/// Adds.\n"),
      before("put", "pub fn take(&mut self) {}", "    /// Puts.\n", "    pub fn take(&mut self) {}\n\n    /// Puts.\n"),
      after("size", "pub fn clear(&mut self) {\n    self.items.clear();\n}", "        self.items.len()\n    }\n", "        self.items.len()\n    }\n\n    pub fn clear(&mut self) {\n        self.items.clear();\n    }\n"),
      after("Low", "Middle,", "    Low,\n", "    Low,\n    Middle,\n"),
      after("last", "pub fn end() {}", "pub fn last() -> i32 {\n    0\n}\n", "pub fn last() -> i32 {\n    0\n}\n\npub fn end() {}\n"),
      remove("put", "    /// Puts.\n    pub fn put(&mut self, item: String) {\n        self.items.push(item);\n    }\n\n", ""),
      remove("Kind", "pub enum Kind {\n    Low,\n    High,\n}\n\n", ""),
      content("a + b\n}", "a - b\n}", "a + b", "a - b"),
      insertLine(2, "//! Of all kinds.", "//! Shelves.\n", "//! Shelves.\n//! Of all kinds.\n"),
    ],
  },
  bash: {
    path: "edits.sh",
    parse: ["bash", "-n"],
    text: `#!/usr/bin/env bash
set -eu

# Adds.
add() {
  echo $(($1 + $2))
}

limit=3

take() {
  local item=$1
  case $item in
    a) echo "a" ;;
    *) echo "}" ;;
  esac
}

last() {
  add 1 "$limit"
}
`,
    cases: [
      replaceBody("add", "add() {\n  echo $(($2 + $1))\n}", "$1 + $2", "$2 + $1"),
      replaceBody("add", "# Sums.\nadd() {\n  echo $(($1 + $2))\n}", "# Adds.", "# Sums."),
      replaceBody("take", "take() {\n  echo \"$1\"\n}\n", "  local item=$1\n  case $item in\n    a) echo \"a\" ;;\n    *) echo \"}\" ;;\n  esac\n", "  echo \"$1\"\n"),
      replaceBody("last", "last() {\n  true\n}", "  add 1 \"$limit\"", "  true"),
      before("add", "zero() {\n  echo 0\n}\n", "# Adds.\n", "zero() {\n  echo 0\n}\n\n# Adds.\n"),
      before("take", "put() {\n  :\n}\n", "take() {\n", "put() {\n  :\n}\n\ntake() {\n"),
      after("take", "put() {\n  :\n}\n", "  esac\n}\n", "  esac\n}\n\nput() {\n  :\n}\n"),
      after("last", "end() {\n  :\n}", "  add 1 \"$limit\"\n}\n", "  add 1 \"$limit\"\n}\n\nend() {\n  :\n}\n"),
      after("limit", "most=4", "limit=3\n", "limit=3\nmost=4\n"),
      remove("take", "take() {\n  local item=$1\n  case $item in\n    a) echo \"a\" ;;\n    *) echo \"}\" ;;\n  esac\n}\n\n", ""),
      remove("add", "# Adds.\nadd() {\n  echo $(($1 + $2))\n}\n\n", ""),
      content("(\\d)\\n\\ntake", "$1\nlow=1\n\ntake", "limit=3\n", "limit=3\nlow=1\n", { mode: "regex" }),
      deleteLines(2, 2, "set -eu\n", ""),
    ],
  },
  php: {
    path: "src/edits.php",
    parse: ["php", "-l"],
    text: `<?php

namespace Shelves;

/** Adds. */
function add(int $a, int $b): int
{
    return $a + $b;
}

#[\\AllowDynamicProperties]
final class Shelf
{
    private array $items = [];

    /** Puts. */
    public function put(string $item): void
    {
        $this->items[] = $item;
    }

    public static function make(): self
    {
        return new self();
    }
}

interface Sized
{
    public function size(): int;
}

function last(): int
{
    return 0;
}
`,
    cases: [
      replaceBody("add", "function add(int $a, int $b): int\n{\n    return $b + $a;\n}", "return $a + $b", "return $b + $a"),
      replaceBody("add", "/** Sums. */\nfunction add(int $a, int $b): int\n{\n    return $a + $b;\n}", "/** Adds. */", "/** Sums. */"),
      replaceBody("Shelf/put", "public function put(string $item): void\n{\n    $this->items = [$item];\n}", "$this->items[] = $item", "$this->items = [$item]"),
      replaceBody("Sized", "interface Sized\n{\n    public function size(): float;\n}", "public function size(): int;", "public function size(): float;"),
      replaceBody("last", "function last(): int\n{\n    return 1;\n}\n", "return 0;", "return 1;"),
      before("add", "function zero(): int\n{\n    return 0;\n}\n", "/** Adds. */\n", "function zero(): int\n{\n    return 0;\n}\n\n/** Adds. */\n"),
      before("Shelf/put", "public function take(): void\n{\n}", "    /** Puts. */\n", "    public function take(): void\n    {\n    }\n\n    /** Puts. */\n"),
      before("Shelf", "final class Box\n{\n}\n", "#[\\AllowDynamicProperties]\n", "final class Box\n{\n}\n\n#[\\AllowDynamicProperties]\n"),
      after("Shelf/make", "public function clear(): void\n{\n    $this->items = [];\n}\n", "        return new self();\n    }\n", "        return new self();\n    }\n\n    public function clear(): void\n    {\n        $this->items = [];\n    }\n"),
      after("last", "function end_of_it(): void\n{\n}", "    return 0;\n}\n", "    return 0;\n}\n\nfunction end_of_it(): void\n{\n}\n"),
      remove("Shelf/put", "    /** Puts. */\n    public function put(string $item): void\n    {\n        $this->items[] = $item;\n    }\n\n", ""),
      remove("Sized", "interface Sized\n{\n    public function size(): int;\n}\n\n", ""),
      content("$a + $b", "$a - $b", "$a + $b", "$a - $b"),
      insertLine(2, "declare(strict_types=1);", "<?php\n", "<?php\ndeclare(strict_types=1);\n"),
    ],
  },
};
