// SPDX-License-Identifier: Apache-2.0
//
// Two agents on two projects that share their symbols' names: not one answer
// comes from the other's project. Two sessions on one root share one server.

import assert from "node:assert/strict";
import { test } from "node:test";

import { coversExactly, referencePlaces, symbols } from "./harness/answers.mjs";
import { topologies, withBanyan } from "./harness/banyan.mjs";
import { Agent, eras } from "./harness/clients.mjs";
import { copyProject, languages, newFolder } from "./harness/fixtures.mjs";

const rounds = 50;  // of four calls each

// Every language in two of the four combinations, Python in all of them; all in
// all with --full.
function languagesFor(topology, era) {
  const isMain = (topology === "serve") === (era === "legacy");
  return process.env.BANYAN_TEST_FULL || isMain ? languages : languages.filter((language) => language === "python");
}

// What an agent asks in one round, and what must hold of each answer.
async function ask(agent, project, round) {
  const { expected } = project;
  const found = await agent.ask("find_symbol", { name_path_pattern: expected.function, include_body: true });
  assert.ok(coversExactly(symbols(found), project.places(expected.definitions)), JSON.stringify(found));
  const used = await agent.ask("find_referencing_symbols", { name_path: expected.function, relative_path: expected.file });
  assert.deepEqual(referencePlaces(used), project.places(expected.references));
  const read = await agent.ask("read_file", { relative_path: expected.file });
  const hits = await agent.ask("search_for_pattern", { substring_pattern: round % 2 === 0 ? expected.function : "harbour|orchard" });
  for (const answer of [found, used, read, hits]) {
    const text = JSON.stringify({ ...answer, workspace: "", _meta: "" });
    assert.doesNotMatch(text, project.foreign, `an answer from the other project: ${text}`);
  }
  assert.match(JSON.stringify(read), project.marker);
  assert.match(JSON.stringify(hits), project.marker);
}

async function poolStats(banyan) {
  const answer = await fetch(`${banyan.admin}/get_lsp_pool_stats`);
  assert.equal(answer.status, 200);
  return (await answer.json()).active_lsps;
}

// The first right answers; an index that is still growing says so until then.
async function warmUp(agent, project) {
  for (let i = 0; ; ++i) {
    try {
      return await ask(agent, project, i);
    } catch (error) {
      if (i >= 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

for (const topology of topologies) {
  for (const era of eras) {
    for (const language of languagesFor(topology, era)) {
      test(`${topology}, ${era}, ${language}: ${rounds * 4} interleaved calls of two agents stay apart`, async () => {
        const folder = newFolder();
        const projects = ["a", "b"].map((which) => copyProject(language, which, folder.path));
        try {
          await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
            const agents = [];
            for (const project of projects) {
              const agent = await Agent.connect(era, banyan.mcp);
              await agent.activate(project.root);
              await warmUp(agent, project);
              agents.push(agent);
            }
            await Promise.all(agents.map(async (agent, i) => {
              for (let round = 0; round < rounds; ++round) await ask(agent, projects[i], round);
            }));

            // A third agent on the first root gets the server that is there.
            const third = await Agent.connect(era, banyan.mcp);
            await third.activate(projects[0].root);
            await ask(third, projects[0], 0);
            const shared = (await poolStats(banyan)).filter((lsp) => lsp.workspace_root === projects[0].root && lsp.language === language);
            assert.equal(shared.length, 1, JSON.stringify(shared));
            assert.equal(shared[0].ref_count, 2, JSON.stringify(shared));

            // One's end leaves the others untouched.
            await agents[0].close();
            await ask(third, projects[0], 1);
            await ask(agents[1], projects[1], 1);
            await third.close();
            await ask(agents[1], projects[1], 2);
            await agents[1].close();
          });
        } finally {
          folder.remove();
        }
      });
    }

    test(`${topology}, ${era}: two first calls at once start one server`, async () => {
      const folder = newFolder();
      const project = copyProject("python", "a", folder.path);
      try {
        await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
          const agents = await Promise.all([0, 1, 2, 3].map(() => Agent.connect(era, banyan.mcp)));
          await Promise.all(agents.map(async (agent) => {
            await agent.activate(project.root, { prewarm: false });
            await agent.ask("get_symbols_overview", { relative_path: project.expected.file });
          }));
          const pids = new Set((await poolStats(banyan)).map((lsp) => lsp.pid));
          assert.equal(pids.size, 1, JSON.stringify(await poolStats(banyan)));
          for (const agent of agents) await agent.close();
        });
      } finally {
        folder.remove();
      }
    });
  }
}
