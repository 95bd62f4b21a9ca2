// SPDX-License-Identifier: Apache-2.0
//
// Event streams in both eras, by hand-written HTTP: what opens one, what
// travels on it, how it is resumed, taken over, kept alive and ended.

import assert from "node:assert/strict";
import { test } from "node:test";

import { topologies, withBanyan } from "./harness/banyan.mjs";
import { EventStream } from "./harness/event_stream.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { modernVersion, rawCall, rawHttp } from "./harness/raw_http.mjs";

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function openSession(url, version = "2025-11-25", capabilities = {}) {
  const answer = await rawCall(url, {
    method: "initialize",
    params: { protocolVersion: version, capabilities, clientInfo: { name: "raw", version: "1" } },
  });
  assert.equal(answer.status, 200, answer.text);
  return { "mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": version };
}

function post(url, session, message) {
  return EventStream.open(url, { method: "POST", headers: { ...json, ...session }, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
}

const callTool = (name, { id = 1, meta, args = {} } = {}) => ({
  id, method: "tools/call", params: { name, arguments: args, ...(meta ? { _meta: meta } : {}) },
});

function modern(url, method, params, id = 1, meta = {}) {
  return EventStream.open(url, {
    method: "POST",
    headers: {
      ...json, "mcp-protocol-version": modernVersion, "mcp-method": method, ...(params.name ? { "mcp-name": params.name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0", id, method,
      params: {
        ...params,
        _meta: { "io.modelcontextprotocol/protocolVersion": modernVersion, "io.modelcontextprotocol/clientCapabilities": {}, ...meta },
      },
    }),
  });
}

for (const topology of topologies) {
  test(`${topology}: event streams`, async (t) => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    const options = {
      projects: { harbour: project.root },
      roots: [folder.path],
      flags: { banyan: ["--conformance_fixtures"], edge: ["--conformance_fixtures"] },
    };
    try {
      await withBanyan(topology, options, async (banyan) => {
        const { mcp } = banyan;

        await t.test("an answer is JSON unless an event precedes it (field report 26)", async () => {
          const session = await openSession(mcp);
          const plain = await post(mcp, session, callTool("test_simple_text"));
          await plain.ended();
          assert.match(plain.headers["content-type"], /^application\/json/);
          const stream = await post(mcp, session, callTool("test_tool_with_progress", { meta: { progressToken: "p" } }));
          await stream.ended();
          assert.match(stream.headers["content-type"], /^text\/event-stream/);
          const [prime, ...events] = stream.events;
          assert.equal(prime.data, "");
          assert.ok(prime.id && prime.retry);
          assert.deepEqual(events.slice(0, -1).map(({ json: { params } }) => params.progress), [0, 50, 100]);
          assert.equal(events.at(-1).json.id, 1);
          assert.ok(events.every(({ id }) => id));
        });

        await t.test("older revisions and the modern era are not primed (field report 17)", async () => {
          for (const version of ["2025-06-18", "2025-03-26"]) {
            const session = await openSession(mcp, version);
            const stream = await post(mcp, session, callTool("test_tool_with_progress", { meta: { progressToken: 1 } }));
            await stream.ended();
            assert.ok(stream.events.every(({ data }) => data !== ""), version);
          }
          const stream = await modern(mcp, "tools/call", { name: "test_tool_with_progress", arguments: {} }, 1, { progressToken: 7 });
          await stream.ended();
          assert.ok(stream.events.every(({ data, id }) => data !== "" && id === undefined));
          assert.equal(stream.events.at(-1).json.result.resultType, "complete");
        });

        await t.test("the headers of a stream arrive at once, and the newest takes over (field reports 5, 7)", async () => {
          const session = await openSession(mcp);
          const first = await EventStream.open(mcp, { headers: session });
          assert.equal(first.status, 200);
          const listen = await modern(mcp, "subscriptions/listen", { notifications: {} });
          listen.close();
          for (const { openMs } of [first, listen]) assert.ok(openMs < 2000, `${openMs} ms`);
          const second = await EventStream.open(mcp, { headers: session });
          assert.equal(second.status, 200);
          await first.ended();
          await post(mcp, session, callTool("test_trigger_tool_change")).then((answer) => answer.ended());
          await second.until(({ events }) => events.some((event) => event.json?.method === "notifications/tools/list_changed"));
          second.close();
        });

        await t.test("what was missed is resumed: that stream, that session, nothing else (field report 21)", async () => {
          const [a, b] = [await openSession(mcp), await openSession(mcp)];
          const runs = await Promise.all([a, b].map((session) =>
            post(mcp, session, callTool("test_tool_with_progress", { meta: { progressToken: "x" } }))));
          await Promise.all(runs.map((run) => run.ended()));
          for (const [session, run] of [[a, runs[0]], [b, runs[1]]]) {
            for (let from = 0; from < run.events.length - 1; from += 1) {
              const again = await EventStream.open(mcp, { headers: { ...session, "last-event-id": run.events[from].id } });
              await again.ended();
              const shown = again.events.filter(({ data }) => data !== "").map(({ id, data }) => [id, data]);
              assert.deepEqual(shown, run.events.slice(from + 1).filter(({ data }) => data !== "").map(({ id, data }) => [id, data]));
            }
          }
          // The other session's id opens a fresh stream.
          const foreign = await EventStream.open(mcp, { headers: { ...a, "last-event-id": runs[1].events[0].id } });
          await post(mcp, a, callTool("test_trigger_tool_change")).then((answer) => answer.ended());
          await foreign.until(({ events }) => events.some((event) => event.json));
          assert.ok(foreign.events.every((event) => !event.json || event.json.method === "notifications/tools/list_changed"));
          foreign.close();
        });

        await t.test("a client that drops its POST finds the answer", async () => {
          const session = await openSession(mcp);
          const stream = await post(mcp, session, callTool("test_tool_with_progress", { meta: { progressToken: "x" } }));
          await stream.next(2);
          stream.close();
          const again = await EventStream.open(mcp, { headers: { ...session, "last-event-id": stream.events[1].id } });
          await again.until(({ events }) => events.some((event) => event.json?.result));
        });

        await t.test("unknown sessions are 404 on every method, and no session is 405 (field reports 1, 6)", async () => {
          const headers = { "mcp-session-id": "A".repeat(22), "mcp-protocol-version": "2025-11-25" };
          assert.equal((await rawCall(mcp, { method: "ping", headers })).status, 404);
          for (const method of ["GET", "DELETE"]) {
            assert.equal((await rawHttp(mcp, { method, headers: { accept: "text/event-stream", ...headers } })).status, 404, method);
          }
          const none = await rawHttp(mcp, { method: "GET", headers: { accept: "text/event-stream" } });
          assert.equal(none.status, 405);
          assert.ok(none.headers.allow);
        });

        await t.test("DELETE ends the session's stream", async () => {
          const session = await openSession(mcp);
          const stream = await EventStream.open(mcp, { headers: session });
          assert.equal((await rawHttp(mcp, { method: "DELETE", headers: session })).status, 200);
          await stream.ended();
        });

        await t.test("idle streams show a comment at least every 15 s (field report 3)", async () => {
          const session = await openSession(mcp);
          const streams = [await EventStream.open(mcp, { headers: session }), await modern(mcp, "subscriptions/listen", { notifications: {} })];
          await Promise.all(streams.map((stream) => stream.until(({ comments }) => comments > 0, 15_000)));
          for (const stream of streams) stream.close();
        });

        await t.test("cancelling is keyed by session and id (field report 24)", async () => {
          const capabilities = { elicitation: {} };
          const [a, b] = [await openSession(mcp, "2025-11-25", capabilities), await openSession(mcp, "2025-11-25", capabilities)];
          const calls = await Promise.all([a, b].map((session) => post(mcp, session, callTool("test_elicitation", { id: 1, args: { message: "?" } }))));
          await Promise.all(calls.map((call) => call.until(({ events }) => events.some((event) => event.json?.method === "elicitation/create"))));
          const cancelled = await rawHttp(mcp, {
            headers: { ...json, ...a },
            body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }),
          });
          assert.equal(cancelled.status, 202);
          assert.equal(cancelled.text, "");
          await calls[0].ended(5000);
          assert.equal(calls[1].isOver, false);
          // The answer counts from the session that was asked only.
          const question = calls[1].events.find((event) => event.json?.method === "elicitation/create").json;
          const answer = JSON.stringify({ jsonrpc: "2.0", id: question.id, result: { action: "accept", content: { username: "u", email: "e" } } });
          await rawHttp(mcp, { headers: { ...json, ...a }, body: answer });
          assert.equal(calls[1].isOver, false);
          assert.equal((await rawHttp(mcp, { headers: { ...json, ...b }, body: answer })).status, 202);
          await calls[1].ended(5000);
          assert.match(calls[1].events.at(-1).data, /accept/);
        });

        await t.test("requests may overtake notifications/initialized (field report 8)", async () => {
          const list = (session) => rawCall(mcp, { method: "tools/list", headers: session });
          for (let i = 0; i < (process.env.BANYAN_TEST_FULL ? 1_000 : 50); i += 1) {
            const session = await openSession(mcp);
            const answers = [await list(session), ...await Promise.all([
              list(session),
              rawHttp(mcp, { headers: { ...json, ...session }, body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }) }),
            ])];
            assert.deepEqual(answers.map(({ status }) => status), [200, 200, 202]);
            await rawHttp(mcp, { method: "DELETE", headers: session });
          }
        });

        await t.test("a stop ends every stream as its era asks, within 5 s (field report 22)", async () => {
          const session = await openSession(mcp);
          const listens = await Promise.all(Array.from({ length: 25 }, (_, i) => modern(mcp, "subscriptions/listen", { notifications: {} }, `listen:${i}`)));
          const gets = await Promise.all(Array.from({ length: 25 }, async () => EventStream.open(mcp, { headers: await openSession(mcp) })));
          await Promise.all(listens.map((stream) => stream.next(1)));
          const begun = performance.now();
          const front = banyan.program("edge");
          assert.equal(await front.end("SIGTERM", 10_000), 0);
          assert.ok(performance.now() - begun < 5000, `${performance.now() - begun} ms`);
          await Promise.all([...listens, ...gets].map((stream) => stream.ended()));
          listens.forEach((stream, i) => {
            assert.equal(stream.events[0].json.method, "notifications/subscriptions/acknowledged");
            const last = stream.events.at(-1).json;
            assert.equal(last.id, `listen:${i}`);
            assert.equal(last.result.resultType, "complete");
          });
          // The session outlives the edge that served it.
          await banyan.restart(topology === "serve" ? "banyan" : "edge");
          assert.equal((await rawCall(mcp, { method: "ping", headers: session })).status, 200);
        });
      });
    } finally {
      folder.remove();
    }
  });
}
