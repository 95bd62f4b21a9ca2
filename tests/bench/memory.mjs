// SPDX-License-Identifier: Apache-2.0
//
// What a session that does nothing costs, and an open stream; twice, so that
// one sees whether it is given back.

import { connect } from "node:net";
import { once } from "node:events";

import { withBanyan } from "../system/harness/banyan.mjs";
import { eventually } from "../system/harness/eventually.mjs";
import { residentMemory } from "../system/harness/memory.mjs";
import { metricValue, scrape } from "../system/harness/metrics.mjs";
import { rawHttp } from "../system/harness/raw_http.mjs";
import { openSession } from "./references.mjs";

const quota = ["--max_sessions=1000000", "--max_sessions_per_principal=1000000"];

async function inParallel(count, width, act) {
  let next = 0;
  const results = new Array(count);
  await Promise.all(Array.from({ length: width }, async () => {
    while (next < count) {
      const index = next++;
      results[index] = await act(index);
    }
  }));
  return results;
}

// A session's GET stream on a bare socket.
async function openStream(url, sessionId) {
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(`GET /mcp HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\nMcp-Session-Id: ${sessionId}\r\n\r\n`);
  const [head] = await once(socket, "data");
  if (!String(head).startsWith("HTTP/1.1 200")) throw new Error(`no stream: ${head}`);
  return socket;
}

// Memory of each program before, while and after `open` made `count` of
// something and `close` ended it, twice.
async function hold(banyan, what, count, open, close) {
  const names = Object.keys(banyan.programs);
  const read = () => names.map((name) => residentMemory(banyan.programs[name].pid));
  const before = read();
  const held = [];
  const after = [];
  for (let round = 0; round < 2; ++round) {
    const things = await open(count);
    held.push(read());
    await close(things);
    after.push(read());
  }
  names.forEach((name, i) => {
    const each = (held[1][i] - before[i]) / count;
    console.log(`  ${name.padEnd(9)} ${each.toFixed(2).padStart(7)} KiB a ${what}; RSS ${before[i]} → ${held[0][i]} → ${after[0][i]} → ` +
      `${held[1][i]} → ${after[1][i]} KiB (before, ${count} of them, gone, again, gone)`);
  });
}

export async function measureMemory(topology, { folder, sessions, streams }) {
  const flags = { banyan: quota, sessiond: quota };
  await withBanyan(topology, { roots: [folder], flags }, async (banyan) => {
    const { mcp } = banyan;
    const openSessions = (count) => inParallel(count, 32, () => openSession(mcp));
    const closeSessions = (ids) => inParallel(ids.length, 32, (index) =>
      rawHttp(mcp, { method: "DELETE", headers: { "mcp-session-id": ids[index] } }));
    await closeSessions(await openSessions(200));  // What is made once is there.

    console.log(`\n${topology}: ${sessions} idle sessions`);
    await hold(banyan, "session", sessions, openSessions, closeSessions);

    console.log(`${topology}: ${streams} open streams, a session each`);
    await hold(banyan, "stream and its session", streams, async (count) => {
      const ids = await openSessions(count);
      const sockets = await inParallel(count, 32, (index) => openStream(mcp, ids[index]));
      return { ids, sockets };
    }, async ({ ids, sockets }) => {
      for (const socket of sockets) socket.destroy();
      await closeSessions(ids);
      const gone = async () => {
        const inFlight = metricValue(await scrape(banyan.metricsOf("edge")), "banyan_edge_http_inflight");
        if (inFlight > 0) throw new Error(`${inFlight} still in flight`);
      };
      await eventually(gone, { limitMs: 20_000 });
    });
  });
}
