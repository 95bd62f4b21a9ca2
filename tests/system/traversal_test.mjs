// SPDX-License-Identifier: Apache-2.0
//
// No way out of a root: 500 hostile strings and 20 cases of links, devices,
// /proc and mounts, through every tool that takes a path; a rename race; `.git`
// stays closed; refusals stand in the log, hostile names escaped.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { linkSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { topologies, withBanyan } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { eventually } from "./harness/eventually.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { hostilePaths } from "./harness/hostile_paths.mjs";

// What no answer may ever hold.
const secret = "kept-outside-7c1f";

// Each tool with a path in the place of a path.
const tools = {
  read_file: (path) => ({ relative_path: path }),
  list_dir: (path) => ({ relative_path: path, recursive: false }),
  find_file: (path) => ({ file_mask: "*", relative_path: path }),
  search_for_pattern: (path) => ({ substring_pattern: "kept-outside", relative_path: path }),
  get_symbols_overview: (path) => ({ relative_path: path }),
  find_symbol: (path) => ({ name_path_pattern: "kept_outside", relative_path: path, include_body: true }),
  find_referencing_symbols: (path) => ({ name_path: "kept_outside", relative_path: path }),
  find_declaration: (path) => ({ relative_path: path, line: 1, column: 1, include_body: true }),
  find_implementations: (path) => ({ name_path: "kept_outside", relative_path: path }),
  get_symbol_info: (path) => ({ name_path: "kept_outside", relative_path: path }),
  get_diagnostics: (path) => ({ relative_path: path }),
};
// Where a glob or mask may carry a path.
const globs = {
  find_file: (path) => ({ file_mask: path }),
  search_for_pattern: (path) => ({ substring_pattern: "kept-outside", paths_include_glob: path }),
};

// A project with a neighbour that must never be seen: DIR/root and DIR/root-evil.
function lay() {
  const folder = newFolder();
  const project = copyProject("python", "a", folder.path, { name: "root" });
  const outside = join(folder.path, "root-evil");
  mkdirSync(join(outside, "sub"), { recursive: true });
  for (const path of [join(outside, "secret.py"), join(outside, "sub", "secret.py"), join(folder.path, "secret.py")]) {
    writeFileSync(path, `def kept_outside():\n    return "${secret}"\n`);
  }
  return { folder, project, outside };
}

function assertTight(answer, tool, path) {
  // The caller's own path and pattern may come back to it.
  const text = JSON.stringify(answer.raw);
  assert.ok(!text.includes(secret), `${tool} gave out the secret for ${JSON.stringify(path)}: ${text}`);
  assert.ok(!/root:x:0:0|Linux version \d/.test(text), `${tool} read a system file for ${JSON.stringify(path)}: ${text}`);
}

