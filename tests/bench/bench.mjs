// SPDX-License-Identifier: Apache-2.0

import { execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { Agent as HttpAgent, request } from "node:http";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";

import { withBanyan, repository } from "../system/harness/banyan.mjs";
import { Agent } from "../system/harness/clients.mjs";
import { eventually } from "../system/harness/eventually.mjs";
import { copyProject, newFolder } from "../system/harness/fixtures.mjs";
import { freePort } from "../system/harness/ports.mjs";
import { RawServer } from "../system/harness/raw_server.mjs";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },  // of each run
    rounds: { type: "string", default: "5" },   // of pairs
    connections: { type: "string", default: "50" },
  },
});

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const percentile = (values, p) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))];

const inMs = (text) => {
  const [, number, unit] = /([\d.]+)(us|ms|s|m)/.exec(text);
  return Number(number) * { us: 0.001, ms: 1, s: 1000, m: 60_000 }[unit];
};

// One run of wrk that posts the same tool call all the time.
async function load(url, { name, args, sessionId }) {
  const script = join(scratch.path, "call.lua");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  writeFileSync(script, [
    'wrk.method = "POST"',
    `wrk.body = ${JSON.stringify(body)}`,
    'wrk.headers["Content-Type"] = "application/json"',
    'wrk.headers["Accept"] = "application/json, text/event-stream"',
    'wrk.headers["Mcp-Protocol-Version"] = "2025-11-25"',
    `wrk.headers["Mcp-Session-Id"] = ${JSON.stringify(sessionId)}`,
  ].join("\n"));
  const { stdout } = await promisify(execFile)("wrk",
    ["-t1", `-c${options.connections}`, `-d${options.seconds}s`, "--timeout", "10s", "--latency", "-s", script, url]);
  if (/Non-2xx/.test(stdout)) throw new Error(`${name}: ${stdout}`);
  return {
    rate: Number(/Requests\/sec: +([\d.]+)/.exec(stdout)[1]),
    p50: inMs(/50% +(\S+)/.exec(stdout)[1]),
    p99: inMs(/99% +(\S+)/.exec(stdout)[1]),
  };
}

async function startReference() {
  const port = await freePort();
  const child = spawn(process.execPath, [join(repository, "tests/node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "streamableHttp"],
    { env: { ...process.env, PORT: String(port) }, stdio: "ignore" });
  const url = `http://127.0.0.1:${port}/mcp`;
  const agent = await eventually(() => Agent.connect("legacy", url), { limitMs: 20_000 });
  return { url, sessionId: agent.sessionId, stop: () => child.kill("SIGKILL") };
}

// A call on one kept connection, in milliseconds.
function timed(url, agent, body, sessionId) {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const call = request(url, { method: "POST", agent, headers: {
      "content-type": "application/json", accept: "application/json, text/event-stream",
      "mcp-session-id": sessionId, "mcp-protocol-version": "2025-11-25", "content-length": Buffer.byteLength(body),
    } }, (answer) => {
      answer.on("data", () => {});
      answer.on("end", () => resolve(performance.now() - started));
    });
    call.on("error", reject);
    call.end(body);
  });
}

function report(title, runs) {
  const of = (key) => median(runs.map((run) => run[key]));
  console.log(`${title.padEnd(46)} ${of("rate").toFixed(0).padStart(7)}/s   p50 ${of("p50").toFixed(2).padStart(7)} ms   p99 ${of("p99").toFixed(2).padStart(8)} ms`);
  return of("rate");
}

const scratch = newFolder("banyan-bench-");
const project = copyProject("cpp", "a", scratch.path);
const place = { relative_path: "src/main.cc", regex: "(Summarize)\\(empty\\)" };

async function measure(topology, reference) {
  await withBanyan(topology, { projects: { harbour: project.root }, roots: [scratch.path] }, async (banyan) => {
    const agent = await Agent.connect("legacy", banyan.mcp);
    await agent.activate("harbour");
    await eventually(async () => agent.ask("get_symbol_info", place));
    const { sessionId } = agent;

    const runs = { list: [], info: [], echo: [] };
    for (let round = 0; round < Number(options.rounds); ++round) {
      runs.list.push(await load(banyan.mcp, { name: "list_projects", args: {}, sessionId }));
      runs.echo.push(await load(reference.url, { name: "echo", args: { message: "hello" }, sessionId: reference.sessionId }));
      runs.info.push(await load(banyan.mcp, { name: "get_symbol_info", args: place, sessionId }));
    }
    console.log(`\n${topology}: tool calls at ${options.connections} connections, median of ${options.rounds} interleaved runs of ${options.seconds} s`);
    const list = report("  list_projects (edge, sessiond)", runs.list);
    const info = report("  get_symbol_info, warm (edge, sessiond, lspd)", runs.info);
    const echo = report("  server-everything: echo", runs.echo);
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
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_symbol_info", arguments: place } });
    const direct = [];
    const through = [];
    await raw.indexed();
    for (let i = 0; i < 50; ++i) {
      await hover();
      await timed(banyan.mcp, keepAlive, body, sessionId);
    }
    for (let i = 0; i < 500; ++i) {
      direct.push(await hover());
      through.push(await timed(banyan.mcp, keepAlive, body, sessionId));
    }
    keepAlive.destroy();
    await raw.stop();
    console.log(`  a warm hover: raw pipe p50 ${median(direct).toFixed(2)} ms, p99 ${percentile(direct, 0.99).toFixed(2)} ms; ` +
      `through Banyan p50 ${median(through).toFixed(2)} ms, p99 ${percentile(through, 0.99).toFixed(2)} ms; ` +
      `added ${(median(through) - median(direct)).toFixed(2)} ms`);
    await agent.close();
  });
}

const reference = await startReference();
try {
  for (const topology of ["daemons", "serve"]) await measure(topology, reference);
} finally {
  reference.stop();
  scratch.remove();
}
process.exit(0);
