// SPDX-License-Identifier: Apache-2.0
//
// A language server that dies in the middle of a request: an error or a right
// answer within two seconds, and a right answer to the next call.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { assertComplete, coversExactly, isComplete, symbols } from "./harness/answers.mjs";
import { topologies, withBanyan } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { copyProject, languages, newFolder } from "./harness/fixtures.mjs";
import { eventually } from "./harness/eventually.mjs";
import { descendants } from "./harness/processes.mjs";

async function serverPid(banyan, project) {
  const { active_lsps: servers } = await (await fetch(`${banyan.admin}/get_lsp_pool_stats`)).json();
  const pid = servers.find((server) => server.workspace_root === project.root)?.pid;
  assert.ok(pid, JSON.stringify(servers));
  return pid;
}

function signalTree(pid, signal) {
  for (const target of [...descendants(pid).map((child) => child.pid).reverse(), pid]) {
    try {
      process.kill(target, signal);
    } catch {
      // Gone already.
    }
  }
}

for (const topology of topologies) {
  for (const language of languages) {
    test(`${topology}, ${language}: a server killed in mid-request`, async () => {
      const folder = newFolder();
      const project = copyProject(language, "a", folder.path);
      const { expected } = project;
      const isRight = (value) => coversExactly(symbols(value), project.places(expected.definitions));
      try {
        await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
          const agent = await Agent.connect("legacy", banyan.mcp);
          await agent.activate(project.root);
          const question = ["find_symbol", { name_path_pattern: expected.function, include_info: true }];
          await eventually(async () => assertComplete(await agent.ask(...question)));

          // Stopped first, so that the question is in its hands when it dies.
          const pid = await serverPid(banyan, project);
          signalTree(pid, "SIGSTOP");
          const pending = agent.call(...question);
          await Promise.race([pending, delay(500)]);
          const killed = performance.now();
          signalTree(pid, "SIGKILL");
          const answer = await pending;
          const elapsed = performance.now() - killed;
          assert.ok(elapsed < 2_000, `answered ${elapsed.toFixed(0)} ms after the kill`);
          if (answer.isError) {
            assert.ok(answer.reason, answer.text);
          } else {
            assert.ok(!isComplete(answer.value) || isRight(answer.value), `complete, yet not right: ${answer.text}`);
          }

          const next = await agent.call(...question);
          assert.ok(!next.isError && isRight(next.value), `the next call: ${next.text}`);
          assert.notEqual(await serverPid(banyan, project), pid);
          await banyan.program("lspd").line(/\[LSP-Pool\] LSP Crashed: .* \(PID: \d+\)\. Restarting\.\.\./);
          await agent.close();
        });
      } finally {
        folder.remove();
      }
    });
  }
}
