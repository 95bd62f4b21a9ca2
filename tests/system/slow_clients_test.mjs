// SPDX-License-Identifier: Apache-2.0
//
// Clients that are slow on purpose, a thousand at a time, while others go on
// working; and requests that are too large in every way they can be. Prints the
// others' p99 beside the quiet one.
//
// 12 s of each attack; with BANYAN_TEST_FULL 60 s.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { topologies, topologiesOfLongTests, withBanyan } from "./harness/banyan.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { latencies, median, percentile } from "./harness/latency.mjs";
import { peakDuring } from "./harness/memory.mjs";
import { rawCall, rawHttp } from "./harness/raw_http.mjs";

const seconds = process.env.BANYAN_TEST_FULL ? 60 : 12;
const attackers = 1000;
const boundKiB = 128 * 1024;  // What no attack makes an edge grow by.

// The modes of slowhttptest: heads, bodies and readers that never end.
const attacks = {
  "slow heads": ["-H", "-i", "5", "-x", "24"],
  "slow bodies": ["-B", "-i", "5", "-x", "10", "-s", "8192", "-t", "POST", "-f", "application/json"],
  "slow readers": ["-X", "-w", "512", "-y", "1024", "-n", "5", "-z", "32", "-k", "3"],
};

function slowhttptest(url, args) {
  const child = spawn("slowhttptest",
    ["-c", String(attackers), "-r", "500", "-l", String(seconds), "-p", "3", "-u", url, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  child.stdout.on("data", (part) => (text += part));
  child.stderr.on("data", (part) => (text += part));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => resolve(text));
  });
}

// Ask for the tools again and again on one connection each and read nothing.
async function sleepers(url, count, act) {
  const { host, hostname, port } = new URL(url);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } } });
  const one = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nMcp-Method: tools/list\r\n` +
    `MCP-Protocol-Version: 2026-07-28\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.pause();
    socket.write(one.repeat(200));
    return socket;
  });
  try {
    return await act();
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

// What a server answers to bytes that go on until it answers or closes:
// {status, sent}.
function answerTo(url, head, part, parts) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    let sent = 0;
    const done = () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), sent });
    socket.setTimeout(60_000, () => socket.destroy(new Error("no answer within 60 s")));
    socket.on("data", (bytes) => (text += bytes));
    socket.on("end", () => socket.destroy());
    socket.on("error", (error) => (text === "" && !["EPIPE", "ECONNRESET"].includes(error.code) ? reject(error) : done()));
    socket.on("close", done);
    // Looks for an answer before each part: whoever goes on after a refusal is
    // cut off, and may then not see it.
    const pump = () => {
      if (parts === 0 || text !== "" || socket.destroyed) return;
      parts -= 1;
      sent += part.length;
      if (socket.write(part)) setTimeout(pump);
      else socket.once("drain", pump);
    };
    socket.write(head);
    pump();
  });
}

for (const topology of topologiesOfLongTests) {
  test(`${topology}: slow clients hold up nobody else`, async (t) => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    try {
      await withBanyan(topology, { projects: { harbour: project.root }, roots: [folder.path] }, async (banyan) => {
        const { mcp } = banyan;
        const edge = banyan.program("edge").pid;
        const opened = await rawCall(mcp, { method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "quiet", version: "1" } } });
        const session = { "mcp-session-id": opened.headers["mcp-session-id"] };
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_projects", arguments: {} } });
        const others = (isOver) => latencies(mcp, body, session, isOver);
        const quietUntil = performance.now() + 4000;
        const quiet = await others(() => performance.now() > quietUntil);

        // The others' calls while `attack` runs, all of them answered.
        const during = async (name, attack) => {
          let isOver = false;
          const { peak, result: taken } = await peakDuring(edge, async () => {
            const [calls] = await Promise.all([others(() => isOver), attack().finally(() => (isOver = true))]);
            return calls;
          });
          assert.ok(taken.length > 0);
          t.diagnostic(`${name}: p50 ${median(taken).toFixed(1)} ms, p99 ${percentile(taken, 0.99).toFixed(1)} ms of ${taken.length} calls; ` +
            `quiet p50 ${median(quiet).toFixed(1)} ms, p99 ${percentile(quiet, 0.99).toFixed(1)} ms; edge at most +${(peak / 1024).toFixed(0)} MiB`);
          assert.ok(Math.max(...taken) < 10_000, `a call took ${Math.max(...taken).toFixed(0)} ms`);
          return peak;
        };

        for (const [name, args] of Object.entries(attacks)) {
          await t.test(`${attackers} ${name}`, async () => {
            let report = "";
            const peak = await during(name, async () => (report = await slowhttptest(mcp, args)));
            assert.match(report, /Exit status|Test ended/, report.slice(-500));
            assert.ok(peak < boundKiB, `the edge grew by ${peak} KiB`);
          });
        }

        await t.test("clients that ask without end and read nothing", async () => {
          // More of them than an edge has threads, and what they hold is counted.
          const peak = await during("sleepers", () => sleepers(mcp, 300, () => delay(seconds * 1000)));
          assert.ok(peak < 4 * boundKiB, `the edge grew by ${peak} KiB`);
        });
      });
    } finally {
      folder.remove();
    }
  });

  test(`${topology}: what is too large is refused in bounded memory`, async (t) => {
    const folder = newFolder();
    t.after(() => folder.remove());
    await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
      const { mcp } = banyan;
      const { host } = new URL(mcp);
      const edge = banyan.program("edge").pid;
      const bounded = async (act, times = 1) => {
        const { peak, result } = await peakDuring(edge, act);
        assert.ok(peak < times * boundKiB, `the edge grew by ${peak} KiB`);
        t.diagnostic(`edge at most +${(peak / 1024).toFixed(1)} MiB`);
        return result;
      };
      const start = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;

      await t.test("200,000 header lines", async () => {
        const answer = await bounded(() => answerTo(mcp, start, "X-More: yes\r\n".repeat(100), 2000));
        assert.ok([400, 431].includes(answer.status), String(answer.status));
      });

      await t.test("a body of 1 GB, announced", async () => {
        const answer = await bounded(() => answerTo(mcp, `${start}Content-Length: ${1e9}\r\n\r\n`, "x".repeat(1 << 16), 15_000));
        assert.equal(answer.status, 413);
      });

      await t.test("a body of 1 GB, in chunks", async () => {
        const answer = await bounded(() =>
          answerTo(mcp, `${start}Transfer-Encoding: chunked\r\n\r\n`, `10000\r\n${"x".repeat(1 << 16)}\r\n`, 15_000));
        assert.equal(answer.status, 413);
        assert.ok(answer.sent < 64 << 20, `${answer.sent} bytes went out before the refusal was seen`);
      });

      const post = (body) => rawHttp(mcp, { headers: { "content-type": "application/json" }, body });
      await t.test("JSON nested 10,000 deep, and as deep as fits", async () => {
        for (const body of ["[".repeat(10_000) + "]".repeat(10_000), '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000),
          "[".repeat(8 << 20), '{"a":'.repeat(1_600_000)]) {
          const answer = await bounded(() => post(body));
          assert.equal(answer.status, 400);
        }
      });

      await t.test("JSON of millions of values, many times at once", async () => {
        const members = Array.from({ length: 400_000 }, (_, i) => `"k${i}":1`).join(",");
        for (const body of [`[${"1,".repeat(4_000_000)}1]`, `{${members}}`]) {
          const answers = await bounded(() => Promise.all(Array.from({ length: 12 }, () => post(body))), 3);
          for (const answer of answers) assert.ok([400, 503].includes(answer.status), String(answer.status));
        }
      });
    });
  });
}
