// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { initRepository, newFolder } from "./fixtures.mjs";
import { repository } from "./banyan.mjs";

const run = (folder, file, ...args) => execFileSync(file, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });

// Source that others wrote, fetched when the test runs: where it lies, the
// server's own command, and ten symbols as [file, name]. `fetch` lays the tree
// into `root`; `scratch` is a folder to work in.
export const trees = {
  // python3-rich of this Debian.
  rich: {
    language: "python",
    languageId: "python",
    extension: /\.py$/,
    command: ["pyright-langserver", "--stdio"],
    fetch(root, scratch) {
      run(scratch, "apt-get", "download", "-q", "python3-rich");
      run(scratch, "sh", "-c", "dpkg-deb -x python3-rich_*.deb unpacked");
      cpSync(join(scratch, "unpacked/usr/lib/python3/dist-packages/rich"), join(root, "rich"), { recursive: true });
    },
    symbols: [
      ["rich/console.py", "Console"], ["rich/text.py", "Text"], ["rich/table.py", "Table"], ["rich/panel.py", "Panel"],
      ["rich/style.py", "Style"], ["rich/segment.py", "Segment"], ["rich/measure.py", "Measurement"], ["rich/cells.py", "cell_len"],
      ["rich/_ratio.py", "ratio_resolve"], ["rich/markup.py", "escape"],
    ],
  },
  rxjs: {
    language: "typescript",
    languageId: "typescript",
    extension: /\.ts$/,
    command: ["tsc", "--lsp", "--stdio"],
    fetch(root) {
      cpSync(join(repository, "tests/node_modules/rxjs/src"), join(root, "src"), { recursive: true });
      for (const name of readdirSync(join(root, "src"))) if (name.startsWith("tsconfig")) rmSync(join(root, "src", name));
      writeFileSync(join(root, "tsconfig.json"), JSON.stringify({
        compilerOptions: { target: "ES2022", module: "ES2022", moduleResolution: "bundler", strict: true, noEmit: true, skipLibCheck: true, types: [] },
        include: ["src/**/*.ts"],
      }));
    },
    symbols: [
      ["src/internal/Observable.ts", "Observable"], ["src/internal/Subject.ts", "Subject"], ["src/internal/Subscription.ts", "Subscription"],
      ["src/internal/Scheduler.ts", "Scheduler"], ["src/internal/util/isFunction.ts", "isFunction"], ["src/internal/util/lift.ts", "operate"],
      ["src/internal/util/noop.ts", "noop"], ["src/internal/util/identity.ts", "identity"], ["src/internal/util/args.ts", "popScheduler"],
      ["src/internal/operators/mergeInternals.ts", "mergeInternals"],
    ],
  },
};

// The long ones.
export const largeTrees = {
  // Debian's leveldb source, with the compile database that its build writes,
  // less what that build leaves out: a server indexes no more than the database.
  leveldb: {
    language: "cpp",
    languageId: "cpp",
    extension: /\.(cc|h)$/,
    command: ["clangd", "--background-index"],
    fetch(root, scratch) {
      aptSource(scratch, "leveldb");
      const [unpacked] = readdirSync(scratch).filter((name) => existsSync(join(scratch, name, "CMakeLists.txt")));
      cpSync(join(scratch, unpacked), root, { recursive: true });
      run(root, "sh", "-c", "rm -rf benchmarks; find . -name '*_test.cc' -o -name '*windows*' -o -name 'testutil*' | xargs rm");
      run(root, "cmake", "-S", ".", "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DLEVELDB_BUILD_TESTS=OFF", "-DLEVELDB_BUILD_BENCHMARKS=OFF");
      cpSync(join(root, "build/compile_commands.json"), join(root, "compile_commands.json"));
    },
    symbols: [
      ["db/db_impl.h", "DBImpl"], ["db/version_set.h", "VersionSet"], ["table/block.h", "Block"], ["util/arena.h", "Arena"], ["db/memtable.h", "MemTable"],
      ["db/log_reader.h", "Reader"], ["db/log_writer.h", "Writer"], ["util/coding.h", "PutVarint32"], ["util/hash.h", "Hash"], ["db/dbformat.h", "InternalKeyComparator"],
    ],
  },
  // A module of the Go project, from the module proxy.
  gomod: {
    language: "go",
    languageId: "go",
    extension: /\.go$/,
    command: ["gopls"],
    fetch(root, scratch) {
      const { Dir } = JSON.parse(run(scratch, "go", "mod", "download", "-json", "golang.org/x/mod@v0.24.0"));
      cpSync(Dir, root, { recursive: true });
      run(root, "chmod", "-R", "u+w", ".");
      run(root, "go", "mod", "download");
    },
    symbols: [
      ["module/module.go", "Version"], ["module/module.go", "CheckPath"], ["module/module.go", "MatchPrefixPatterns"], ["semver/semver.go", "Compare"], ["semver/semver.go", "IsValid"],
      ["modfile/rule.go", "File"], ["modfile/read.go", "Position"], ["modfile/rule.go", "VersionFixer"], ["zip/zip.go", "CheckedFiles"], ["sumdb/tlog/tlog.go", "Hash"],
    ],
  },
  // A crate with everything it names already fetched.
  aho_corasick: {
    language: "rust",
    languageId: "rust",
    extension: /\.rs$/,
    command: ["rust-analyzer"],
    fetch(root, scratch) {
      mkdirSync(join(scratch, "src"), { recursive: true });
      writeFileSync(join(scratch, "src/lib.rs"), "");
      writeFileSync(join(scratch, "Cargo.toml"), '[package]\nname = "scratch"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\naho-corasick = "=1.1.3"\n');
      run(scratch, "cargo", "vendor", "-q", "vendor");
      cpSync(join(scratch, "vendor/aho-corasick"), root, { recursive: true });
      rmSync(join(root, ".cargo-checksum.json"), { force: true });
      run(root, "cargo", "fetch");
    },
    symbols: [
      ["src/ahocorasick.rs", "AhoCorasick"], ["src/automaton.rs", "Automaton"], ["src/dfa.rs", "DFA"], ["src/nfa/noncontiguous.rs", "NFA"], ["src/util/primitives.rs", "StateID"],
      ["src/util/search.rs", "Input"], ["src/util/search.rs", "Match"], ["src/util/error.rs", "BuildError"], ["src/util/alphabet.rs", "ByteClasses"], ["src/util/prefilter.rs", "Prefilter"],
    ],
  },
};

// apt-get source with a list of our own, so that the machine's stays as it is.
function aptSource(folder, name) {
  const sources = run(folder, "sh", "-c", "cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null || true");
  writeFileSync(join(folder, "own.sources"), sources.replace(/^Types:.*$/gm, "Types: deb-src"));
  mkdirSync(join(folder, "lists/partial"), { recursive: true });
  const options = ["-o", `Dir::Etc::SourceList=${join(folder, "own.sources")}`, "-o", "Dir::Etc::SourceParts=/dev/null", "-o", `Dir::State::Lists=${join(folder, "lists")}`, "-q"];
  run(folder, "apt-get", ...options, "update");
  run(folder, "apt-get", ...options, "source", name);
  rmSync(join(folder, "lists"), { recursive: true });
}

export function fetchTree(name, tree) {
  const folder = newFolder(`banyan-tree-${name}-`);
  const root = join(folder.path, name);
  const scratch = join(folder.path, "scratch");
  mkdirSync(root);
  mkdirSync(scratch);
  tree.fetch(root, scratch);
  rmSync(scratch, { recursive: true, force: true });
  initRepository(root);
  return { root, remove: folder.remove };
}
