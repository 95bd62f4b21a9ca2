// SPDX-License-Identifier: Apache-2.0
//
// Two edges asked in turn, with nothing in between that keeps a session at one
// of them: neither knows less than the other.

import assert from "node:assert/strict";
import { test } from "node:test";

import { EventStream } from "./harness/event_stream.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { Fleet } from "./harness/fleet.mjs";
import { modernCall, openSession, rawCall, rawHttp } from "./harness/raw_http.mjs";

const calls = 500;

test("500 mixed calls over two edges in turn see no 404 (field report 12)", async () => {
  const folder = newFolder();
  const project = copyProject("python", "a", folder.path);
  const fleet = await Fleet.start({ edges: 2, lspds: 1, roots: [folder.path] });
  try {
    let turn = 0;
    const next = () => `http://127.0.0.1:${fleet.edges[++turn % 2].mcp}/mcp`;
    const session = await openSession(next());
    const legacy = (method, params) => rawCall(next(), { method, params, headers: session });
    const tool = (name, args) => ({ name, arguments: args });

    const bound = await legacy("tools/call", tool("activate_project", { project: project.root }));
    const { workspace } = bound.json.result.structuredContent;
    assert.ok(workspace, bound.text);
    const read = { relative_path: project.expected.file };
    const kinds = [
      () => legacy("ping", {}),
      () => legacy("tools/call", tool("read_file", read)),
      () => legacy("tools/call", tool("list_dir", { relative_path: "." })),
      () => legacy("resources/list", {}),
      () => legacy("prompts/list", {}),
      () => modernCall(next(), { method: "tools/call", params: tool("read_file", { ...read, workspace }), headers: { "mcp-param-workspace": workspace } }),
      async () => {
        // Each takes the session's stream over from the one on the other edge.
        const stream = await EventStream.open(next(), { headers: session });
        stream.close();
        return { status: stream.status, text: "" };
      },
    ];
    const statuses = new Map();
    for (let i = 0; i < calls; i += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, j) => kinds[(i + j) % kinds.length]()));
      for (const answer of answers) {
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        assert.ok(!answer.json?.result?.isError, answer.text);
      }
    }
    assert.deepEqual([...statuses], [[200, calls]]);

    // What one edge ended is over on the other.
    assert.equal((await rawHttp(next(), { method: "DELETE", headers: session })).status, 200);
    for (const { mcp } of fleet.edges) {
      assert.equal((await rawCall(`http://127.0.0.1:${mcp}/mcp`, { method: "ping", headers: session })).status, 404);
    }
  } catch (error) {
    error.message += `\n${fleet.logTail()}`;
    throw error;
  } finally {
    await fleet.stop();
    folder.remove();
  }
});
