// SPDX-License-Identifier: Apache-2.0
//
// A language server that takes its time: a client that waits hears what it is
// doing; when one waits no longer, the server is told within a second, in the
// way of each era.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { repository, topologies, withBanyan } from "./harness/banyan.mjs";
import { EventStream } from "./harness/event_stream.mjs";
import { eventually } from "./harness/eventually.mjs";
import { newFolder } from "./harness/fixtures.mjs";
import { modernVersion, openSession, rawHttp } from "./harness/raw_http.mjs";

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const stuckServer = join(repository, "tests/system/harness/stuck_server.mjs");

// Sent, and nobody waits for the answer; what was sent can be given up.
function post(url, headers, message) {
  const stop = new AbortController();
  fetch(url, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify({ jsonrpc: "2.0", ...message }), signal: stop.signal }).catch(() => {});
  return stop;
}

function writeCatalog(file, heard) {
  const command = [process.execPath, stuckServer];
  writeFileSync(file, JSON.stringify({
    servers: [{
      id: "stuck", language: "bash", documents: [{ id: "shellscript", extensions: [".sh"] }], isDefault: true,
      command: [...command, heard], versionCommand: [...command, "--version"],
      readiness: { kind: "READINESS_KIND_IMMEDIATE" },
    }],
  }));
}

for (const topology of topologies) {
  test(`${topology}: who stops waiting stops the language server's work within a second (field report 24)`, async (t) => {
    const folder = newFolder();
    const heard = join(folder.path, "heard.jsonl");
    const catalog = join(folder.path, "catalog.json");
    const root = join(folder.path, "project");
    writeCatalog(catalog, heard);
    const flags = { lspd: [`--catalog=${catalog}`], banyan: [`--catalog=${catalog}`] };
    const messages = (method) => (existsSync(heard) ? readFileSync(heard, "utf8") : "").split("\n").filter(Boolean)
      .map((line) => JSON.parse(line)).filter((message) => message.method === method);
    // The newest question, asked after there were `known`.
    const question = (known) => eventually(() => {
      const asked = messages("textDocument/documentSymbol");
      assert.ok(asked.length > known, "the server is asked");
      return asked.at(-1).id;
    }, { limitMs: 20_000, pauseMs: 20 });
    const cancelled = (id) => eventually(
      () => assert.ok(messages("$/cancelRequest").some((message) => message.id === id), `${id} is cancelled`), { limitMs: 1_000, pauseMs: 20 });
    try {
      mkdirSync(root);
      for (const name of ["a", "b", "c"]) writeFileSync(join(root, `${name}.sh`), `${name}() { :; }\n`);
      await withBanyan(topology, { projects: { stuck: root }, roots: [folder.path], flags }, async ({ mcp }) => {
        const call = (file) => ({ id: file, method: "tools/call", params: { name: "get_symbols_overview", arguments: { relative_path: file, workspace: "stuck" } } });

        await t.test("modern: the connection of an answer in preparation is closed", async () => {
          const { id, method, params } = call("a.sh");
          const _meta = { "io.modelcontextprotocol/protocolVersion": modernVersion, "io.modelcontextprotocol/clientCapabilities": {} };
          const headers = { "mcp-protocol-version": modernVersion, "mcp-method": method, "mcp-name": params.name, "mcp-param-workspace": "stuck" };
          const sent = post(mcp, headers, { id, method, params: { ...params, _meta } });
          const asked = await question(0);
          sent.abort();
          await cancelled(asked);
        });

        await t.test("progress: what the server says it is doing, once a second", async () => {
          const session = await openSession(mcp);
          const { id, method, params } = call("c.sh");
          const stream = await EventStream.open(mcp, {
            method: "POST", headers: { ...json, ...session },
            body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: { progressToken: "wait" } } }),
          });
          const notices = () => stream.events.filter(({ json }) => json?.method === "notifications/progress").map(({ json }) => json.params);
          await stream.until(() => notices().length === 3);
          for (const { progressToken, message } of notices()) {
            assert.equal(progressToken, "wait");
            assert.match(message, /^stuck: indexing 3\/10 \(30 %\)$/);
          }
          const [first, , third] = notices().map(({ progress }) => progress);
          assert.ok(first >= 1 && third >= first + 2, `after ${first} s and ${third} s`);
          stream.close();
          await rawHttp(mcp, { headers: { ...json, ...session }, body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }) });
        });

        await t.test("legacy: notifications/cancelled, and a lost connection is none", async () => {
          const session = await openSession(mcp);
          const known = messages("textDocument/documentSymbol").length;
          const sent = post(mcp, session, call("b.sh"));
          const asked = await question(known);
          sent.abort();
          // Another session's request of the same id is another request.
          const other = await openSession(mcp);
          const cancel = (headers) => rawHttp(mcp, {
            headers: { ...json, ...headers },
            body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "b.sh" } }),
          });
          assert.equal((await cancel(other)).status, 202);
          await assert.rejects(cancelled(asked));
          assert.equal((await cancel(session)).status, 202);
          await cancelled(asked);
        });
      });
    } finally {
      folder.remove();
    }
  });
}
