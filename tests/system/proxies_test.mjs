// SPDX-License-Identifier: Apache-2.0
//
// Behind a proxy: what is silent for long is not cut off, and the name that
// clients use is known, whoever forwards it.
//
// The proxy gives up after 15 silent seconds, and a call takes 22; with
// BANYAN_TEST_FULL 60 s and 6 minutes.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Banyan, topologies, withBanyan } from "./harness/banyan.mjs";
import { EventStream } from "./harness/event_stream.mjs";
import { eventually } from "./harness/eventually.mjs";
import { newFolder } from "./harness/fixtures.mjs";
import { freePort } from "./harness/ports.mjs";
import { Program } from "./harness/program.mjs";
import { modernVersion, openSession, rawHttp } from "./harness/raw_http.mjs";

const isFull = Boolean(process.env.BANYAN_TEST_FULL);
const idleSeconds = isFull ? 60 : 15;
const comments = isFull ? 37 : 2;  // Ten to eleven seconds apart.
const limitMs = comments * 12_000;

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

// HAProxy in front of `to`, and below /silent of a server that never answers.
async function startProxy(folder, port, to, silent) {
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, `
defaults
  mode http
  timeout connect 5s
  timeout client ${idleSeconds}s
  timeout server ${idleSeconds}s
frontend clients
  bind 127.0.0.1:${port}
  use_backend silent if { path /silent }
  default_backend edges
backend edges
  server edge ${new URL(to).host}
backend silent
  server silent 127.0.0.1:${silent}
`);
  const proxy = new Program("haproxy", ["-db", "-q", "-f", file], { label: "haproxy" });
  proxy.start();
  await eventually(() => fetch(`http://127.0.0.1:${port}/mcp`), { limitMs: 10_000 });
  return proxy;
}

const post = (url, session, message) =>
  EventStream.open(url, { method: "POST", headers: { ...json, ...session }, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });

function modern(url, method, params, meta = {}) {
  const session = { "mcp-protocol-version": modernVersion, "mcp-method": method, ...(params.name ? { "mcp-name": params.name } : {}) };
  const _meta = { "io.modelcontextprotocol/protocolVersion": modernVersion, "io.modelcontextprotocol/clientCapabilities": {}, ...meta };
  return post(url, session, { id: 1, method, params: { ...params, _meta } });
}

test("what is silent outlives a proxy's idle limit (field report 4)", async () => {
  const folder = newFolder();
  const port = await freePort();
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  const flags = [`--allowed_hosts=127.0.0.1:${port}`, "--conformance_fixtures"];
  const banyan = await Banyan.start("serve", { flags });
  let proxy;
  try {
    proxy = await startProxy(folder.path, port, banyan.mcp, silent.address().port);
    const url = `http://127.0.0.1:${port}/mcp`;
    // The proxy does cut off what says nothing.
    const control = rawHttp(`http://127.0.0.1:${port}/silent`, { limitMs: 120_000 });

    const session = await openSession(url, { capabilities: { elicitation: {} } });
    const call = await post(url, session, { id: 1, method: "tools/call", params: { name: "test_elicitation", arguments: { message: "?" } } });
    const question = (await call.until(({ events }) => events.some(({ json }) => json?.method === "elicitation/create")))
      .events.find(({ json }) => json?.method === "elicitation/create").json;
    const streams = [
      call,
      await EventStream.open(url, { headers: session }),
      await modern(url, "subscriptions/listen", { notifications: {} }),
    ];
    const running = await modern(url, "tools/call", { name: "test_cancellation", arguments: {} }, { progressToken: 1 });
    // The longest that a call of ours takes is 50 s, which no one answers here.
    if (!isFull) streams.push(running);
    await Promise.all(streams.map((stream) => stream.until((it) => it.comments >= comments, limitMs)));
    for (const stream of streams) assert.equal(stream.isOver, false);

    const answer = { jsonrpc: "2.0", id: question.id, result: { action: "accept", content: { username: "u", email: "e" } } };
    assert.equal((await rawHttp(url, { headers: { ...json, ...session }, body: JSON.stringify(answer) })).status, 202);
    await call.ended();
    assert.match(call.events.at(-1).json.result.content[0].text, /accept/);
    if (isFull) assert.match(running.events.at(-1).json.result.content[0].text, /Nobody/);
    for (const stream of [...streams, running]) stream.close();
    assert.equal((await control).status, 504);
  } catch (error) {
    error.message += `\n${proxy?.tail()}\n${banyan.logTail()}`;
    throw error;
  } finally {
    await proxy?.end();
    silent.close();
    silent.closeAllConnections();
    await banyan.stop();
    folder.remove();
  }
});

for (const topology of topologies) {
  test(`${topology}: the public name is known, others are told the way, proxies are believed when listed (field report 14)`, async () => {
    const trusts = topology === "daemons" ? ["--trusted_proxies=127.0.0.2"] : [];
    const flags = { banyan: ["--allowed_hosts=code.example.test"], edge: ["--allowed_hosts=code.example.test", ...trusts] };
    await withBanyan(topology, { roots: [tmpdir()], flags }, async ({ mcp }) => {
      const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: {} });
      const open = (headers, from) => rawHttp(mcp, { headers: { ...json, ...headers }, body: ping, from });
      const isServed = ({ status }) => status !== 403;

      assert.ok(isServed(await open({ host: "code.example.test" })));
      assert.ok(isServed(await open({ host: "code.example.test:8443" })));
      const refused = await open({ host: "backend.internal:8420" });
      assert.equal(refused.status, 403);
      assert.match(refused.text, /--allowed_hosts=backend\.internal/);

      // A client cannot forward itself in.
      const forwarded = { host: "backend.internal:8420", "x-forwarded-host": "code.example.test" };
      assert.ok(!isServed(await open(forwarded)));
      assert.ok(!isServed(await open(forwarded, "127.0.0.3")));
      if (trusts.length === 0) return;
      assert.ok(isServed(await open(forwarded, "127.0.0.2")));
      const foreign = await open({ host: "code.example.test", "x-forwarded-host": "attacker.example.test" }, "127.0.0.2");
      assert.equal(foreign.status, 403, foreign.text);
      assert.match(foreign.text, /attacker\.example\.test/);
    });
  });
}
