// SPDX-License-Identifier: Apache-2.0
//
// Any program killed with SIGKILL and started again: calls with the old session
// id, and with the old handle, work from the first /readyz on, and no client
// ever sees a 404.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { topologies, withBanyan } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { rawCall } from "./harness/raw_http.mjs";

const victims = { serve: ["banyan"], daemons: ["lspd", "sessiond", "edge"] };

// Asks with the session all the time and keeps each status; a refused
// connection is status 0.
class Prober {
  constructor(url, sessionId) {
    this.statuses = [];
    this.isOver = false;
    this.done = (async () => {
      while (!this.isOver) {
        const answer = await rawCall(url, { method: "tools/call", params: { name: "list_projects", arguments: {} }, sessionId }).catch(() => ({ status: 0 }));
        this.statuses.push(answer.status);
        await delay(25);
      }
    })();
  }

  async end() {
    this.isOver = true;
    await this.done;
    return this.statuses;
  }
}

for (const topology of topologies) {
  for (const victim of victims[topology]) {
    test(`${topology}: ${victim} killed and started again loses no session`, async () => {
      const folder = newFolder();
      const project = copyProject("python", "a", folder.path);
      const { expected } = project;
      try {
        await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
          const legacy = await Agent.connect("legacy", banyan.mcp);
          const modern = await Agent.connect("modern", banyan.mcp);
          for (const agent of [legacy, modern]) {
            await agent.activate(project.root);
            await agent.ask("get_symbols_overview", { relative_path: expected.file });
          }
          const sessionId = legacy.sessionId;
          assert.ok(sessionId);

          for (let time = 0; time < 3; ++time) {
            const prober = new Prober(banyan.mcp, sessionId);
            await delay(100);
            await banyan.kill(victim);
            await delay(200);
            await banyan.restart(victim);
            // From the first /readyz on.
            for (const agent of [legacy, modern]) {
              const read = await agent.call("read_file", { relative_path: expected.file });
              assert.ok(!read.isError, `after the restart: ${read.text}`);
              assert.match(read.text, project.marker);
              const overview = await agent.call("get_symbols_overview", { relative_path: expected.file });
              assert.ok(!overview.isError, `after the restart: ${overview.text}`);
              assert.match(overview.text, /summarize/);
            }
            assert.equal(legacy.sessionId, sessionId);
            const statuses = await prober.end();
            assert.ok(!statuses.includes(404), `statuses: ${statuses}`);
            assert.ok(statuses.every((status) => [0, 200, 503].includes(status)), `statuses: ${statuses}`);
            assert.equal(statuses.at(-1), 200, `statuses: ${statuses}`);
          }
          await legacy.close();
          await modern.close();
        });
      } finally {
        folder.remove();
      }
    });
  }
}
