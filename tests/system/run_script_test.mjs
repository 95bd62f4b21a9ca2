// SPDX-License-Identifier: Apache-2.0
//
// The README's first command: serves a folder, prints how to connect, and what
// it prints works with the official clients.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";

import { repository } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { eventually } from "./harness/eventually.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { freePort } from "./harness/ports.mjs";

// deploy/run.sh with ports and a data folder of its own.
class Script {
  static async plan(folder) {
    const script = new Script();
    script.mcp = await freePort();
    script.env = {
      ...process.env,
      BANYAN_LISTEN: `127.0.0.1:${script.mcp}`,
      BANYAN_ADMIN_LISTEN: `127.0.0.1:${await freePort()}`,
      BANYAN_METRICS_LISTEN: `127.0.0.1:${await freePort()}`,
      BANYAN_DATA_DIR: join(folder.path, "data"),
    };
    return script;
  }

  // Everything goes to `printed` (standard output) and `told` (standard error).
  run(root) {
    const child = spawn(join(repository, "deploy/run.sh"), [root], { env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    const run = { child, printed: "", told: "", closed: once(child, "close") };
    child.stdout.setEncoding("utf8").on("data", (text) => (run.printed += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (run.told += text));
    return run;
  }
}

async function announced(run) {
  await eventually(() => {
    assert.equal(run.child.exitCode, null, run.told);
    assert.match(run.printed, /Ctrl-C/, run.told);
  }, { limitMs: 540_000 });
}

async function stopped(run) {
  run.child.kill("SIGTERM");
  await run.closed;
}

test("deploy/run.sh serves a folder and prints how to connect", { timeout: 600_000 }, async () => {
  const folder = newFolder();
  // A comma separates projects in the flag of that name.
  const project = copyProject("python", "a", join(folder.path, 'one, "two"'));
  const script = await Script.plan(folder);
  const run = script.run(project.root);
  try {
    await announced(run);
    for (const client of ["Claude Code", "VS Code", "Cursor", "Codex"]) assert.ok(run.printed.includes(client), run.printed);
    const urls = [...run.printed.matchAll(/http:\/\/[\w.:]+\/mcp/g)].map(([url]) => url);
    assert.deepEqual([...new Set(urls)], [`http://127.0.0.1:${script.mcp}/mcp`]);
    for (const era of ["legacy", "modern"]) {
      const agent = await Agent.connect(era, urls[0]);
      // One project: bound without a word.
      const overview = await agent.ask("get_symbols_overview", { relative_path: "ledger.py" });
      assert.match(JSON.stringify(overview), /summarize/);
      await agent.close();
    }
  } finally {
    await stopped(run);
    folder.remove();
  }
  assert.equal(run.child.exitCode, 0, run.told);
});

test("a second deploy/run.sh on the same ports announces nothing and fails", { timeout: 600_000 }, async () => {
  const folder = newFolder();
  const project = copyProject("python", "a", folder.path);
  const script = await Script.plan(folder);
  const first = script.run(project.root);
  try {
    await announced(first);
    for (const data of ["data", "other"]) {
      script.env.BANYAN_DATA_DIR = join(folder.path, data);
      const second = script.run(project.root);
      await second.closed;
      assert.equal(second.child.exitCode, 1, second.told);
      assert.equal(second.printed, "", second.told);
    }
  } finally {
    await stopped(first);
    folder.remove();
  }
});
