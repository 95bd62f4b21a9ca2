// SPDX-License-Identifier: Apache-2.0
//
// What clients see of sessions, numbered like the behaviours that the session
// daemon's own tests are numbered by: 75 to 83 of HTTP, 84 to 98 of the two
// eras.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { bin, topologies, withBanyan } from "./harness/banyan.mjs";
import { EventStream } from "./harness/event_stream.mjs";
import { eventually } from "./harness/eventually.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { freePort } from "./harness/ports.mjs";
import { Program } from "./harness/program.mjs";
import { modernCall, modernVersion, rawCall, rawHttp } from "./harness/raw_http.mjs";

const isFull = Boolean(process.env.BANYAN_TEST_FULL);
const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const everywhere = (flags) => ({ banyan: flags, edge: flags });
const bearer = (token) => ({ authorization: `Bearer ${token}` });

async function open(url, headers = {}) {
  const answer = await rawCall(url, {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "behaviours", version: "1" } },
    headers,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.headers["mcp-session-id"];
}

const end = (url, sessionId, headers = {}) =>
  rawHttp(url, { method: "DELETE", headers: { "mcp-session-id": sessionId, "mcp-protocol-version": "2025-11-25", ...headers } });
const callTool = (url, sessionId, name, args = {}, headers = {}) =>
  rawCall(url, { method: "tools/call", params: { name, arguments: args }, sessionId, headers });

// The status of every kind of request on a session.
async function statuses(url, sessionId) {
  const all = [];
  for (const method of ["ping", "tools/list", "no/such"]) all.push((await rawCall(url, { method, params: {}, sessionId })).status);
  all.push((await callTool(url, sessionId, "list_projects")).status);
  const stream = await EventStream.open(url, { headers: { "mcp-session-id": sessionId, "mcp-protocol-version": "2025-11-25" } });
  all.push(stream.status);
  stream.close();
  return all;
}

const expectError = (answer, status, code) => {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json?.error?.code, code, answer.text);
};

// Another edge on the same daemons.
async function secondEdge(banyan) {
  const [mcp, admin, metrics] = [await freePort(), await freePort(), await freePort()];
  const own = { listen: mcp, admin_listen: admin, metrics_listen: metrics };
  const args = banyan.program("edge").args
    .filter((arg) => !/^--(listen|admin_listen|metrics_listen|data_dir)=/.test(arg))
    .concat(Object.entries(own).map(([name, port]) => `--${name}=127.0.0.1:${port}`), `--data_dir=${join(banyan.dataDir, "edge-2")}`);
  const program = new Program(join(bin, "banyan-edge"), args, { label: "edge-2" });
  program.start();
  await eventually(async () => assert.equal((await fetch(`http://127.0.0.1:${metrics}/readyz`)).status, 200), { limitMs: 20_000, pauseMs: 50 });
  return { mcp: `http://127.0.0.1:${mcp}/mcp`, stop: () => program.end("SIGTERM") };
}

// The first line of the answer to a head whose body never comes.
function answerToHead(url, head) {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(`${head.replace("HOST", host)}\r\n\r\n`));
    let text = "";
    socket.setTimeout(20_000, () => reject(new Error("no answer")));
    socket.on("data", (part) => {
      text += part;
      if (!text.includes("\r\n")) return;
      socket.destroy();
      resolve(text.split("\r\n")[0]);
    });
    socket.on("error", reject);
  });
}

