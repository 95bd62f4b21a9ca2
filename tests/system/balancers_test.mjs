// SPDX-License-Identifier: Apache-2.0
//
// Two edges behind a real HAProxy and a real nginx, with the files of deploy/,
// under clients of both eras, while something is killed, restarted or scaled:
// no client ever sees 404 or 400, and only what was in flight through the killed
// part fails, with an answer that can be retried.
//
// The matrix {balancer} x {event} is printed. A cell takes 10 s and 12 clients,
// with BANYAN_TEST_FULL 60 s and 50.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { eventually } from "./harness/eventually.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { Fleet } from "./harness/fleet.mjs";
import { modernCall, rawCall } from "./harness/raw_http.mjs";

const isFull = Boolean(process.env.BANYAN_TEST_FULL);
const cellMs = isFull ? 60_000 : 10_000;
const clientCount = isFull ? 50 : 12;

const events = {
  "edge kill -9": { run: (fleet) => fleet.restart("edge-1", "SIGKILL"), inFlightFails: true },
  "edge restart": { run: (fleet) => fleet.restart("edge-2", "SIGTERM"), inFlightFails: true },
  "2 -> 3 -> 2 edges": {
    run: async (fleet) => {
      await fleet.scaleUp();
      await delay(cellMs / 5);
      await fleet.scaleDown();
    },
  },
  "sessiond kill -9": { run: (fleet) => fleet.restart("sessiond", "SIGKILL"), inFlightFails: true },
  "lspd kill -9, takeover": {
    run: async (fleet) => {
      for (const { name } of fleet.lspds) {
        await fleet.restart(name, "SIGKILL");
        await delay(500);
      }
    },
    inFlightFails: true,
  },
};

// One agent of one era that asks all the time and keeps each outcome.
class Client {
  constructor(url, isModern, project) {
    this.url = url;
    this.isModern = isModern;
    this.project = project;
    this.outcomes = [];
    this.isOver = false;
  }

  async begin() {
    if (!this.isModern) {
      const answer = await rawCall(this.url, {
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "fleet", version: "1" } },
      });
      assert.equal(answer.status, 200, answer.text);
      this.sessionId = answer.headers["mcp-session-id"];
    }
    const answer = await this.#call("activate_project", { project: this.project.root });
    assert.equal(answer.status, 200, answer.text);
    assert.ok(!answer.json.result.isError, answer.text);
    this.workspace = answer.json.result.structuredContent.workspace;
    this.done = this.#askOn();
  }

  async #call(name, args) {
    const params = { name, arguments: args };
    if (!this.isModern) return rawCall(this.url, { method: "tools/call", params, sessionId: this.sessionId });
    const headers = args.workspace ? { "mcp-param-workspace": args.workspace } : {};
    return modernCall(this.url, { method: "tools/call", params, headers });
  }

  ask() {
    const args = { relative_path: this.project.expected.file, ...(this.isModern ? { workspace: this.workspace } : {}) };
    return this.#call("read_file", args).catch((error) => ({ status: 0, text: error.message, headers: {} }));
  }

  async #askOn() {
    while (!this.isOver) {
      this.outcomes.push(judge(await this.ask(), this.project));
      await delay(50);
    }
  }

  async end() {
    this.isOver = true;
    await this.done;
  }
}

// What a client makes of an answer: "ok", "retry" or what is wrong with it.
function judge(answer, project) {
  if (answer.status === 200) {
    const result = answer.json?.result;
    if (result && !result.isError) return project.marker.test(answer.text) ? "ok" : `wrong answer: ${answer.text}`;
    const reason = result?.structuredContent?.error?.reason;
    return ["DAEMON_UNREACHABLE", "STORE_UNREACHABLE", "MOVED", "ROOT_BUSY"].includes(reason) ? "retry" : `tool error: ${answer.text}`;
  }
  if ((answer.status === 503 || answer.status === 502) && answer.headers["retry-after"] !== undefined) return "retry";
  return `status ${answer.status}: ${answer.text}`;
}

const matrix = [];

for (const balancer of ["haproxy", "nginx"]) {
  test(`two edges behind ${balancer}: whatever dies, no client loses its session`, async (context) => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    let fleet;
    try {
      fleet = await Fleet.start({ balancer, edges: 2, lspds: 2, roots: [folder.path] });
      for (const [name, { run, inFlightFails }] of Object.entries(events)) {
        await context.test(name, async () => {
          const clients = Array.from({ length: clientCount }, (_, i) => new Client(fleet.mcp, i % 2 === 1, project));
          for (const client of clients) await client.begin();
          const began = performance.now();
          await delay(cellMs / 5);
          await run(fleet);
          await delay(Math.max(cellMs - (performance.now() - began), cellMs / 5));
          for (const client of clients) await client.end();

          const outcomes = clients.flatMap((client) => client.outcomes);
          const count = (wanted) => outcomes.filter((outcome) => outcome === wanted).length;
          matrix.push(`${balancer.padEnd(8)} ${name.padEnd(24)} ${String(outcomes.length).padStart(6)} calls ${String(count("ok")).padStart(6)} ok ${String(count("retry")).padStart(4)} to retry`);
          const wrong = outcomes.filter((outcome) => outcome !== "ok" && outcome !== "retry");
          assert.deepEqual([...new Set(wrong)].slice(0, 5), []);
          // What was in flight, and what came while nobody was there yet.
          assert.ok(count("retry") <= (inFlightFails ? 4 : 1) * clientCount, `${count("retry")} calls had to be repeated`);
          for (const client of clients) assert.equal(client.outcomes.at(-1), "ok", "each client goes on with what it had");
        });
      }
    } catch (error) {
      error.message += `\n${fleet?.logTail() ?? ""}`;
      throw error;
    } finally {
      await fleet?.stop();
      folder.remove();
      console.log(matrix.join("\n"));
    }
  });
}

// The key that the balancer hashes on: one session, or one workspace of the
// modern era, stays with one edge; the id stays out of its log.
for (const balancer of ["haproxy", "nginx"]) {
  test(`${balancer} keeps a session and a workspace at one edge, and their ids out of its log`, async () => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    const fleet = await Fleet.start({ balancer, edges: 3, lspds: 1, roots: [folder.path] });
    try {
      let asked = 0;
      for (const isModern of [false, true]) {
        const client = new Client(fleet.mcp, isModern, project);
        await client.begin();
        await client.end();
        asked += client.outcomes.length;
        const before = await dispatches(fleet, asked);
        const rest = Array.from({ length: 12 }, () => client.ask());
        for (const answer of await Promise.all(rest)) assert.equal(answer.status, 200, answer.text);
        asked += rest.length;
        const after = await dispatches(fleet, asked);
        const grown = after.filter((count, i) => count > before[i]);
        assert.equal(grown.length, 1, `calls by edge: ${before} then ${after}`);
        const log = fleet.balancerLog();
        assert.ok(!log.includes(client.workspace), "a handle is in the log");
        if (client.sessionId) assert.ok(!log.includes(client.sessionId), "a session's id is in the log");
      }
    } finally {
      await fleet.stop();
      folder.remove();
    }
  });
}

// By edge, once their logs tell of all `asked`: a log comes later than an answer.
function dispatches(fleet, asked) {
  return eventually(async () => {
    const counts = fleet.edges.map(({ name }) => fleet.programs[name].lines.filter((line) => line.includes("Tool dispatch: read_file")).length);
    assert.equal(counts.reduce((sum, count) => sum + count), asked, `calls by edge: ${counts}`);
    return counts;
  });
}
