// SPDX-License-Identifier: Apache-2.0
//
// What the protocol itself costs: ping, tools/list, tools/call and whole
// sessions, against a native server and the reference one.

import { withBanyan } from "../system/harness/banyan.mjs";
import { acceptBoth, medians, posting, report, wrk } from "./measure.mjs";
import { openSession } from "./references.mjs";

const connectionCounts = [1, 16, 64];
const cycleCounts = [1, 16];
const requestsOfACycle = 4;

const message = (method, params, id = 1) => JSON.stringify({ jsonrpc: "2.0", ...(id ? { id } : {}), method, ...(params ? { params } : {}) });

// Each connection opens a session, says that it is ready, lists the tools and
// ends the session.
function cycling() {
  const bodies = [
    message("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } }),
    message("notifications/initialized", undefined, 0),
    message("tools/list"),
  ];
  return [
    `local bodies = { ${bodies.map((body) => JSON.stringify(body)).join(", ")} }`,
    "local step, session = 1, nil",
    "request = function()",
    `  local headers = { ${Object.entries(acceptBoth).map(([name, value]) => `["${name}"] = "${value}"`).join(", ")} }`,
    '  if step > 1 then headers["Mcp-Session-Id"] = session end',
    '  if step == 4 then return wrk.format("DELETE", nil, headers) end',
    '  return wrk.format("POST", nil, headers, bodies[step])',
    "end",
    // Not in request(), which wrk calls once more than it sends.
    "response = function(status, headers)",
    "  for name, value in pairs(headers) do",
    '    if step == 1 and string.lower(name) == "mcp-session-id" then session = value end',
    "  end",
    "  step = step % 4 + 1",
    "end",
  ].join("\n");
}

// Every server once in each round, so that what slows the machine slows all.
async function compare(servers, { rounds, folder, ...load }, scriptOf, title, unit = "", requests = 1) {
  const runs = new Map(servers.map((server) => [server, []]));
  for (let round = 0; round < rounds; ++round) {
    for (const server of servers) {
      const run = await wrk(folder, server.url, { ...load, script: scriptOf(server) });
      runs.get(server).push({ ...run, rate: run.rate / requests });
    }
  }
  console.log(title);
  const [ours, ...others] = servers.map((server) => report(`  ${server.name}`, runs.get(server), unit));
  const ratios = others.map((rate, i) => `${(ours / rate).toFixed(2)} × ${servers[i + 1].name}`);
  const slower = servers.slice(1).map((server) => medians(runs.get(server)).p99 / medians(runs.get(servers[0])).p99);
  if (ratios.length > 0) console.log(`  rate ${ratios.join(", ")}; p99 ${slower.map((ratio) => `1/${ratio.toFixed(2)}`).join(", ")}`);
}

export async function measureProtocol(topology, references, { folder, rounds, seconds }) {
  await withBanyan(topology, { roots: [folder] }, async (banyan) => {
    const servers = [
      { name: "banyan", url: banyan.mcp, sessionId: await openSession(banyan.mcp), call: { name: "list_projects", arguments: {} } },
      ...references,
    ];
    console.log(`\n${topology}: medians of ${rounds} interleaved runs of ${seconds} s`);
    const methods = { ping: () => message("ping"), "tools/list": () => message("tools/list"), "tools/call": (server) => message("tools/call", server.call) };
    for (const [method, bodyOf] of Object.entries(methods)) {
      for (const connections of connectionCounts) {
        await compare(servers, { rounds, folder, seconds, connections },
          (server) => posting(bodyOf(server), { "Mcp-Session-Id": server.sessionId }), `${method}, ${connections} connection${connections > 1 ? "s" : ""}`);
      }
    }
    for (const connections of cycleCounts) {
      await compare(servers, { rounds, folder, seconds, connections, threads: connections }, cycling,
        `whole sessions (open, ready, list, end), ${connections} at a time`, "", requestsOfACycle);
    }
  });
}