for (const topology of topologies) {
  test(`${topology}: behaviours of sessions over HTTP and of the two eras`, async (t) => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    const options = { projects: { harbour: project.root }, roots: [folder.path], flags: everywhere(["--conformance_fixtures"]) };
    try {
      await withBanyan(topology, options, async (banyan) => {
        const { mcp } = banyan;

        await t.test("behaviour 75: DELETE is 200, and everything after it 404", async () => {
          const sessionId = await open(mcp);
          assert.ok([200, 204].includes((await end(mcp, sessionId)).status));
          assert.deepEqual(await statuses(mcp, sessionId), [404, 404, 404, 404, 404]);
          assert.equal((await end(mcp, sessionId)).status, 404);
        });

        await t.test("behaviour 78: a body over 8 MiB is 413 before anything of it is read", async () => {
          const length = (8 << 20) + 1;
          assert.match(await answerToHead(mcp, `POST /mcp HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: ${length}`), / 413 /);
        });

        await t.test("behaviour 79: a foreign Host is 403, loopback is served", async () => {
          const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } } });
          const { port } = new URL(mcp);
          const post = (host) => rawHttp(mcp, { headers: { ...json, host }, body });
          assert.equal((await post("attacker.example.test")).status, 403);
          assert.equal((await post(`attacker.example.test:${port}`)).status, 403);
          for (const name of ["127.0.0.1", "localhost"]) assert.equal((await post(`${name}:${port}`)).status, 200, name);
        });

        await t.test("behaviour 80: an idle stream brings bytes within the heartbeat and lives on", { skip: !isFull }, async () => {
          const sessionId = await open(mcp);
          const stream = await EventStream.open(mcp, { headers: { "mcp-session-id": sessionId, "mcp-protocol-version": "2025-11-25" } });
          await delay(65_000);
          assert.ok(stream.comments >= 2, `${stream.comments} comments in 65 s`);
          assert.ok(!stream.isOver);
          stream.close();
        });

        await t.test("behaviour 82: a health answer leaks nothing", async () => {
          for (const origin of new Set(Object.values(banyan.metrics))) {
            for (const path of ["/livez", "/readyz"]) {
              const answer = await fetch(origin + path);
              const text = await answer.text();
              assert.equal(answer.status, 200);
              assert.ok(text.length <= 16, text);
              assert.doesNotMatch(text, /[/:\d]/);
              assert.equal(answer.headers.get("server"), null);
            }
          }
        });

        await t.test("behaviours 83 and 42: after a restart of everything a session lists the same tools", async () => {
          const sessionId = await open(mcp);
          const list = () => rawCall(mcp, { method: "tools/list", params: {}, sessionId });
          const before = await list();
          const bound = await callTool(mcp, sessionId, "activate_project", { project: "harbour" });
          const { workspace } = bound.json.result.structuredContent;
          for (const name of Object.keys(banyan.programs)) {
            await banyan.kill(name);
            banyan.program(name).start();
          }
          await banyan.ready();
          const after = await eventually(async () => {
            const answer = await list();
            assert.equal(answer.status, 200, answer.text);
            return answer;
          }, { limitMs: 20_000 });
          assert.deepEqual(after.json.result, before.json.result);
          const config = await callTool(mcp, sessionId, "get_current_config");
          assert.ok(config.text.includes(workspace), config.text);
        });

        await t.test("behaviour 84: a legacy body under an older header is legacy", async () => {
          const sessionId = await open(mcp);
          for (const version of ["2025-06-18", "2025-03-26"]) {
            const answer = await rawCall(mcp, { method: "tools/list", params: {}, sessionId, headers: { "mcp-protocol-version": version } });
            assert.equal(answer.status, 200, answer.text);
            assert.equal(answer.json.result.resultType, undefined);
          }
        });

        // Ours: whoever marks a request as modern gets the modern answer to it.
        await t.test("behaviour 85: initialize is of the legacy era, and its modern marks are a mistake", async () => {
          expectError(await modernCall(mcp, { method: "initialize" }), 404, -32601);
          const plain = await rawCall(mcp, { method: "initialize", params: { protocolVersion: modernVersion, capabilities: {}, clientInfo: { name: "x", version: "1" } } });
          assert.equal(plain.status, 200, plain.text);
          assert.equal(plain.json.result.protocolVersion, "2025-11-25");
        });

        const params = { name: "list_projects", arguments: {} };

        await t.test("behaviour 86: a full modern request is served, complete", async () => {
          const answer = await modernCall(mcp, { method: "tools/call", params });
          assert.equal(answer.status, 200, answer.text);
          assert.equal(answer.json.result.resultType, "complete");
          assert.equal(answer.headers["mcp-session-id"], undefined);
        });

        await t.test("behaviour 87: a modern header without the modern keys is -32602", async () => {
          expectError(await rawCall(mcp, { method: "tools/list", params: {}, headers: { "mcp-protocol-version": modernVersion } }), 400, -32602);
        });

        await t.test("behaviour 88: no version in the header is -32020", async () => {
          expectError(await modernCall(mcp, { method: "tools/list", headers: { "mcp-protocol-version": null } }), 400, -32020);
        });

        await t.test("behaviour 89: another version in the header is -32020", async () => {
          expectError(await modernCall(mcp, { method: "tools/list", headers: { "mcp-protocol-version": "2025-11-25" } }), 400, -32020);
        });

        await t.test("behaviour 90: a version that is not served is -32022 and names those that are", async () => {
          const answer = await modernCall(mcp, { method: "tools/list", version: "2199-01-01" });
          expectError(answer, 400, -32022);
          assert.equal(answer.json.error.data.requested, "2199-01-01");
          assert.ok(answer.json.error.data.supported.includes(modernVersion));
        });

        await t.test("behaviour 91: a method that the header does not say is -32020", async () => {
          expectError(await modernCall(mcp, { method: "tools/list", headers: { "mcp-method": null } }), 400, -32020);
          expectError(await modernCall(mcp, { method: "tools/list", headers: { "mcp-method": "tools/call" } }), 400, -32020);
        });

        await t.test("behaviour 92: a name that the header does not say is -32020", async () => {
          expectError(await modernCall(mcp, { method: "tools/call", params, headers: { "mcp-name": null } }), 400, -32020);
          expectError(await modernCall(mcp, { method: "tools/call", params, headers: { "mcp-name": "read_file" } }), 400, -32020);
        });

        await t.test("behaviour 93: a capability that was not declared is -32021 and named", async () => {
          const answer = await modernCall(mcp, { method: "tools/call", params: { name: "test_missing_capability", arguments: {} } });
          expectError(answer, 400, -32021);
          assert.equal(typeof answer.json.error.data.requiredCapabilities.sampling, "object");
        });

        await t.test("behaviour 94: stray modern headers change nothing for a legacy request", async () => {
          const sessionId = await open(mcp);
          const headers = { "mcp-method": "tools/call", "mcp-name": "read_file", "mcp-param-workspace": "orchard" };
          const answer = await rawCall(mcp, { method: "tools/list", params: {}, sessionId, headers });
          assert.equal(answer.status, 200, answer.text);
        });

        // Ours: nothing switches an era off.
        await t.test("behaviour 95: both eras are served side by side", async () => {
          const sessionId = await open(mcp);
          const [legacy, modern, discovered] = await Promise.all([
            rawCall(mcp, { method: "tools/list", params: {}, sessionId }),
            modernCall(mcp, { method: "tools/list" }),
            modernCall(mcp, { method: "server/discover" }),
          ]);
          assert.deepEqual([legacy, modern, discovered].map(({ status }) => status), [200, 200, 200]);
          const names = (answer) => answer.json.result.tools.map(({ name }) => name);
          assert.deepEqual(names(legacy), names(modern));
        });

        // Ours: once the tool is known the model reads what is wrong.
        await t.test("behaviour 96: arguments that are no object are a result that says so", async () => {
          const sessionId = await open(mcp);
          for (const args of [[], "x", 7]) {
            const params = { name: "list_projects", arguments: args };
            for (const answer of [await rawCall(mcp, { method: "tools/call", params, sessionId }), await modernCall(mcp, { method: "tools/call", params })]) {
              assert.equal(answer.json.result?.structuredContent.error.reason, "ARGUMENT_INVALID", answer.text);
            }
          }
        });

        await t.test("behaviour 97: a cursor that was never given out is -32602", async () => {
          const sessionId = await open(mcp);
          const legacy = await rawCall(mcp, { method: "tools/list", params: { cursor: "nonsense" }, sessionId });
          assert.equal(legacy.json.error.code, -32602, legacy.text);
          const modern = await modernCall(mcp, { method: "tools/list", params: { cursor: "nonsense" } });
          assert.equal(modern.json.error.code, -32602, modern.text);
        });
      });
    } finally {
      folder.remove();
    }
  });

  test(`${topology}: behaviours of sessions of two principals`, async (t) => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    const file = join(folder.path, "tokens.json");
    const tokenOf = (subject) => execFileSync(join(bin, "banyan"), ["token", "create", `--tokens_file=${file}`, `--subject=${subject}`], { encoding: "utf8" }).trim();
    const [ana, ben] = [tokenOf("ana"), tokenOf("ben")].map(bearer);
    try {
      await withBanyan(topology, { projects: { harbour: project.root }, roots: [folder.path], flags: everywhere([`--tokens_file=${file}`]) }, async ({ mcp }) => {
        // Ours: the intruder sees "gone", nothing changes for the owner.
        await t.test("behaviours 77 and 39: another principal finds nothing, does nothing and ends nothing", async () => {
          const sessionId = await open(mcp, ana);
          assert.equal((await callTool(mcp, sessionId, "activate_project", { project: "harbour" }, ana)).status, 200);
          assert.equal((await callTool(mcp, sessionId, "list_dir", { relative_path: "." }, ben)).status, 404);
          assert.equal((await rawCall(mcp, { method: "tools/list", params: {}, sessionId, headers: ben })).status, 404);
          assert.equal((await end(mcp, sessionId, ben)).status, 404);
          assert.equal((await rawCall(mcp, { method: "tools/list", params: {}, sessionId })).status, 401);
          const still = await callTool(mcp, sessionId, "list_dir", { relative_path: "." }, ana);
          assert.ok(!still.json.result.isError, still.text);
        });

        await t.test("behaviour 98: who is not let in is not told which tools there are", async () => {
          const sessionId = await open(mcp, ana);
          for (const name of ["no_such_tool", "list_projects"]) {
            assert.equal((await callTool(mcp, sessionId, name)).status, 401, name);
            assert.equal((await modernCall(mcp, { method: "tools/call", params: { name, arguments: {} } })).status, 401, name);
          }
        });
      });
    } finally {
      folder.remove();
    }
  });
}

