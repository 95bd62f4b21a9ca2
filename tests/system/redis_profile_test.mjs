// SPDX-License-Identifier: Apache-2.0
//
// Two session daemons on one real Redis, behind one address of an edge and an
// lspd, under clients all the time: either daemon killed, Redis killed and
// started again, a failover by Sentinel. What clients were told is written down
// on their side.
//
// Redis syncs every write, so a restart of it loses nothing. A failover may lose
// what the replica had not yet: how much is printed, and none of it is old.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { bin, repository } from "./harness/banyan.mjs";
import { eventually } from "./harness/eventually.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { freePort } from "./harness/ports.mjs";
import { Program } from "./harness/program.mjs";
import { rawCall, rawHttp } from "./harness/raw_http.mjs";
import { askRedis, Redis, startSentinel } from "./harness/redis.mjs";

const at = (port) => `127.0.0.1:${port}`;
const legacy = (sessionId) => ({ "mcp-session-id": sessionId, "mcp-protocol-version": "2025-11-25" });

// Two sessiond, one lspd, one edge.
class Deployment {
  static async start(folder, store) {
    const one = new Deployment(folder);
    const keys = join(folder, "keys");
    mkdirSync(keys, { recursive: true, mode: 0o700 });
    const ports = [await freePort(), await freePort()];
    const both = `ipv4:${ports.map(at).join(",")}`;
    const roots = `--workspaces_root=${folder}`;
    for (const [i, port] of ports.entries()) {
      await one.#add(`sessiond-${i + 1}`, "banyan-sessiond", [`--listen=${at(port)}`, `--store=${store}`, `--keys_dir=${keys}`, roots]);
    }
    const lsp = await freePort();
    await one.#add("lspd", "banyan-lspd", [`--listen=${at(lsp)}`, `--sessiond=${both}`, roots,
      `--catalog=${join(repository, "deploy/server_catalog.json")}`]);
    const mcp = await freePort();
    await one.#add("edge", "banyan-edge", [`--listen=${at(mcp)}`, `--admin_listen=${at(await freePort())}`, `--sessiond=${both}`, `--lspd=${at(lsp)}`]);
    one.mcp = `http://${at(mcp)}/mcp`;
    return one;
  }

  constructor(folder) {
    this.folder = folder;
    this.programs = {};
    this.metrics = {};
  }

  async #add(name, program, args) {
    this.metrics[name] = await freePort();
    this.programs[name] = new Program(join(bin, program), [...args, `--metrics_listen=${at(this.metrics[name])}`,
      `--data_dir=${join(this.folder, `data-${name}`)}`], { label: name });
    this.programs[name].start();
    await this.ready(name);
  }

  ready(name) {
    return eventually(async () => assert.equal((await fetch(`http://${at(this.metrics[name])}/readyz`)).status, 200), { limitMs: 30_000, pauseMs: 30 });
  }

  async kill(name) {
    await this.programs[name].end("SIGKILL");
  }

  async restart(name) {
    this.programs[name].start();
    await this.ready(name);
  }

  logTail() {
    return Object.values(this.programs).map((program) => program.tail(15)).join("\n");
  }

  async stop() {
    for (const program of Object.values(this.programs).reverse()) await program.end("SIGKILL").catch(() => {});
  }
}

// Clients that open, use and end sessions until they are stopped, and what they
// were told: when each session was acknowledged, which ones were ended.
class Crowd {
  constructor(url, clients = 8) {
    this.url = url;
    this.live = new Map();
    this.ended = new Map();
    this.wrong = [];
    this.refused = 0;
    this.isOver = false;
    this.busy = Promise.all(Array.from({ length: clients }, async () => {
      while (!this.isOver) await this.#turn().catch(() => delay(20));
    }));
  }

  async #turn() {
    const opened = await rawCall(this.url, {
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "crowd", version: "1" } },
    });
    if (opened.status !== 200) {
      await this.#refuse("initialize", opened);
      return;
    }
    const id = opened.headers["mcp-session-id"];
    this.live.set(id, performance.now());
    const used = await rawCall(this.url, { method: "tools/call", params: { name: "list_projects", arguments: {} }, sessionId: id });
    if (used.status !== 200) await this.#refuse("list_projects", used);
    if (Math.random() < 0.5) return;
    this.live.delete(id);
    const ended = await rawHttp(this.url, { method: "DELETE", headers: legacy(id) });
    if ([200, 204].includes(ended.status)) this.ended.set(id, performance.now());
    else await this.#refuse("DELETE", ended);
  }

  // Anything that cannot be asked again is wrong.
  async #refuse(what, answer) {
    ++this.refused;
    if (answer.status === 503 && answer.headers["retry-after"] !== undefined) await delay(20);
    else this.wrong.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }

  async stop() {
    this.isOver = true;
    await this.busy;
  }
}

