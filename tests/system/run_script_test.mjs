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

test("deploy/run.sh serves a folder and prints how to connect", { timeout: 600_000 }, async () => {
  const folder = newFolder();
  const project = copyProject("python", "a", folder.path);
  const [mcp, admin, metrics] = [await freePort(), await freePort(), await freePort()];
  const script = spawn(join(repository, "deploy/run.sh"), [project.root], {
    env: {
      ...process.env,
      BANYAN_LISTEN: `127.0.0.1:${mcp}`,
      BANYAN_ADMIN_LISTEN: `127.0.0.1:${admin}`,
      BANYAN_METRICS_LISTEN: `127.0.0.1:${metrics}`,
      BANYAN_DATA_DIR: join(folder.path, "data"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  let told = "";
  script.stdout.setEncoding("utf8").on("data", (text) => (printed += text));
  script.stderr.setEncoding("utf8").on("data", (text) => (told += text));
  try {
    await eventually(() => {
      assert.equal(script.exitCode, null, told);
      assert.match(printed, /Ctrl-C/, told);
    }, { limitMs: 540_000 });
    for (const client of ["Claude Code", "VS Code", "Cursor", "Codex"]) assert.ok(printed.includes(client), printed);
    const urls = [...printed.matchAll(/http:\/\/[\w.:]+\/mcp/g)].map(([url]) => url);
    assert.deepEqual([...new Set(urls)], [`http://127.0.0.1:${mcp}/mcp`]);
    for (const era of ["legacy", "modern"]) {
      const agent = await Agent.connect(era, urls[0]);
      // One project: bound without a word.
      const overview = await agent.ask("get_symbols_overview", { relative_path: "ledger.py" });
      assert.match(JSON.stringify(overview), /summarize/);
      await agent.close();
    }
  } finally {
    script.kill("SIGTERM");
    if (script.exitCode === null) await once(script, "exit");
    folder.remove();
  }
  assert.equal(script.exitCode, 0, told);
});
