// SPDX-License-Identifier: Apache-2.0
//
// Tool calls through the whole of it, and what a warm hover costs beyond the
// language server's own answer.

import { Agent as HttpAgent } from "node:http";
import { join } from "node:path";

import { withBanyan } from "../system/harness/banyan.mjs";
import { Agent } from "../system/harness/clients.mjs";
import { eventually } from "../system/harness/eventually.mjs";
import { copyProject } from "../system/harness/fixtures.mjs";
import { median, percentile, timedPost } from "../system/harness/latency.mjs";
import { RawServer } from "../system/harness/raw_server.mjs";
import { posting, report, wrk } from "./measure.mjs";

const place = { relative_path: "src/main.cc", regex: "(Summarize)\\(empty\\)" };

const toolCall = (name, args) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });

export async function measureCalls(topology, reference, { folder, rounds, seconds, connections }) {
  const project = copyProject("cpp", "a", folder, { name: topology });
  await withBanyan(topology, { projects: { harbour: project.root }, roots: [folder] }, async (banyan) => {
    const agent = await Agent.connect("legacy", banyan.mcp);
    await agent.activate("harbour");
    await eventually(async () => agent.ask("get_symbol_info", place));
    const { sessionId } = agent;

    const load = (url, body, session) => wrk(folder, url, { connections, seconds, script: posting(body, { "Mcp-Session-Id": session }) });
    const runs = { list: [], info: [], echo: [] };
    for (let round = 0; round < rounds; ++round) {
      runs.list.push(await load(banyan.mcp, toolCall("list_projects", {}), sessionId));
      runs.echo.push(await load(reference.url, toolCall(reference.call.name, reference.call.arguments), reference.sessionId));
      runs.info.push(await load(banyan.mcp, toolCall("get_symbol_info", place), sessionId));
    }
    console.log(`\n${topology}: tool calls at ${connections} connections, median of ${rounds} interleaved runs of ${seconds} s`);
    const list = report("  list_projects (edge, sessiond)", runs.list);
    const info = report("  get_symbol_info, warm (edge, sessiond, lspd)", runs.info);
    const echo = report(`  ${reference.name}: ${reference.call.name}`, runs.echo);
    console.log(`  ${(list / echo).toFixed(1)} and ${(info / echo).toFixed(1)} times the reference`);

    const raw = await RawServer.start(["clangd", "--background-index"], project.root);
    const uri = raw.open(join(project.root, place.relative_path), "cpp");
    const line = project.lines(place.relative_path).findIndex((text) => text.includes("Summarize(empty)"));
    const character = project.lines(place.relative_path)[line].indexOf("Summarize");
    const hover = async () => {
      const started = performance.now();
      await raw.request("textDocument/hover", { textDocument: { uri }, position: { line, character } });
      return performance.now() - started;
    };
    const keepAlive = new HttpAgent({ keepAlive: true, maxSockets: 1 });
    const body = toolCall("get_symbol_info", place);
    const asked = async () => (await timedPost(banyan.mcp, keepAlive, body, { "mcp-session-id": sessionId })).ms;
    const direct = [];
    const through = [];
    await raw.indexed();
    for (let i = 0; i < 50; ++i) {
      await hover();
      await asked();
    }
    for (let i = 0; i < 500; ++i) {
      direct.push(await hover());
      through.push(await asked());
    }
    keepAlive.destroy();
    await raw.stop();
    console.log(`  a warm hover: raw pipe p50 ${median(direct).toFixed(2)} ms, p99 ${percentile(direct, 0.99).toFixed(2)} ms; ` +
      `through Banyan p50 ${median(through).toFixed(2)} ms, p99 ${percentile(through, 0.99).toFixed(2)} ms; ` +
      `added ${(median(through) - median(direct)).toFixed(2)} ms`);
    await agent.close();
  });
}
