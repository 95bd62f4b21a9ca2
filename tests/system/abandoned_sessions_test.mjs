// SPDX-License-Identifier: Apache-2.0
//
// Clients that come and never say goodbye, and those that do: what they leave
// behind goes away, and what they may take is bounded. A session with a call or
// a stream is not abandoned, however long it is silent.
//
// With BANYAN_TEST_FULL 10,000 abandoned sessions and 5,000 that are ended.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { bin, topologies, withBanyan } from "./harness/banyan.mjs";
import { EventStream } from "./harness/event_stream.mjs";
import { eventually } from "./harness/eventually.mjs";
import { newFolder } from "./harness/fixtures.mjs";
import { residentMemory } from "./harness/memory.mjs";
import { metricValue, scrape } from "./harness/metrics.mjs";
import { openSession, rawCall, rawHttp } from "./harness/raw_http.mjs";

const isFull = Boolean(process.env.BANYAN_TEST_FULL);
const abandoned = isFull ? 10_000 : 300;
const waves = isFull ? 3 : 2;
const cycles = isFull ? 5_000 : 600;
const idleSeconds = isFull ? 120 : 8;
const mebibyte = 1024;  // In KiB, as sizes are here.

// `run` as often as `count`, sixteen at a time.
async function repeat(count, run) {
  const results = [];
  let begun = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (begun < count) {
      begun += 1;
      results.push(await run());
    }
  }));
  return results;
}

const sizes = ({ programs }) => Object.values(programs).reduce((sum, { pid }) => sum + residentMemory(pid), 0);

const opening = (url, headers) => rawCall(url, {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  headers,
});

if (topologies.includes("daemons")) {
  test("abandoned sessions end and give their memory back, and are bounded before (field report 9)", async () => {
    const folder = newFolder();
    const file = join(folder.path, "tokens.json");
    const bearer = (subject) => {
      const token = execFileSync(join(bin, "banyan"), ["token", "create", `--tokens_file=${file}`, `--subject=${subject}`], { encoding: "utf8" });
      return { authorization: `Bearer ${token.trim()}` };
    };
    const [ana, ben] = [bearer("ana"), bearer("ben")];
    const share = abandoned / 4;
    const flags = {
      sessiond: [`--idle_limit=${idleSeconds}s`, `--max_sessions=${abandoned}`, `--max_sessions_per_principal=${abandoned - share}`],
      edge: [`--tokens_file=${file}`],
    };
    try {
      await withBanyan("daemons", { roots: [folder.path], flags }, async (banyan) => {
        const active = async () => metricValue(await scrape(banyan.metricsOf("sessiond")), "banyan_sessiond_sessions_active");
        const after = [];
        for (let wave = 0; wave < waves; ++wave) {
          const first = await repeat(abandoned - share, () => opening(banyan.mcp, ana));
          const second = await repeat(share, () => opening(banyan.mcp, ben));
          for (const answer of [...first, ...second]) assert.equal(answer.status, 200, answer.text);
          // One more than ana may have; one more than all may have.
          for (const who of [ana, ben]) {
            const refused = await opening(banyan.mcp, who);
            assert.equal(refused.status, 429, refused.text);
            assert.ok(refused.headers["retry-after"]);
          }
          await eventually(async () => assert.equal(await active(), 0), { limitMs: (idleSeconds + 90) * 1000 });
          const gone = { "mcp-session-id": first[wave].headers["mcp-session-id"], ...ana };
          assert.equal((await rawCall(banyan.mcp, { method: "ping", headers: gone })).status, 404);
          after.push(sizes(banyan));
        }
        // The first wave also warms everything up.
        assert.ok(after.at(-1) < after[0] + 6 * mebibyte, `resident after each wave: ${after}`);
      });
    } finally {
      folder.remove();
    }
  });

  test("an idle limit ends no session with a call in flight or an open stream (field report 11)", async () => {
    const flags = { sessiond: ["--idle_limit=2s"], edge: ["--conformance_fixtures"] };
    await withBanyan("daemons", { roots: [tmpdir()], flags }, async ({ mcp }) => {
      const [busy, listening, idle] = [await openSession(mcp), await openSession(mcp), await openSession(mcp)];
      const call = await EventStream.open(mcp, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...busy },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "test_cancellation", arguments: {}, _meta: { progressToken: 1 } } }),
      });
      const stream = await EventStream.open(mcp, { headers: listening });
      // A comment comes after ten silent seconds.
      await Promise.all([call, stream].map((each) => each.until(({ comments }) => comments > 0)));
      assert.equal((await rawCall(mcp, { method: "ping", headers: idle })).status, 404);
      assert.equal((await rawCall(mcp, { method: "ping", headers: listening })).status, 200);
      const cancelled = await rawHttp(mcp, {
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...busy },
        body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }),
      });
      assert.equal(cancelled.status, 202, cancelled.text);
      await call.ended(5_000);
      assert.equal((await rawCall(mcp, { method: "ping", headers: busy })).status, 200);
      stream.close();
    });
  });
}

for (const topology of topologies) {
  test(`${topology}: sessions that are ended leave nothing behind (field report 10)`, async () => {
    await withBanyan(topology, { roots: [tmpdir()] }, async (banyan) => {
      const { mcp } = banyan;
      let last;
      let count = 0;
      const cycle = async () => {
        const session = await openSession(mcp);
        const stream = ++count % 4 === 0 ? await EventStream.open(mcp, { headers: session }) : null;
        assert.equal((await rawHttp(mcp, { method: "DELETE", headers: session })).status, 200);
        await stream?.ended();
        last = session;
      };
      await repeat(300, cycle);
      const before = sizes(banyan);
      await repeat(cycles, cycle);
      const grown = sizes(banyan) - before;
      // Ten minutes of changes are kept for watches, three of each session.
      assert.ok(grown < 2 * mebibyte + cycles, `${grown} KiB more after ${cycles} sessions`);
      for (const method of ["POST", "GET", "DELETE"]) {
        const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...last };
        const body = method === "POST" ? JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) : "";
        assert.equal((await rawHttp(mcp, { method, headers, body })).status, 404, method);
      }
    });
  });
}