test("behaviours of two edges on one session daemon", async (t) => {
  const folder = newFolder();
  const project = copyProject("python", "a", folder.path);
  try {
    await withBanyan("daemons", { projects: { harbour: project.root }, roots: [folder.path] }, async (banyan) => {
      const a = banyan.mcp;
      const other = await secondEdge(banyan);
      const b = other.mcp;
      try {
        await t.test("behaviours 76 and 18: what one edge ends is 404 at the next call of the other", async () => {
          for (let i = 0; i < 20; ++i) {
            const sessionId = await open(a);
            assert.equal((await callTool(b, sessionId, "list_projects")).status, 200);
            assert.ok([200, 204].includes((await end(b, sessionId)).status));
            assert.equal((await callTool(a, sessionId, "list_projects")).status, 404);
          }
        });

        await t.test("behaviour 38: what one edge opens the other serves, workspace and all", async () => {
          const sessionId = await open(a);
          const bound = await callTool(a, sessionId, "activate_project", { project: "harbour" });
          const config = await callTool(b, sessionId, "get_current_config");
          assert.ok(config.text.includes(bound.json.result.structuredContent.workspace), config.text);
        });

        await t.test("behaviour 50: using a session by turns on both edges ends nothing", async () => {
          const sessionId = await open(a);
          for (let i = 0; i < 40; ++i) assert.equal((await rawCall(i % 2 ? a : b, { method: "ping", sessionId })).status, 200);
        });
      } finally {
        await other.stop();
      }
    });
  } finally {
    folder.remove();
  }
});

