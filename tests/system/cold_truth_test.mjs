// SPDX-License-Identifier: Apache-2.0
//
// The first question right after the start is answered completely, or the
// answer says why it is not: never silently empty, never silently short.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { coversExactly, isComplete, reasons, referencePlaces, symbols } from "./harness/answers.mjs";
import { topologies, withBanyan } from "./harness/banyan.mjs";
import { Agent, eras } from "./harness/clients.mjs";
import { copyProject, languages, newFolder } from "./harness/fixtures.mjs";

const starts = process.env.BANYAN_TEST_FULL ? 20 : 2;
const settleLimitMs = 60_000;

const questions = {
  find_symbol: {
    ask: (agent, { expected }) => agent.call("find_symbol", { name_path_pattern: expected.function }),
    isRight: (value, project) => coversExactly(symbols(value), project.places(project.expected.definitions)),
  },
  find_referencing_symbols: {
    ask: (agent, { expected }) => agent.call("find_referencing_symbols", { name_path: expected.function, relative_path: expected.file }),
    isRight: (value, project) => {
      const places = referencePlaces(value);
      const wanted = project.places(project.expected.references);
      return places.length === wanted.length && places.every((place, i) => place === wanted[i]);
    },
  },
  get_symbols_overview: {
    ask: (agent, { expected }) => agent.call("get_symbols_overview", { relative_path: expected.file }),
    isRight: (value, { expected }) => JSON.stringify(value).includes(expected.function),
  },
};

// One cold question: its verdict, and what was said at first.
async function askCold(agent, project, question) {
  const first = await question.ask(agent, project);
  if (first.isError) {
    assert.ok(first.reason, `an error without a reason: ${first.text}`);
  } else if (isComplete(first.value)) {
    assert.ok(question.isRight(first.value, project), `complete, yet not right: ${first.text}`);
    return "complete";
  }
  const said = first.reason ?? reasons(first.value).join(", ");
  // What is unready becomes ready.
  const end = performance.now() + settleLimitMs;
  let last = first;
  while (performance.now() < end) {
    last = await question.ask(agent, project);
    if (!last.isError && isComplete(last.value)) {
      assert.ok(question.isRight(last.value, project), `complete later, yet not right: ${last.text}`);
      return `first said: ${said}`;
    }
    await delay(250);
  }
  assert.fail(`never complete; at last: ${last.text}`);
}

for (const topology of topologies) {
  for (let start = 0; start < starts; ++start) {
    test(`${topology}: cold start ${start + 1} of ${starts}`, async (t) => {
      const folder = newFolder();
      const projects = languages.flatMap((language) => ["a", "b"].map((which) => copyProject(language, which, folder.path)));
      try {
        await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
          for (const project of projects) {
            // Each start asks another question first.
            const names = Object.keys(questions);
            const name = names[(start + (project.which === "a" ? 0 : 1)) % names.length];
            await t.test(`${project.language} ${project.which}: ${name}`, async (tt) => {
              const agent = await Agent.connect(eras[start % eras.length], banyan.mcp);
              await agent.activate(project.root);
              tt.diagnostic(await askCold(agent, project, questions[name]));
              await agent.close();
            });
          }
        });
      } finally {
        folder.remove();
      }
    });
  }
}
