// SPDX-License-Identifier: Apache-2.0
//
// Within five seconds of any program's SIGKILL none of its servers or their
// children is alive. The guardian itself killed: the servers end at EOF, or are
// reaped at the next start.

import assert from "node:assert/strict";
import { test } from "node:test";

import { topologies, withBanyan } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { copyProject, languages, newFolder } from "./harness/fixtures.mjs";
import { commandLine, descendants, programOf, survivors } from "./harness/processes.mjs";

// A server of each language, under load when its master dies.
async function startServers(banyan, folder) {
  const agents = [];
  for (const language of languages) {
    const project = copyProject(language, "a", folder.path, { name: `${language}-${agents.length}` });
    const agent = await Agent.connect("legacy", banyan.mcp);
    await agent.activate(project.root);
    await agent.ask("get_symbols_overview", { relative_path: project.expected.file });
    agents.push({ agent, project });
  }
  return agents;
}

const victims = { serve: ["banyan"], daemons: ["lspd", "sessiond", "edge"] };

for (const topology of topologies) {
  for (const victim of victims[topology]) {
    test(`${topology}: nothing outlives ${victim}`, async () => {
      const folder = newFolder();
      try {
        await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
          const agents = await startServers(banyan, folder);
          const below = descendants(banyan.program(victim).pid);
          const servers = descendants(banyan.program("lspd").pid);
          assert.ok(servers.length >= languages.length, `only ${servers.length} processes below lspd`);
          const asking = agents.map(({ agent, project }) =>
            agent.call("find_symbol", { name_path_pattern: project.expected.function }).catch(() => {}));
          await banyan.kill(victim);
          assert.deepEqual(await survivors(below, 5_000), []);
          for (const { agent } of agents) await agent.vanish();
          await Promise.allSettled(asking);
          await banyan.restart(victim);
        });
      } finally {
        folder.remove();
      }
    });
  }

  test(`${topology}: an orderly end leaves nothing`, async () => {
    const folder = newFolder();
    try {
      let servers = [];
      await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
        await startServers(banyan, folder);
        servers = banyan.children();
      });
      assert.deepEqual(await survivors(servers, 2_000), []);
    } finally {
      folder.remove();
    }
  });

  test(`${topology}: a killed guardian leaves nothing either`, async () => {
    const folder = newFolder();
    try {
      await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
        const agents = await startServers(banyan, folder);
        const below = descendants(banyan.program("lspd").pid);
        const guardian = below.find(({ pid }) => /guardian/.test(programOf(pid)) || /guardian/.test(commandLine(pid)));
        assert.ok(guardian, `no guardian among: ${below.map(({ name }) => name)}`);
        const servers = descendants(guardian.pid);
        process.kill(guardian.pid, "SIGKILL");
        const left = await survivors(servers, 5_000);
        if (left.length > 0) {
          // Reaped at the next start.
          await banyan.kill("lspd");
          await banyan.restart("lspd");
          assert.deepEqual(await survivors(left, 5_000), []);
        }
        const { agent, project } = agents[0];
        const answer = await agent.call("get_symbols_overview", { relative_path: project.expected.file });
        assert.ok(!answer.isError, `after the guardian's death: ${answer.text}`);
      });
    } finally {
      folder.remove();
    }
  });
}