for (const topology of topologies) {
  test(`${topology}: 500 hostile strings find no way out`, async () => {
    const { folder, project, outside } = lay();
    try {
      await withBanyan(topology, { projects: { root: project.root }, roots: [folder.path] }, async (banyan) => {
        const agent = await Agent.connect("legacy", banyan.mcp);
        await agent.activate("root");
        const strings = hostilePaths({ root: project.root, outside });
        assert.ok(strings.length >= 500, `only ${strings.length}`);
        const askAll = async (path, shapes) => {
          for (const [tool, shape] of Object.entries(shapes)) {
            const answer = await agent.call(tool, shape(path)).catch((error) => ({ raw: { refused: String(error) } }));
            assertTight(answer, tool, path);
          }
        };
        // File tools and one symbol tool take all; the other symbol tools share
        // their door and take every eighth.
        const doors = ["read_file", "list_dir", "find_file", "search_for_pattern", "find_symbol"];
        const [first, rest] = [{}, {}];
        for (const name of Object.keys(tools)) (doors.includes(name) ? first : rest)[name] = tools[name];
        const queue = strings.map((path, i) => [path, i]);
        await Promise.all(Array.from({ length: 4 }, async () => {
          for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
            const [path, i] = next;
            await askAll(path, first);
            await askAll(path, globs);
            if (i % 8 === 0) await askAll(path, rest);
          }
        }));

        // Refused loudly, and in one line each.
        const refused = await agent.call("read_file", { relative_path: "../root-evil/secret.py" });
        assert.ok(refused.isError);
        assert.equal(refused.reason, "PATH_OUTSIDE_ROOT", refused.text);
        const missing = await agent.call("read_file", { relative_path: "no_such_file.py" });
        assert.equal(missing.reason, "FILE_NOT_FOUND", missing.text);
        await eventually(() => {
          const logged = banyan.lines.filter((line) => line.includes("[Security] Path Traversal Blocked: "));
          assert.ok(logged.some((line) => /Path Traversal Blocked: .* escapes \/.*root \(Session: [0-9a-f]{4,16}\)/.test(line)), logged[0]);
        });
        for (const line of banyan.lines) {
          assert.doesNotMatch(line, /[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/, `not escaped: ${JSON.stringify(line)}`);
        }
        // The owner goes on undisturbed.
        assert.match((await agent.call("read_file", { relative_path: "ledger.py" })).text, project.marker);
        await agent.close();
      });
    } finally {
      folder.remove();
    }
  });

  test(`${topology}: links, devices, /proc and mounts find no way out`, async (t) => {
    const { folder, project, outside } = lay();
    const at = (...parts) => join(project.root, ...parts);
    const cases = {};
    const add = (path, make) => {
      try {
        make();
        cases[path] = path;
      } catch (error) {
        t.diagnostic(`${path} cannot be made here: ${error.message}`);
      }
    };
    mkdirSync(at("traps"));
    add("traps/file_link.py", () => symlinkSync(join(outside, "secret.py"), at("traps/file_link.py")));
    add("traps/relative_link.py", () => symlinkSync("../../root-evil/secret.py", at("traps/relative_link.py")));
    add("traps/dir_link", () => symlinkSync(outside, at("traps/dir_link")));
    add("traps/dir_link/secret.py", () => {});
    add("traps/dir_link/sub/secret.py", () => {});
    add("traps/up", () => symlinkSync("..", at("traps/up")));
    add("traps/up/../secret.py", () => {});
    add("traps/up/../root-evil/secret.py", () => {});
    add("traps/chain_a", () => symlinkSync("chain_b", at("traps/chain_a")));
    add("traps/chain_b", () => symlinkSync("dir_link/secret.py", at("traps/chain_b")));
    add("traps/loop", () => symlinkSync("loop", at("traps/loop")));
    add("traps/proc_root", () => symlinkSync("/proc/self/root", at("traps/proc_root")));
    add("traps/proc_root/etc/passwd", () => {});
    add("traps/proc_fd", () => symlinkSync("/proc/self/fd", at("traps/proc_fd")));
    add("traps/proc_cwd", () => symlinkSync("/proc/self/cwd", at("traps/proc_cwd")));
    add("traps/passwd", () => symlinkSync("/etc/passwd", at("traps/passwd")));
    add("traps/zero", () => symlinkSync("/dev/zero", at("traps/zero")));
    add("traps/version", () => symlinkSync("/proc/version", at("traps/version")));
    add("traps/fifo.py", () => execFileSync("mkfifo", [at("traps/fifo.py")]));
    add("traps/null_device.py", () => execFileSync("mknod", [at("traps/null_device.py"), "c", "1", "3"], { stdio: "ignore" }));
    add("traps/zero_device.py", () => execFileSync("mknod", [at("traps/zero_device.py"), "c", "1", "5"], { stdio: "ignore" }));
    add("traps/broken.py", () => symlinkSync("nowhere.py", at("traps/broken.py")));
    const socket = createServer().listen(at("traps/socket.py"));
    await once(socket, "listening");
    cases["traps/socket.py"] = "traps/socket.py";
    assert.ok(Object.keys(cases).length >= 20, `only ${Object.keys(cases).length} cases`);
    try {
      await withBanyan(topology, { projects: { root: project.root }, roots: [folder.path] }, async (banyan) => {
        const agent = await Agent.connect("legacy", banyan.mcp);
        await agent.activate("root");
        // The server's start is not what is timed below.
        await eventually(() => agent.ask("get_symbols_overview", { relative_path: "ledger.py" }));
        for (const path of Object.keys(cases)) {
          for (const [tool, shape] of Object.entries(tools)) {
            const started = performance.now();
            const answer = await agent.call(tool, shape(path));
            assertTight(answer, tool, path);
            assert.ok(performance.now() - started < 15_000, `${tool} blocked on ${path}`);
          }
          if (!["traps/up", "traps/chain_a"].includes(path)) {
            const read = await agent.call("read_file", { relative_path: path });
            assert.ok(read.isError, `${path} was read: ${read.text.slice(0, 200)}`);
            assert.ok(read.reason, read.text);
          }
        }
        // The whole tree at once: no tool that walks follows a link outside.
        for (const [tool, args] of [
          ["list_dir", { relative_path: ".", recursive: true }],
          ["find_file", { file_mask: "secret.py" }],
          ["search_for_pattern", { substring_pattern: "kept-outside", skip_ignored_files: false }],
          ["find_symbol", { name_path_pattern: "kept_outside", include_body: true }],
        ]) {
          const answer = await agent.call(tool, args);
          assertTight(answer, tool, "the tree");
          assert.doesNotMatch(answer.text, /sub\/secret\.py/);
        }
        await agent.close();
      });
    } finally {
      socket.close();
      folder.remove();
    }
  });

  test(`${topology}: a mount inside the root is followed, and its endless files do not block`, async (t) => {
    const { folder, project } = lay();
    const mount = join(project.root, "mounted");
    mkdirSync(mount);
    try {
      execFileSync("mount", ["-t", "proc", "proc", mount], { stdio: "ignore" });
    } catch {
      t.skip("no mount can be made here");
      folder.remove();
      return;
    }
    try {
      await withBanyan(topology, { projects: { root: project.root }, roots: [folder.path] }, async (banyan) => {
        const agent = await Agent.connect("legacy", banyan.mcp);
        await agent.activate("root");
        for (const path of ["mounted/version", "mounted/kmsg", "mounted/self/root/etc/passwd", "mounted/self/cwd", "mounted/self/fd/0", "mounted/kcore"]) {
          const started = performance.now();
          const answer = await agent.call("read_file", { relative_path: path });
          assert.ok(performance.now() - started < 15_000, `read_file blocked on ${path}`);
          if (path !== "mounted/version") assertTight(answer, "read_file", path);
        }
        await agent.close();
      });
    } finally {
      execFileSync("umount", [mount]);
      folder.remove();
    }
  });

  test(`${topology}: a hard link inside is a file of the root; a project swapped for another is noticed`, async () => {
    const { folder, project } = lay();
    try {
      linkSync(join(project.root, "ledger.py"), join(project.root, "same_ledger.py"));
      await withBanyan(topology, { projects: { root: project.root }, roots: [folder.path] }, async (banyan) => {
        const agent = await Agent.connect("legacy", banyan.mcp);
        await agent.activate("root");
        assert.match((await agent.call("read_file", { relative_path: "same_ledger.py" })).text, project.marker);
        renameSync(project.root, `${project.root}-old`);
        mkdirSync(project.root);
        writeFileSync(join(project.root, "ledger.py"), "swapped = 1\n");
        const answer = await agent.call("read_file", { relative_path: "ledger.py" });
        assert.ok(answer.isError, answer.text);
        assert.equal(answer.reason, "ROOT_REPLACED", answer.text);
        await agent.close();
      });
    } finally {
      folder.remove();
    }
  });

  test(`${topology}: .git stays closed`, async () => {
    const { folder, project } = lay();
    try {
      mkdirSync(join(project.root, "nested/.git"), { recursive: true });
      writeFileSync(join(project.root, "nested/.git/config"), "[core]\n");
      await withBanyan(topology, { projects: { root: project.root }, roots: [folder.path] }, async (banyan) => {
        const agent = await Agent.connect("legacy", banyan.mcp);
        await agent.activate("root");
        for (const path of [".git/config", ".git", ".GIT/config", "./.git/HEAD", ".git/../.git/HEAD", "nested/.git/config", ".git/"]) {
          for (const tool of ["read_file", "list_dir", "find_file", "search_for_pattern"]) {
            const answer = await agent.call(tool, tools[tool](path));
            assert.ok(answer.isError, `${tool} opened ${path}: ${answer.text}`);
          }
        }
        const tree = await agent.call("list_dir", { relative_path: ".", recursive: true });
        assert.doesNotMatch(tree.text, /\.git[/"]/i);
        const hits = await agent.call("search_for_pattern", { substring_pattern: "repositoryformatversion|\\[core\\]", skip_ignored_files: false });
        assert.doesNotMatch(hits.text, /\.git\//);
        const found = await agent.call("find_file", { file_mask: "HEAD" });
        assert.doesNotMatch(found.text, /\.git\//);
        await agent.close();
      });
    } finally {
      folder.remove();
    }
  });
}

test("100,000 swaps of a folder for a link do not open the way", async (t) => {
  const { folder, project, outside } = lay();
  try {
    mkdirSync(join(project.root, "inner"));
    writeFileSync(join(project.root, "inner/secret.py"), "def kept_outside():\n    return 'inside'\n");
    symlinkSync(outside, join(project.root, "link"));
    await withBanyan(topologies[0], { projects: { root: project.root }, roots: [folder.path] }, async (banyan) => {
      const agent = await Agent.connect("legacy", banyan.mcp);
      await agent.activate("root");
      // inner (a folder) and link change places without a pause.
      const racer = spawn(process.execPath, ["-e", `
        const { renameSync } = require("node:fs");
        const [inner, link, spare] = ["inner", "link", "spare"].map((name) => ${JSON.stringify(project.root)} + "/" + name);
        for (let i = 0; i < 100000; ++i) { renameSync(inner, spare); renameSync(link, inner); renameSync(spare, link); }
      `], { stdio: ["ignore", "ignore", "inherit"] });
      let isOver = false;
      racer.on("exit", () => (isOver = true));
      let asked = 0;
      let read = 0;
      const ask = async () => {
        while (!isOver) {
          for (const [tool, args] of [
            ["read_file", { relative_path: "inner/secret.py" }],
            ["list_dir", { relative_path: "inner" }],
            ["list_dir", { relative_path: ".", recursive: true }],
            ["search_for_pattern", { substring_pattern: "kept_outside", context_lines_after: 1 }],
            ["find_file", { file_mask: "secret.py", relative_path: "inner" }],
          ]) {
            const answer = await agent.call(tool, args);
            assertTight(answer, tool, "the race");
            assert.doesNotMatch(answer.text, /(inner|link)\/sub/, `${tool} listed the outside`);
            ++asked;
            if (tool === "read_file" && !answer.isError) ++read;
          }
        }
      };
      await Promise.all([ask(), ask()]);
      t.diagnostic(`${asked} calls during the race, ${read} reads of the inner file`);
      assert.ok(asked > 50);
      await agent.close();
    });
  } finally {
    folder.remove();
  }
});

test("a root that is a link is the folder it names", async () => {
  const { folder, project } = lay();
  try {
    symlinkSync(project.root, join(folder.path, "alias"));
    await withBanyan(topologies[0], { roots: [folder.path] }, async (banyan) => {
      const agent = await Agent.connect("legacy", banyan.mcp);
      const bound = await agent.activate(join(folder.path, "alias"));
      assert.equal(bound.root, realpathSync(project.root), JSON.stringify(bound));
      await agent.close();
    });
  } finally {
    folder.remove();
  }
});
