// SPDX-License-Identifier: Apache-2.0
//
// Both eras on one endpoint, by hand-written HTTP: which request belongs to
// which era, and what each mistake is answered.

import assert from "node:assert/strict";
import { test } from "node:test";

import { topologies, withBanyan } from "./harness/banyan.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { modernCall, modernVersion, rawCall, rawHttp } from "./harness/raw_http.mjs";

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

function initialize(url, { version = "2025-11-25", headers = {} } = {}) {
  return rawCall(url, {
    method: "initialize",
    params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "raw", version: "1" } },
    headers,
  });
}

async function openSession(url) {
  const answer = await initialize(url);
  assert.equal(answer.status, 200, answer.text);
  const sessionId = answer.headers["mcp-session-id"];
  assert.match(sessionId, /^[A-Za-z0-9_-]{16,64}$/);
  const initialized = await rawHttp(url, {
    headers: { ...json, "mcp-session-id": sessionId, "mcp-protocol-version": "2025-11-25" },
    body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
  });
  assert.equal(initialized.status, 202);
  assert.equal(initialized.text, "");
  return sessionId;
}

for (const topology of topologies) {
  test(`${topology}: the ladder of the two eras`, async (t) => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    try {
      await withBanyan(topology, { projects: { harbour: project.root }, roots: [folder.path] }, async ({ mcp }) => {
        const expectError = (answer, status, code) => {
          assert.equal(answer.status, status, answer.text);
          assert.equal(answer.json?.error?.code, code, answer.text);
        };

        await t.test("legacy: initialize, list, call, delete", async () => {
          const sessionId = await openSession(mcp);
          const list = await rawCall(mcp, { method: "tools/list", params: {}, sessionId });
          assert.equal(list.status, 200);
          assert.equal(list.json.result.tools[0].name, "list_projects");
          for (const tool of list.json.result.tools) {
            assert.equal(tool.inputSchema.type, "object", tool.name);
            assert.ok(tool.description, tool.name);
            for (const [name, property] of Object.entries(tool.inputSchema.properties ?? {})) {
              assert.ok(property.description, `${tool.name}.${name} has no description`);
            }
          }
          const call = await rawCall(mcp, { method: "tools/call", params: { name: "list_projects", arguments: {} }, sessionId });
          assert.equal(call.status, 200, call.text);
          assert.match(call.text, /harbour/);
          assert.equal((await rawCall(mcp, { method: "ping", sessionId })).status, 200);
          const end = await rawHttp(mcp, { method: "DELETE", headers: { "mcp-session-id": sessionId } });
          assert.ok([200, 204].includes(end.status), `${end.status}`);
          assert.equal((await rawCall(mcp, { method: "tools/list", sessionId })).status, 404);
        });

        await t.test("legacy: unknown versions are negotiated down, whatever the header says (field report 18)", async () => {
          const answer = await initialize(mcp, { version: "2099-01-01", headers: { "mcp-protocol-version": "2025-06-18" } });
          assert.equal(answer.status, 200, answer.text);
          assert.equal(answer.json.result.protocolVersion, "2025-11-25");
          for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
            assert.equal((await initialize(mcp, { version })).json.result.protocolVersion, version);
          }
        });

        await t.test("legacy: no session id is 400, an unknown one 404, on every method", async () => {
          assert.equal((await rawCall(mcp, { method: "tools/list" })).status, 400);
          const unknown = "A".repeat(22);
          assert.equal((await rawCall(mcp, { method: "tools/list", sessionId: unknown })).status, 404);
          assert.equal((await rawCall(mcp, { method: "tools/list", sessionId: "../../etc/passwd" })).status, 404);
          assert.equal((await rawHttp(mcp, { method: "DELETE", headers: { "mcp-session-id": unknown } })).status, 404);
        });

        await t.test("legacy: an unsupported version header is 400", async () => {
          const sessionId = await openSession(mcp);
          const answer = await rawCall(mcp, { method: "tools/list", sessionId, headers: { "mcp-protocol-version": "1999-01-01" } });
          assert.equal(answer.status, 400, answer.text);
        });

        await t.test("legacy: requests that overtake notifications/initialized are served", async () => {
          const sessionId = (await initialize(mcp)).headers["mcp-session-id"];
          assert.equal((await rawCall(mcp, { method: "tools/list", sessionId })).status, 200);
        });

        await t.test("modern: discover, list, call", async () => {
          const discover = await modernCall(mcp, { method: "server/discover" });
          assert.equal(discover.status, 200, discover.text);
          assert.ok(JSON.stringify(discover.json.result).includes(modernVersion), discover.text);
          const list = await modernCall(mcp, { method: "tools/list" });
          assert.equal(list.status, 200, list.text);
          assert.equal(list.json.result.tools[0].name, "list_projects");
          const call = await modernCall(mcp, { method: "tools/call", params: { name: "list_projects", arguments: {} } });
          assert.equal(call.status, 200, call.text);
          assert.match(call.text, /harbour/);
          assert.equal(call.headers["mcp-session-id"], undefined);
        });

        await t.test("modern: what the headers must say", async () => {
          const params = { name: "list_projects", arguments: {} };
          expectError(await modernCall(mcp, { method: "tools/list", headers: { "mcp-protocol-version": null } }), 400, -32020);
          expectError(await modernCall(mcp, { method: "tools/list", headers: { "mcp-protocol-version": "2025-11-25" } }), 400, -32020);
          expectError(await modernCall(mcp, { method: "tools/list", headers: { "mcp-method": null } }), 400, -32020);
          expectError(await modernCall(mcp, { method: "tools/list", headers: { "mcp-method": "tools/call" } }), 400, -32020);
          expectError(await modernCall(mcp, { method: "tools/call", params, headers: { "mcp-name": null } }), 400, -32020);
          expectError(await modernCall(mcp, { method: "tools/call", params, headers: { "mcp-name": "read_file" } }), 400, -32020);
          expectError(await modernCall(mcp, { method: "tools/list", version: "2025-11-25" }), 400, -32022);
          expectError(await modernCall(mcp, { method: "no/such" }), 404, -32601);
          expectError(await modernCall(mcp, { method: "initialize" }), 404, -32601);
          const encoded = `=?base64?${Buffer.from("list_projects").toString("base64")}?=`;
          assert.equal((await modernCall(mcp, { method: "tools/call", params, headers: { "mcp-name": encoded } })).status, 200);
        });

        await t.test("modern: the workspace argument and its header agree", async () => {
          const call = (workspace, header) => modernCall(mcp, {
            method: "tools/call",
            params: { name: "read_file", arguments: { relative_path: "ledger.py", workspace } },
            headers: { "mcp-param-workspace": header },
          });
          assert.equal((await call("harbour", "harbour")).status, 200);
          expectError(await call("harbour", null), 400, -32020);
          expectError(await call("harbour", "orchard"), 400, -32020);
        });

        await t.test("a body without the modern key under a modern header", async () => {
          expectError(await initialize(mcp, { headers: { "mcp-protocol-version": modernVersion } }), 400, -32020);
          expectError(await rawCall(mcp, { method: "tools/list", params: {}, headers: { "mcp-protocol-version": modernVersion } }), 400, -32602);
        });

        await t.test("what is no request at all", async () => {
          const post = (body, headers = json) => rawHttp(mcp, { headers, body });
          expectError(await post("{"), 400, -32700);
          assert.equal((await post("{}", { "content-type": "text/plain" })).status, 415);
          expectError(await post("[]"), 400, -32600);
          expectError(await post(JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "ping" }])), 400, -32600);
          for (const method of ["PUT", "PATCH"]) {
            const answer = await rawHttp(mcp, { method, headers: json, body: "{}" });
            assert.equal(answer.status, 405, method);
            assert.match(answer.headers.allow, /POST/);
          }
        });

        await t.test("Host and Origin", async () => {
          const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } } });
          const post = (headers) => rawHttp(mcp, { headers: { ...json, ...headers }, body });
          assert.equal((await post({ origin: "http://attacker.example.test" })).status, 403);
          assert.ok([403, 421].includes((await post({ host: "attacker.example.test" })).status));
          assert.equal((await post({ origin: new URL(mcp).origin })).status, 200);
          assert.equal((await post({ host: `localhost:${new URL(mcp).port}` })).status, 200);
        });

        await t.test("a tool's own errors are results", async () => {
          const sessionId = await openSession(mcp);
          const call = async (name, args) => (await rawCall(mcp, { method: "tools/call", params: { name, arguments: args }, sessionId }));
          for (const [name, args, reason] of [
            ["activate_project", { project: "nowhere" }, "PROJECT_UNKNOWN"],
            ["read_file", { relative_path: "no_such.py" }, "FILE_NOT_FOUND"],
            ["read_file", {}, "ARGUMENT_INVALID"],
            ["read_file", { relative_path: 7 }, "ARGUMENT_INVALID"],
            ["read_file", { relative_path: "ledger.py", workspace: `ws_${"A".repeat(22)}` }, "HANDLE_GONE"],
          ]) {
            const answer = await call(name, args);
            assert.equal(answer.status, 200, answer.text);
            assert.equal(answer.json.result.isError, true, answer.text);
            assert.equal(answer.json.result.structuredContent.error.reason, reason, answer.text);
          }
        });
      });
    } finally {
      folder.remove();
    }
  });

  test(`${topology}: a session of several projects must say which one it edits, and without any it lists them`, async () => {
    const folder = newFolder();
    const [a, b] = ["a", "b"].map((which) => copyProject("python", which, folder.path));
    try {
      await withBanyan(topology, { projects: { harbour: a.root, orchard: b.root }, roots: [folder.path] }, async ({ mcp }) => {
        const sessionId = await openSession(mcp);
        const unbound = await rawCall(mcp, { method: "tools/call", params: { name: "read_file", arguments: { relative_path: "ledger.py" } }, sessionId });
        const { result } = unbound.json;
        assert.equal(result.isError, true);
        assert.equal(result.structuredContent.error.reason, "NOT_BOUND");
        assert.match(result.content[0].text, /harbour/);
        assert.match(result.content[0].text, /orchard/);
        assert.match(result.content[0].text, /activate_project/);

        // The endpoint of a project binds by itself; a name reads without a handle.
        const own = await rawCall(`${mcp}/p/orchard`, { method: "tools/call", params: { name: "read_file", arguments: { relative_path: "ledger.py" } }, sessionId });
        assert.match(own.text, /orchard/);
        const named = await rawCall(mcp, { method: "tools/call", params: { name: "read_file", arguments: { relative_path: "ledger.py", workspace: "harbour" } }, sessionId });
        assert.match(named.text, /harbour/);
      });
    } finally {
      folder.remove();
    }
  });
}
