// SPDX-License-Identifier: Apache-2.0
//
// What an answer lacks, it says: one case for each reason that a whole project
// can show.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { assertComplete, isComplete, reasons, referencePlaces, symbols } from "./harness/answers.mjs";
import { topologies, withBanyan } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { eventually } from "./harness/eventually.mjs";
import { copyProject, initRepository, newFolder, writeCompileDatabase } from "./harness/fixtures.mjs";

async function withAgent(topology, lay, use) {
  const folder = newFolder();
  try {
    const laid = lay(folder.path);
    await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
      const agent = await Agent.connect("legacy", banyan.mcp);
      await agent.activate(laid.root);
      await use(agent, laid, banyan);
      await agent.close();
    });
  } finally {
    folder.remove();
  }
}

for (const topology of topologies) {
  test(`${topology}: outside_root: a sibling package uses the symbol`, async () => {
    await withAgent(topology, (path) => {
      // One Go module; the root of the session is a package inside it.
      mkdirSync(join(path, "shop/core"), { recursive: true });
      mkdirSync(join(path, "shop/till"), { recursive: true });
      writeFileSync(join(path, "shop/go.mod"), "module example.test/shop\n\ngo 1.19\n");
      writeFileSync(join(path, "shop/core/core.go"), "package core\n\nfunc Price() int { return 3 }\n\nfunc Double() int { return 2 * Price() }\n");
      writeFileSync(join(path, "shop/till/till.go"), "package till\n\nimport \"example.test/shop/core\"\n\nfunc Pay() int { return core.Price() }\n");
      initRepository(join(path, "shop"));
      return { root: join(path, "shop/core") };
    }, async (agent) => {
      await eventually(async () => {
        const value = await agent.ask("find_referencing_symbols", { name_path: "Price", relative_path: "core.go" });
        assert.deepEqual(referencePlaces(value), ["core.go:5"]);
        assert.deepEqual(reasons(value), ["outside_root"], JSON.stringify(value));
        assert.equal(isComplete(value), false);
        assert.equal(value.incomplete[0].count, 1);
        assert.doesNotMatch(JSON.stringify(value), /till/);
      });
    });
  });

  test(`${topology}: name_may_be_generated: the word stands there, no server knows it`, async () => {
    await withAgent(topology, (path) => {
      const project = copyProject("cpp", "a", path);
      // A macro pastes the name together; the text only speaks of it.
      writeFileSync(join(project.root, "src/made.cc"), "#define MAKE(a, b) int a##b() { return 1; }\nMAKE(made_, by_macro)\n// made_by_macro is the one.\n");
      return { root: project.root };
    }, async (agent) => {
      await eventually(async () => {
        const value = await agent.ask("find_symbol", { name_path_pattern: "made_by_nobody" });
        assert.ok(isComplete(value), JSON.stringify(value));
        assert.equal(symbols(value).length, 0);
      });
      await eventually(async () => {
        const value = await agent.ask("find_symbol", { name_path_pattern: "one" });
        assert.equal(symbols(value).length, 0);
        assert.ok(reasons(value).includes("name_may_be_generated"), JSON.stringify(value));
      });
    });
  });

  test(`${topology}: no_compile_database: C++ without one`, async () => {
    await withAgent(topology, (path) => copyProject("cpp", "a", path, { withDatabase: false }), async (agent, project) => {
      await eventually(async () => {
        const value = await agent.ask("find_referencing_symbols", { name_path: "Summarize", relative_path: project.expected.file });
        assert.ok(reasons(value).includes("no_compile_database"), JSON.stringify(value));
      });
    });
  });

  test(`${topology}: a compile database that appears while clangd runs is used, and never half used`, async () => {
    await withAgent(topology, (path) => copyProject("cpp", "a", path, { withDatabase: false }), async (agent, project) => {
      const ask = () => agent.ask("find_referencing_symbols", { name_path: "Summarize", relative_path: project.expected.file });
      await eventually(async () => assert.ok(reasons(await ask()).includes("no_compile_database")));
      writeCompileDatabase(project.root);
      const wanted = project.places(project.expected.references);
      await eventually(async () => {
        const value = await ask();
        if (isComplete(value)) assert.deepEqual(referencePlaces(value), wanted, JSON.stringify(value));
        assert.ok(isComplete(value), JSON.stringify(value));
      });
      const checked = await agent.ask("get_diagnostics", { relative_path: "src/main.cc" });
      assert.doesNotMatch(JSON.stringify(checked), /file not found/);
      // And the other way round: without the include folder the headers are gone.
      writeFileSync(join(project.root, "compile_commands.json"), JSON.stringify([
        { directory: project.root, file: "src/main.cc", arguments: ["c++", "-c", "src/main.cc"] },
      ]));
      await eventually(async () => {
        const value = await agent.ask("get_diagnostics", { relative_path: "src/main.cc" });
        assert.match(JSON.stringify(value), /file not found/);
      });
    });
  });

  test(`${topology}: TypeScript names plain imports and re-exports`, async () => {
    await withAgent(topology, (path) => {
      const project = copyProject("typescript", "a", path);
      writeFileSync(join(project.root, "src/all.ts"), "export { summarize } from \"./ledger\";\n");
      return project;
    }, async (agent, project) => {
      await eventually(async () => {
        const value = await agent.ask("find_referencing_symbols", { name_path: "summarize", relative_path: project.expected.file, include_imports: true });
        const places = referencePlaces(value);
        for (const place of ["src/all.ts:1", "src/main.ts:1", "src/pier.ts:1"]) {
          assert.ok(places.includes(place), `${place} is missing: ${JSON.stringify(value)}`);
        }
      });
    });
  });

  test(`${topology}: changed_while_reading, and a settled tree is complete again`, async () => {
    await withAgent(topology, (path) => copyProject("python", "a", path), async (agent, project) => {
      const ask = () => agent.ask("find_symbol", { name_path_pattern: "summarize" });
      await eventually(async () => assertComplete(await ask()));
      let isOver = false;
      let i = 0;
      const scribble = () => {
        if (isOver) return;
        writeFileSync(join(project.root, `scratch_${i % 40}.py`), `def summarize_${i}():\n    return ${i++}\n`);
        setImmediate(scribble);
      };
      scribble();
      let said = 0;
      try {
        await eventually(async () => {
          const value = await ask();
          if (reasons(value).includes("changed_while_reading")) ++said;
          assert.ok(said > 0, JSON.stringify(value));
        }, { limitMs: 30_000, pauseMs: 1 });
      } finally {
        isOver = true;
      }
      await eventually(async () => {
        const value = await ask();
        assert.ok(isComplete(value), JSON.stringify(value));
        assert.ok(symbols(value).some((symbol) => symbol.relative_path === "ledger.py"));
      });
    });
  });

  test(`${topology}: an edit on disk is seen by the next question`, async () => {
    await withAgent(topology, (path) => copyProject("cpp", "a", path), async (agent, project) => {
      const file = join(project.root, "src/late.cc");
      await eventually(async () => assertComplete(await agent.ask("find_symbol", { name_path_pattern: "Summarize" })));
      for (let i = 0; i < 10; ++i) {
        writeFileSync(file, `int late_${i}() { return ${i}; }\n`);
        const found = await agent.ask("find_symbol", { name_path_pattern: `late_${i}`, include_body: true });
        assert.equal(symbols(found).length, 1, JSON.stringify(found));
        assert.match(symbols(found)[0].body, new RegExp(`return ${i}`));
        if (i > 0) {
          const gone = await agent.ask("find_symbol", { name_path_pattern: `late_${i - 1}` });
          assert.equal(symbols(gone).length, 0, JSON.stringify(gone));
        }
      }
    });
  });

  test(`${topology}: a missing server is an error that says how to install one`, async () => {
    const folder = newFolder();
    const project = copyProject("bash", "a", folder.path);
    try {
      const catalog = join(folder.path, "catalog.json");
      writeFileSync(catalog, JSON.stringify({
        servers: [{
          id: "nobody", language: "bash", documents: [{ id: "shellscript", extensions: [".sh"] }],
          command: ["no-such-language-server"], versionCommand: ["no-such-language-server", "--version"],
          isDefault: true, install: { hint: "apt-get install no-such-language-server" },
        }],
      }));
      await withBanyan(topology, { roots: [project.root], flags: { lspd: [`--catalog=${catalog}`], banyan: [`--catalog=${catalog}`] } }, async (banyan) => {
        const agent = await Agent.connect("legacy", banyan.mcp);
        await agent.activate(project.root);
        const answer = await agent.call("get_symbols_overview", { relative_path: "ledger.sh" });
        assert.ok(answer.isError, answer.text);
        assert.equal(answer.reason, "SERVER_MISSING");
        assert.match(answer.text, /bash/);
        assert.match(answer.text, /apt-get install no-such-language-server/);
        await agent.close();
      });
    } finally {
      folder.remove();
    }
  });
}
