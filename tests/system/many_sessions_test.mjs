// SPDX-License-Identifier: Apache-2.0
//
// Many sessions on one session daemon: what each costs in memory, how soon the
// first call succeeds after a kill, and that those which nobody comes back to
// leave nothing behind.
//
// 10,000 sessions; with BANYAN_TEST_FULL 100,000, and the abandoned ones too.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { withBanyan } from "./harness/banyan.mjs";
import { eventually } from "./harness/eventually.mjs";
import { newFolder } from "./harness/fixtures.mjs";
import { residentMemory } from "./harness/memory.mjs";
import { metricValue, scrape, seriesCount } from "./harness/metrics.mjs";
import { rawCall } from "./harness/raw_http.mjs";

const isFull = Boolean(process.env.BANYAN_TEST_FULL);
const count = isFull ? 100_000 : 10_000;
const quota = ["--max_sessions=1000000", "--max_sessions_per_principal=1000000"];

// The last of `wanted` new sessions.
async function openMany(url, wanted, writers = 32) {
  let left = wanted;
  let last = null;
  await Promise.all(Array.from({ length: writers }, async () => {
    while (left-- > 0) {
      const answer = await rawCall(url, {
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: { roots: { listChanged: true }, sampling: {} }, clientInfo: { name: "crowd", version: "1.0.0" } },
      });
      assert.equal(answer.status, 200, answer.text);
      last = answer.headers["mcp-session-id"];
    }
  }));
  return last;
}

const listProjects = (url, sessionId) =>
  rawCall(url, { method: "tools/call", params: { name: "list_projects", arguments: {} }, sessionId });

test(`${count} sessions: memory, and the first call after a kill`, async () => {
  const folder = newFolder();
  try {
    await withBanyan("daemons", { roots: [folder.path], flags: { sessiond: quota } }, async (banyan) => {
      await openMany(banyan.mcp, 500);  // What is needed once is there.
      const before = residentMemory(banyan.program("sessiond").pid);
      const sessionId = await openMany(banyan.mcp, count);
      const each = (residentMemory(banyan.program("sessiond").pid) - before) * 1024 / count;

      await banyan.kill("sessiond");
      const began = performance.now();
      banyan.program("sessiond").start();
      await eventually(async () => assert.equal((await listProjects(banyan.mcp, sessionId)).status, 200), { limitMs: 30_000, pauseMs: 10 });
      const firstMs = performance.now() - began;
      await banyan.ready();
      const restarted = residentMemory(banyan.program("sessiond").pid) * 1024 / count;
      console.log(`${count} sessions: ${Math.round(each)} bytes each (${Math.round(restarted)} with the whole daemon after a restart), ` +
        `first call ${Math.round(firstMs)} ms after the start`);
      assert.ok(firstMs <= 3_000, `${firstMs} ms`);
      assert.ok(each <= 2_048, `${each} bytes`);
    });
  } finally {
    folder.remove();
  }
});

test("abandoned sessions leave no memory and no series behind", { skip: !isFull }, async () => {
  const folder = newFolder();
  try {
    await withBanyan("daemons", { roots: [folder.path], flags: { sessiond: [...quota, "--idle_limit=5s"] } }, async (banyan) => {
      const { pid } = banyan.program("sessiond");
      const sizes = [];
      const series = [];
      for (let round = 0; round < 4; ++round) {
        await openMany(banyan.mcp, 10_000);
        await eventually(async () => assert.equal(metricValue(await scrape(banyan.metricsOf("sessiond")), "banyan_sessiond_sessions_active"), 0),
          { limitMs: 120_000, pauseMs: 1_000 });
        await delay(1_000);
        sizes.push(residentMemory(pid) * 1024);
        const text = await Promise.all(Object.keys(banyan.metrics).map((name) => scrape(banyan.metricsOf(name))));
        series.push(text.map(seriesCount).reduce((sum, one) => sum + one));
      }
      console.log(`4 x 10,000 abandoned: ${sizes.map((size) => `${(size / 2 ** 20).toFixed(1)} MB`).join(", ")}; series ${series.join(", ")}`);
      // The first round fills what is kept for 10 minutes; from then on it is flat.
      assert.ok(sizes[3] - sizes[1] < 4 * 2 ** 20, sizes.join(", "));
      assert.equal(series[3], series[1]);
    });
  } finally {
    folder.remove();
  }
});