test("behaviour 81: an edge is ready only when it has spoken to its session daemon", async () => {
  const folder = newFolder();
  const [session, lsp, mcp, admin, metrics] = await Promise.all(Array.from({ length: 5 }, freePort));
  const data = (name) => `--data_dir=${join(folder.path, name)}`;
  const at = (port) => `127.0.0.1:${port}`;
  const edge = new Program(join(bin, "banyan-edge"), [`--listen=${at(mcp)}`, `--admin_listen=${at(admin)}`, `--metrics_listen=${at(metrics)}`,
    `--sessiond=${at(session)}`, `--lspd=${at(lsp)}`, data("edge")], { label: "edge" });
  const sessiond = new Program(join(bin, "banyan-sessiond"), [`--listen=${at(session)}`, `--metrics_listen=${at(await freePort())}`, data("sessiond")], { label: "sessiond" });
  const readiness = () => fetch(`http://${at(metrics)}/readyz`).then(({ status }) => status, () => 0);
  try {
    edge.start();
    await eventually(async () => assert.notEqual(await readiness(), 0), { limitMs: 20_000, pauseMs: 50 });
    for (let i = 0; i < 5; ++i) {
      assert.equal(await readiness(), 503);
      await delay(100);
    }
    assert.equal((await fetch(`http://${at(metrics)}/livez`)).status, 200);
    sessiond.start();
    await eventually(async () => assert.equal(await readiness(), 200), { limitMs: 20_000, pauseMs: 50 });
  } finally {
    await edge.end("SIGKILL");
    await sessiond.end("SIGKILL");
    folder.remove();
  }
});
