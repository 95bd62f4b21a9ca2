// SPDX-License-Identifier: Apache-2.0

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { repository } from "./banyan.mjs";

const fixtures = join(repository, "tests/system/fixtures");

// Two projects a language: `a` speaks of a harbour, `b` of an orchard. They
// share the names of their symbols and nothing else, so an answer that came
// from the wrong one gives itself away.
export const markers = { a: /harbour|pier|moor/i, b: /orchard|grove|pick/i };

// What a right answer holds. A place is [file, text of its line]; USER and FN
// are the words that differ between a and b.
const expectations = {
  cpp: {
    file: "src/ledger.cc",
    type: { name: "Ledger", kind: "class", at: [["include/ledger.h", "class Ledger {"]] },
    function: "Summarize",
    definitions: [["include/ledger.h", "std::string Summarize"], ["src/ledger.cc", "std::string Summarize"]],
    references: [["src/USER.cc", "Summarize(ledger)"], ["src/main.cc", "Summarize(empty)"]],
    hover: "Summarize",
    wide: { name: "TideMark", path: "src/USER.cc", line: "int TideMark()", column: 12, useOf: "Summarize", useLine: "sign + Summarize" },
  },
  python: {
    file: "ledger.py",
    type: { name: "Ledger", kind: "class", at: [["ledger.py", "class Ledger:"]] },
    function: "summarize",
    definitions: [["ledger.py", "def summarize("]],
    references: [["USER.py", "sign + summarize"], ["main.py", "print(summarize"]],
    hover: "summarize",
    wide: { name: "tide_mark", path: "USER.py", line: "tide_mark =", useOf: "summarize", useLine: "sign + summarize" },
  },
  typescript: {
    file: "src/ledger.ts",
    type: { name: "Ledger", kind: "class", at: [["src/ledger.ts", "export class Ledger"]] },
    function: "summarize",
    definitions: [["src/ledger.ts", "export function summarize"]],
    references: [["src/USER.ts", "sign + summarize"], ["src/main.ts", "console.log(summarize"]],
    hover: "summarize",
    wide: { name: "tideMark", path: "src/USER.ts", line: "export const tideMark", useOf: "summarize", useLine: "sign + summarize" },
  },
  go: {
    file: "ledger/ledger.go",
    type: { name: "Ledger", kind: "struct", at: [["ledger/ledger.go", "type Ledger struct"]] },
    function: "Summarize",
    definitions: [["ledger/ledger.go", "func Summarize"]],
    references: [["USER/USER.go", "ledger.Summarize(&l)"], ["main.go", "ledger.Summarize(&empty)"]],
    hover: "Summarize",
  },
  rust: {
    file: "src/ledger.rs",
    type: { name: "Ledger", kind: "struct", at: [["src/ledger.rs", "pub struct Ledger"]] },
    function: "summarize",
    definitions: [["src/ledger.rs", "pub fn summarize"]],
    references: [["src/USER.rs", "    summarize(&ledger)"], ["src/main.rs", "ledger::summarize(&empty)"]],
    hover: "summarize",
  },
  bash: {
    file: "ledger.sh",
    function: "summarize",
    definitions: [["ledger.sh", "summarize() {"]],
    references: [["USER.sh", "  summarize"], ["main.sh", "summarize"]],
    hover: "summarize",
  },
};

export const languages = (process.env.BANYAN_TEST_LANGUAGES ?? Object.keys(expectations).join(",")).split(",");

export class Project {
  constructor(language, which, root) {
    this.language = language;
    this.which = which;
    this.root = root;
    this.user = which === "a" ? "pier" : "grove";
    this.expected = JSON.parse(JSON.stringify(expectations[language]).replaceAll("USER", this.user));
    this.marker = markers[which];
    this.foreign = markers[which === "a" ? "b" : "a"];
  }

  lines(path) {
    return readFileSync(join(this.root, path), "utf8").split("\n");
  }

  // [file, text] → "file:line" of the first line that holds the text.
  place([path, text]) {
    const index = this.lines(path).findIndex((line) => line.includes(text));
    if (index < 0) throw new Error(`${path} has no line with: ${text}`);
    return `${path}:${index + 1}`;
  }

  places(list) {
    return list.map((place) => this.place(place)).sort();
  }

  // 1-based, in code points: where `word` stands in the line that holds `text`.
  column(path, text, word) {
    const line = this.lines(path).find((candidate) => candidate.includes(text));
    return [...line.slice(0, line.indexOf(word))].length + 1;
  }
}

// A folder for projects that goes away with `remove`. Under its real path: a
// root is its canonical path.
export function newFolder(prefix = "banyan-system-") {
  const path = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

// Copies a fixture project to `folder`/NAME, with a git repository around it
// and, for C++, the compile database that a build would have written.
export function copyProject(language, which, folder, { name = `${language}-${which}`, withDatabase = true } = {}) {
  const root = join(folder, name);
  cpSync(join(fixtures, language, which), root, { recursive: true });
  if (language === "cpp" && withDatabase) writeCompileDatabase(root);
  initRepository(root);
  return new Project(language, which, root);
}

export function initRepository(root, { allowsEmpty = false } = {}) {
  const git = (...args) => execFileSync("git", ["-C", root, ...args], { stdio: "ignore" });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=t", "-c", "user.email=t@example.test", "commit", "-q", "-m", "start", ...(allowsEmpty ? ["--allow-empty"] : []));
}

export function writeCompileDatabase(root) {
  const entries = readdirSync(join(root, "src")).filter((name) => name.endsWith(".cc")).map((name) => ({
    directory: root,
    file: `src/${name}`,
    arguments: ["c++", "-std=c++17", "-Iinclude", "-c", `src/${name}`],
  }));
  writeFileSync(join(root, "compile_commands.json"), JSON.stringify(entries));
}

// A Python project of `count` files, 100 a folder: a class and a function in
// each, and `rare_symbol` in three of them. Answers those three.
export function generateLargeProject(root, count) {
  const rare = [7, Math.floor(count / 2), count - 7];
  for (let i = 0; i < count; ++i) {
    const folder = join(root, `part_${Math.floor(i / 100)}`);
    if (i % 100 === 0) mkdirSync(folder, { recursive: true });
    const own = rare.includes(i) ? `\n\ndef rare_symbol() -> int:\n    return ${i}\n` : "";
    writeFileSync(join(folder, `unit_${i}.py`),
      `class Unit${i}:\n    def weigh(self) -> int:\n        return ${i}\n\n\n` +
      `def load_${i}(depth: int) -> int:\n    return depth + Unit${i}().weigh()\n${own}`);
  }
  initRepository(root);
  return rare.map((i) => `part_${Math.floor(i / 100)}/unit_${i}.py`).sort();
}
