// SPDX-License-Identifier: Apache-2.0
//
// Edits through the whole road: made, refused, repeated, seen by the next
// question, and whole whatever is killed.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { referencePlaces, symbols } from "./harness/answers.mjs";
import { topologies, withBanyan } from "./harness/banyan.mjs";
import { Agent, eras } from "./harness/clients.mjs";
import { eventually } from "./harness/eventually.mjs";
import { copyProject, languages, newFolder } from "./harness/fixtures.mjs";

const textOf = (project, path) => readFileSync(join(project.root, path), "utf8");

async function withProject(language, topology, use, roots = ["a"]) {
  const folder = newFolder();
  const projects = roots.map((which) => copyProject(language, which, folder.path));
  try {
    await withBanyan(topology, { roots: [folder.path] }, (banyan) => use(banyan, ...projects));
  } finally {
    folder.remove();
  }
}

for (const topology of topologies) {
  for (const era of eras) {
    test(`${topology}, ${era}: an edit is made, its repetition answered, its conflict shown`, async () => {
      await withProject("python", topology, async (banyan, project) => {
        const agent = await Agent.connect(era, banyan.mcp);
        await agent.activate(project.root);
        const path = project.expected.file;
        const old = textOf(project, path);
        const made = await agent.ask("replace_content", { relative_path: path, needle: "class Ledger:", repl: "class Ledger:  # one" });
        assert.equal(textOf(project, path), old.replace("class Ledger:", "class Ledger:  # one"));
        assert.match(made.files[0].unified_diff, /^\+class Ledger: {2}# one$/m);
        const read = await agent.ask("read_file", { relative_path: path });
        assert.equal(read.hash, made.files[0].hash);

        const line = { relative_path: path, line: 1, content: "# top" };
        await agent.ask("insert_at_line", line);
        const again = await agent.ask("insert_at_line", line);
        assert.equal(again.already_applied, true);
        assert.equal(textOf(project, path).split("\n").filter((text) => text === "# top").length, 1);

        writeFileSync(join(project.root, path), `${textOf(project, path)}# a person\n`);
        const refused = await agent.call("delete_lines", { relative_path: path, start_line: 1 });
        assert.equal(refused.reason, "CONFLICT");
        assert.match(refused.text, /^\+# a person$/m);
        const activity = await agent.ask("workspace_activity");
        assert.deepEqual([...new Set(activity.changes.map((change) => change.by))].sort(), ["outside", "you"]);
        await agent.close();
      });
    });
  }

  test(`${topology}: a read-only workspace refuses edits and shows previews`, async () => {
    await withProject("python", topology, async (banyan, project) => {
      const agent = await Agent.connect("legacy", banyan.mcp);
      await agent.activate(project.root, { access: "read-only" });
      const old = textOf(project, "main.py");
      const edit = { relative_path: "main.py", line: 1, content: "# x" };
      const refused = await agent.call("insert_at_line", edit);
      assert.equal(refused.reason, "READ_ONLY");
      assert.equal(refused.text, "Workspace is read-only. Return your proposed edits to the orchestrating agent.");
      const shown = await agent.ask("preview_edit", { tool: "insert_at_line", arguments: edit });
      assert.equal(shown.preview, true);
      assert.match(shown.files[0].unified_diff, /^\+# x$/m);
      assert.equal(textOf(project, "main.py"), old);
      await agent.close();
    });
  });

  test(`${topology}: killed in the middle of edits, every file is whole and every answer true`, async () => {
    await withProject("python", topology, async (banyan, project) => {
      const agent = await Agent.connect("legacy", banyan.mcp);
      await agent.activate(project.root);
      const paths = Array.from({ length: 10 }, (_, i) => `many/f${i}.txt`);
      for (const path of paths) await agent.ask("create_text_file", { relative_path: path, content: "round 0\n" });
      let known = 0;
      for (let round = 1; round <= 12; ++round) {
        const edit = agent.call("replace_in_files", { needle: `round ${round - 1}`, repl: `round ${round}`, relative_path: "many", expected_count: 10 }).catch((error) => error);
        if (round % 3 === 0) {
          setTimeout(() => banyan.program("lspd").end("SIGKILL"), 5 * round);
        }
        const answer = await edit;
        if (round % 3 === 0) {
          await eventually(async () => assert.ok(!banyan.program("lspd").isRunning));
          await banyan.restart("lspd");
          // Whoever is asked first recovers before it answers.
          await eventually(() => agent.ask("list_dir", { relative_path: "many" }));
        }
        const texts = new Set(paths.map((path) => textOf(project, path)));
        assert.equal(texts.size, 1, `round ${round}: ${[...texts]}`);
        const [text] = texts;
        assert.ok([`round ${round - 1}\n`, `round ${round}\n`].includes(text), text);
        if (answer.isError === false) {
          assert.equal(text, `round ${round}\n`, "acknowledged, then lost");
          ++known;
        }
        if (text === `round ${round - 1}\n`) {
          await agent.ask("replace_in_files", { needle: `round ${round - 1}`, repl: `round ${round}`, relative_path: "many" });
        }
      }
      assert.ok(known >= 8);
      await agent.close();
    });
  });
}

const isHash = (language) => language === "bash" || language === "python";
// What each server calls wrong wherever it stands on a line of its own.
const wrong = {
  cpp: "int broken = nothing_of_that_name;",
  python: "nothing_of_that_name()",
  typescript: "export const broken: number = nothingOfThatName;",
  go: "var broken = nothingOfThatName",
  rust: "pub fn broken() -> {",
  bash: "if true; then",
};

for (const language of languages) {
  test(`${language}: the next references, hover and diagnostics know the edit`, async () => {
    await withProject(language, "serve", async (banyan, project) => {
      const { expected } = project;
      const agent = await Agent.connect("legacy", banyan.mcp);
      await agent.activate(project.root);
      // A header that both sides share is told by some servers only.
      const places = (answer) => referencePlaces(answer).filter((place) => !place.startsWith("include/"));
      const references = () => agent.ask("find_referencing_symbols", { name_path: expected.function, relative_path: expected.file });
      await eventually(async () => assert.deepEqual(places(await references()), project.places(expected.references)));

      const hover = () => agent.ask("get_symbol_info", { name_path: expected.function, relative_path: expected.file });
      const { info } = await hover();

      const [path] = expected.references[0];
      const comment = isHash(language) ? "# one more" : "// one more";
      for (const file of [path, expected.file]) {
        await agent.ask("insert_at_line", { relative_path: file, line: language === "bash" ? 2 : 1, content: comment });
      }
      const used = await references();
      if (used.complete) assert.deepEqual(places(used), project.places(expected.references));
      else assert.ok(used.incomplete.length > 0);
      const shown = await hover();
      if (info.includes(expected.hover)) assert.ok(shown.info.includes(expected.hover) || shown.complete === false, JSON.stringify(shown));

      const old = textOf(project, path);
      const errors = async () => (await agent.ask("get_diagnostics", { relative_path: path, min_severity: "error" })).files.flatMap((file) => file.diagnostics);
      const before = await errors();
      const edit = { relative_path: path, line: 100_000, content: wrong[language] };
      const broken = await agent.ask("insert_at_line", { ...edit, diagnostics: true });
      assert.ok(broken.new_diagnostics?.length > 0 || broken.complete === false, JSON.stringify(broken));
      assert.ok((await errors()).length > before.length);
      const mended = await agent.ask("replace_content", { relative_path: path, needle: `${wrong[language]}\n`, repl: "", diagnostics: true });
      assert.ok(mended.fixed_diagnostics?.length > 0 || mended.complete === false, JSON.stringify(mended));
      assert.equal(textOf(project, path), old);
      assert.deepEqual(await errors(), before);
      await agent.close();
    });
  });

  test(`${language}: a preview tells what an edit would break, and leaves nothing of it in the server`, async () => {
    await withProject(language, "serve", async (banyan, project) => {
      const { expected } = project;
      const agent = await Agent.connect("legacy", banyan.mcp);
      await agent.activate(project.root);
      const [path] = expected.references[0];
      const old = textOf(project, path);
      const errors = async () => (await agent.ask("get_diagnostics", { relative_path: path, min_severity: "error" })).files.flatMap((file) => file.diagnostics);
      const before = await errors();
      const running = async () => (await (await fetch(`${banyan.admin}/get_lsp_pool_stats`)).json()).active_lsps.map((server) => server.pid).sort();
      const servers = await running();
      const edit = { tool: "insert_at_line", arguments: { relative_path: path, line: 100_000, content: wrong[language] } };
      const shown = await agent.ask("preview_edit", { ...edit, diagnostics: true });
      assert.equal(shown.preview, true);
      assert.ok(shown.new_diagnostics?.length > 0, JSON.stringify(shown));
      assert.equal(shown.new_diagnostics[0].relative_path, path);
      assert.equal(textOf(project, path), old);
      assert.deepEqual(await errors(), before);
      await eventually(async () => assert.deepEqual(await running(), servers));
      await agent.close();
    });
  });
}

for (const language of languages.filter((name) => name !== "bash")) {
  test(`${language}: a rename in two roots at once changes each root alone`, async () => {
    await withProject(language, "serve", async (banyan, a, b) => {
      const name = { a: "Renamed", b: "Changed" };
      const renamed = (project) => (/^[A-Z]/.test(project.expected.function) ? name[project.which] : name[project.which].toLowerCase());
      await Promise.all([a, b].map(async (project) => {
        const { expected } = project;
        const agent = await Agent.connect("legacy", banyan.mcp);
        await agent.activate(project.root);
        const args = { name_path: expected.function, relative_path: expected.definitions.at(-1)[0], new_name: renamed(project) };
        const shown = await eventually(async () => {
          const value = await agent.ask("rename_symbol", args.force ? args : { ...args, dry_run: true });
          assert.ok(value.files.length >= expected.references.length, JSON.stringify(value.files.map((file) => file.relative_path)));
          return value;
        });
        assert.equal(shown.preview, true);
        const made = await agent.ask("rename_symbol", { ...args, confirm: true, force: true });
        assert.equal(made.preview, false);
        await agent.close();
      }));
      for (const project of [a, b]) {
        const { expected } = project;
        for (const [path] of [...expected.references, ...expected.definitions]) {
          const text = textOf(project, path);
          assert.match(text, new RegExp(`\\b${renamed(project)}\\b`), path);
          assert.doesNotMatch(text, new RegExp(`\\b${renamed(project === a ? b : a)}\\b`), path);
        }
        assert.ok(!existsSync(join(project.root, ".banyan/edits/journal")));
      }
    }, ["a", "b"]);
  });
}

test("memories are files of the project, written as edits are", async () => {
  await withProject("python", "serve", async (banyan, project) => {
    const agent = await Agent.connect("legacy", banyan.mcp);
    await agent.activate(project.root);
    assert.deepEqual((await agent.ask("list_memories")).memories, []);
    await agent.ask("write_memory", { name: "build/notes", content: "# Notes\n" });
    assert.equal(textOf(project, ".banyan/memories/build/notes.md"), "# Notes\n");
    await agent.ask("edit_memory", { name: "build/notes", needle: "Notes", repl: "Build notes" });
    assert.equal((await agent.ask("read_memory", { name: "build/notes" })).text, "# Build notes\n");
    writeFileSync(join(project.root, ".banyan/memories/build/notes.md"), "# Theirs\n");
    assert.equal((await agent.call("write_memory", { name: "build/notes", content: "mine" })).reason, "CONFLICT");
    await agent.ask("rename_memory", { name: "build/notes", new_name: "notes" });
    assert.deepEqual((await agent.ask("list_memories")).memories, ["notes"]);
    await agent.ask("delete_memory", { name: "notes" });
    assert.deepEqual((await agent.ask("list_memories")).memories, []);
    for (const name of ["../x", "global/x", "a//b", ""]) {
      assert.equal((await agent.call("write_memory", { name, content: "x" })).reason, "ARGUMENT_INVALID", name);
    }
    await agent.close();
  });
});

test("the journals of edits are no files to the tools", async () => {
  await withProject("python", "serve", async (banyan, project) => {
    const agent = await Agent.connect("legacy", banyan.mcp);
    await agent.activate(project.root);
    await agent.ask("replace_content", { relative_path: "main.py", needle: "import", repl: "import", mode: "literal", allow_multiple_occurrences: true });
    await agent.ask("insert_at_line", { relative_path: "main.py", line: 1, content: "# unmistakable" });
    await agent.ask("delete_lines", { relative_path: "main.py", start_line: 1 });
    const found = await agent.ask("search_for_pattern", { substring_pattern: "unmistakable", skip_ignored_files: false });
    assert.deepEqual(found.files, []);
    const listed = await agent.ask("list_dir", { relative_path: ".", recursive: true });
    assert.ok(!listed.files.some((path) => path.includes("edits")), JSON.stringify(listed.files));
    assert.equal((await agent.call("list_dir", { relative_path: ".banyan/edits" })).reason, "PATH_FORBIDDEN");
    assert.ok(symbols(await agent.ask("find_symbol", { name_path_pattern: project.expected.function })).length > 0);
    await agent.close();
  });
});
