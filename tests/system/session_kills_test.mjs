// SPDX-License-Identifier: Apache-2.0
//
// The session daemon killed with SIGKILL at random moments while clients open,
// bind and end sessions as fast as they can, again and again on one store. What
// a client was told is written down on its side: nothing acknowledged is lost,
// nothing ended comes back.
//
// 12 kills; with BANYAN_TEST_FULL 200.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { withBanyan } from "./harness/banyan.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { rawCall, rawHttp } from "./harness/raw_http.mjs";

const kills = process.env.BANYAN_TEST_FULL ? 200 : 12;
const writers = 16;
const quota = ["--max_sessions=1000000", "--max_sessions_per_principal=1000000",
  "--max_workspaces=1000000", "--max_workspaces_per_principal=1000000"];

// What the clients were told. A request that got no answer, or 503, may have
// been carried out or not: its session is set aside.
class Log {
  constructor() {
    this.live = new Map();  // id -> handle or null
    this.ended = new Set();
    this.acknowledged = 0;
  }
}

async function openOne(url, log, project) {
  const answer = await rawCall(url, {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "kills", version: "1" } },
  });
  if (answer.status !== 200) return;
  const id = answer.headers["mcp-session-id"];
  log.live.set(id, null);
  ++log.acknowledged;
  const dice = Math.random();
  if (dice < 0.4) await bind(url, log, id, project);
  if (dice > 0.3 && dice < 0.7) await end(url, log, id);
}

async function bind(url, log, id, project) {
  log.live.delete(id);
  const answer = await rawCall(url, { method: "tools/call", params: { name: "activate_project", arguments: { project } }, sessionId: id });
  const result = answer.json?.result;
  if (answer.status !== 200 || result === undefined || result.isError) return;
  log.live.set(id, result.structuredContent.workspace);
  ++log.acknowledged;
}

async function end(url, log, id) {
  log.live.delete(id);
  const answer = await rawHttp(url, { method: "DELETE", headers: { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" } });
  if (answer.status !== 200 && answer.status !== 204) return;
  log.ended.add(id);
  ++log.acknowledged;
}

async function inParallel(items, work) {
  const rest = [...items];
  await Promise.all(Array.from({ length: writers }, async () => {
    while (rest.length > 0) await work(rest.pop());
  }));
}

async function check(url, live, ended) {
  const lost = [];
  await inParallel(live, async ([id, handle]) => {
    const answer = await rawCall(url, { method: "tools/call", params: { name: "get_current_config", arguments: {} }, sessionId: id });
    if (answer.status !== 200) lost.push(`${id.slice(0, 4)}…: status ${answer.status}`);
    else if (handle !== null && !answer.text.includes(handle)) lost.push(`${id.slice(0, 4)}…: its workspace`);
  });
  const back = [];
  await inParallel(ended, async (id) => {
    const answer = await rawCall(url, { method: "tools/call", params: { name: "list_projects", arguments: {} }, sessionId: id });
    if (answer.status !== 404) back.push(`${id.slice(0, 4)}…: status ${answer.status}`);
  });
  assert.deepEqual({ lost, back }, { lost: [], back: [] });
}

test(`${kills} kills of the session daemon lose nothing acknowledged and bring nothing back`, async () => {
  const folder = newFolder();
  const project = copyProject("python", "a", folder.path);
  try {
    await withBanyan("daemons", { roots: [folder.path], flags: { sessiond: quota } }, async (banyan) => {
      const all = new Log();
      let busyMs = 0;
      for (let kill = 0; kill < kills; ++kill) {
        const log = new Log();
        let isOver = false;
        const busy = Array.from({ length: writers }, async () => {
          while (!isOver) await openOne(banyan.mcp, log, project.root).catch(() => {});
        });
        const began = performance.now();
        await delay(100 + Math.random() * 400);
        await banyan.kill("sessiond");
        busyMs += performance.now() - began;
        isOver = true;
        const restarted = banyan.restart("sessiond");
        await Promise.all(busy);
        await restarted;
        await check(banyan.mcp, log.live, log.ended);
        for (const [id, handle] of log.live) all.live.set(id, handle);
        for (const id of log.ended) all.ended.add(id);
        all.acknowledged += log.acknowledged;
      }
      await check(banyan.mcp, all.live, all.ended);
      console.log(`${kills} kills: ${all.acknowledged} acknowledged (${Math.round(all.acknowledged / busyMs * 1000)}/s while it ran), ` +
        `${all.live.size} live and ${all.ended.size} ended ones checked`);
    });
  } finally {
    folder.remove();
  }
});