async function statusesOf(url, ids) {
  const rest = [...ids];
  const statuses = new Map();
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (rest.length > 0) {
      const id = rest.pop();
      const answer = await rawCall(url, { method: "tools/call", params: { name: "list_projects", arguments: {} }, sessionId: id });
      statuses.set(id, answer.status);
    }
  }));
  return statuses;
}

// Those that were lost, and those that came back.
async function differences(url, crowd) {
  const live = await statusesOf(url, crowd.live.keys());
  const ended = await statusesOf(url, crowd.ended.keys());
  return {
    lost: [...live].filter(([, status]) => status !== 200),
    back: [...ended].filter(([, status]) => status !== 404),
  };
}

async function withDeployment(store, folder, use) {
  const deployment = await Deployment.start(folder, store);
  try {
    await use(deployment);
  } catch (error) {
    error.message += `\n${deployment.logTail()}`;
    throw error;
  } finally {
    await deployment.stop();
  }
}

async function isServed(url) {
  const answer = await rawCall(url, {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "probe", version: "1" } },
  });
  assert.equal(answer.status, 200, answer.text);
}

test("two session daemons on one Redis: either killed, Redis killed and started again", async () => {
  const folder = newFolder();
  copyProject("python", "a", folder.path);
  const redis = await Redis.start(folder.path, "redis");
  try {
    await withDeployment(`redis://${at(redis.port)}/0`, folder.path, async (deployment) => {
      const crowd = new Crowd(deployment.mcp);
      await delay(1_000);
      for (const name of ["sessiond-1", "sessiond-2"]) {
        await deployment.kill(name);
        await delay(1_500);
        await isServed(deployment.mcp);  // By the other one.
        await deployment.restart(name);
        await delay(500);
      }
      await redis.kill();
      await delay(1_000);
      const down = performance.now();
      await redis.restart();
      await eventually(() => isServed(deployment.mcp), { limitMs: 20_000, pauseMs: 50 });
      const backMs = performance.now() - down;
      await delay(1_000);
      await crowd.stop();
      const { lost, back } = await differences(deployment.mcp, crowd);
      console.log(`kills of sessiond and Redis: ${crowd.live.size} live and ${crowd.ended.size} ended ones checked, ` +
        `${crowd.refused} calls asked to come again, served ${Math.round(backMs)} ms after Redis was started`);
      assert.deepEqual({ lost, back, wrong: crowd.wrong.slice(0, 5) }, { lost: [], back: [], wrong: [] });
      assert.ok(crowd.live.size > 20 && crowd.ended.size > 20);
    });
  } finally {
    await redis.kill();
    folder.remove();
  }
});

test("a failover by Sentinel: what the replica has stays, and the rest is little and new", async () => {
  const folder = newFolder();
  copyProject("python", "a", folder.path);
  const master = await Redis.start(folder.path, "master");
  const replica = await Redis.start(folder.path, "replica", { master: master.port });
  await eventually(async () => assert.match(await askRedis(replica.port, ["ROLE"]), /connected/), { limitMs: 20_000, pauseMs: 50 });
  const sentinel = await startSentinel(folder.path, master.port);
  // It must know the replica before the master dies.
  await eventually(async () => assert.match(await askRedis(sentinel.port, ["SENTINEL", "replicas", "banyan"]), new RegExp(`${replica.port}`)),
    { limitMs: 30_000, pauseMs: 100 });
  try {
    await withDeployment(`redis+sentinel://${at(sentinel.port)}/banyan/0`, folder.path, async (deployment) => {
      const crowd = new Crowd(deployment.mcp);
      await delay(3_000);
      const died = performance.now();
      await master.kill();
      await eventually(async () => assert.match(await askRedis(replica.port, ["ROLE"]), /master/), { limitMs: 40_000, pauseMs: 50 });
      await eventually(() => isServed(deployment.mcp), { limitMs: 30_000, pauseMs: 50 });
      const backMs = performance.now() - died;
      await delay(1_000);
      await crowd.stop();
      const { lost, back } = await differences(deployment.mcp, crowd);
      const before = (told) => ([id]) => died - told.get(id);
      const oldest = Math.max(0, ...lost.map(before(crowd.live)), ...back.map(before(crowd.ended)));
      console.log(`failover: served again after ${Math.round(backMs)} ms; of ${crowd.live.size} live ${lost.length} lost, of ${crowd.ended.size} ended ${back.length} back, ` +
        `the oldest told ${Math.round(oldest)} ms before the master died; ${crowd.refused} calls asked to come again`);
      assert.deepEqual(crowd.wrong.filter((one) => !/: 404/.test(one)).slice(0, 5), []);
      // The documented promise: only the newest, here those of the last second.
      assert.ok(oldest < 1_000, `${oldest} ms`);
    });
  } finally {
    await sentinel.program.end("SIGKILL").catch(() => {});
    await replica.kill();
    await master.kill();
    folder.remove();
  }
});
