// SPDX-License-Identifier: Apache-2.0
//
// The clients that people use, each as it comes from its registry: lists, calls,
// hears of progress, comes back to a stream that ended, cancels; less where a
// client knows less.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { experimental_createMCPClient as createAiClient } from "@ai-sdk/mcp";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";

import { repository, toolsDir, topologiesOfLongTests, withBanyan } from "./harness/banyan.mjs";
import { eventually } from "./harness/eventually.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { StdioPeer } from "./harness/stdio_peer.mjs";

const who = { name: "banyan-client-matrix", version: "1.0.0" };
const modules = join(repository, "tests/node_modules");

const sdks = {
  "SDK v1": (url) => [new LegacyClient(who), new LegacyTransport(new URL(url))],
  "SDK v2 legacy": (url) => [new ModernClient(who), new ModernTransport(new URL(url))],
  "SDK v2 auto": (url) => [new ModernClient(who, { versionNegotiation: { mode: "auto" } }), new ModernTransport(new URL(url))],
  "SDK v2 pinned": (url) => [new ModernClient(who, { versionNegotiation: { mode: { pin: "2026-07-28" } } }), new ModernTransport(new URL(url))],
};

// A client's cancellation has arrived when the call itself has ended by it.
async function cancelling(banyan, use, times = 1) {
  const edge = banyan.program("edge");
  const from = edge.lines.length;
  await use();
  await eventually(() => {
    const ended = edge.lines.slice(from).filter((line) => line.includes("Tool answered: test_cancellation (CANCELLED"));
    assert.equal(ended.length, times, "cancelled calls");
  }, { limitMs: 10_000, pauseMs: 50 });
}

function callTool(client, name, options) {
  const params = { name, arguments: {} };
  return client instanceof LegacyClient ? client.callTool(params, undefined, options) : client.callTool(params, options);
}

async function checkSdk(banyan, connect) {
  const [client, transport] = connect(banyan.mcp);
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    assert.equal(tools[0].name, "list_projects");
    assert.match((await callTool(client, "list_projects")).content[0].text, /harbour/);

    const seen = [];
    await callTool(client, "test_tool_with_progress", { onprogress: ({ progress }) => seen.push(progress) });
    assert.deepEqual(seen, [0, 50, 100]);
    assert.match((await callTool(client, "test_reconnection")).content[0].text, /after the stream/);

    await cancelling(banyan, async () => {
      const stop = new AbortController();
      await assert.rejects(callTool(client, "test_cancellation", { signal: stop.signal, onprogress: () => stop.abort() }));
    });
    assert.ok((await client.listTools()).tools.length > 0, "the client goes on after it cancelled");

    const resources = await client.listResources();
    assert.equal(resources.resources[0].uri, "banyan://projects");
    const read = await client.readResource({ uri: "banyan://projects" });
    assert.match(read.contents[0].text, /harbour/);
    const prompt = await client.getPrompt({ name: "onboard_project", arguments: { project: "harbour" } });
    assert.match(prompt.messages[0].content.text, /harbour/);
    const completed = await client.complete({ ref: { type: "ref/prompt", name: "onboard_project" }, argument: { name: "project", value: "har" } });
    assert.deepEqual(completed.completion.values, ["harbour"]);
  } finally {
    await client.close();
  }
}

function run(program, args, { limitMs = 300_000 } = {}) {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: limitMs, encoding: "utf8" }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, text: stdout + stderr });
    });
  });
}

// One of tests/system/clients/, which checks what it gets itself, once in each
// mode.
async function checkProgram(banyan, program, args, modes) {
  await cancelling(banyan, async () => {
    const { code, text } = await run(program, [...args, banyan.mcp, ...modes]);
    assert.equal(code, 0, text);
  }, modes.length);
}

const inspector = join(modules, ".bin/mcp-inspector");

// Shows no progress and has no way to cancel.
async function checkInspector(url, era) {
  const inspect = async (...args) => {
    const answer = await run(process.execPath, [inspector, "--cli", url, "--transport", "http", "--protocol-era", era, "--format", "json", ...args]);
    assert.equal(answer.code, 0, answer.text);
    return answer.text;
  };
  const call = (tool) => inspect("--method", "tools/call", "--tool-name", tool);
  const answers = await Promise.all([
    inspect("--method", "tools/list"), inspect("--method", "resources/list"),
    call("list_projects"), call("test_tool_with_progress"), call("test_reconnection"),
  ]);
  const shows = [/list_projects/, /banyan:\/\/projects/, /harbour/, /Three steps done/, /after the stream/];
  for (const [i, shown] of shows.entries()) assert.match(answers[i], shown);
}

// In the modern era it posts cancellations, which mean nothing there, and keeps
// the stream: what ends the call is its own end.
async function checkBridge(banyan, mode) {
  const home = mkdtempSync(join(tmpdir(), "banyan-remote-"));
  const bridge = new StdioPeer(process.execPath, [join(modules, ".bin/mcp-remote"), banyan.mcp, "--allow-http", "--transport", "http-only", "--protocol", mode],
    { env: { HOME: home, MCP_REMOTE_CONFIG_DIR: home } });
  const progressOf = (token) => ({ method, params }) => method === "notifications/progress" && params.progressToken === token;
  const call = (id, name, meta) => bridge.ask(id, "tools/call", { name, arguments: {}, ...(meta ? { _meta: meta } : {}) });
  try {
    await bridge.ask(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: who });
    bridge.post({ method: "notifications/initialized" });
    assert.equal((await bridge.ask(2, "tools/list", {})).result.tools[0].name, "list_projects");
    assert.match(JSON.stringify((await call(3, "list_projects")).result), /harbour/);

    await call(4, "test_tool_with_progress", { progressToken: "steps" });
    const seen = bridge.messages.filter(progressOf("steps")).map(({ params }) => params.progress);
    assert.deepEqual(seen, [0, 50, 100]);
    assert.match(JSON.stringify((await call(5, "test_reconnection")).result), /after the stream/);

    await cancelling(banyan, async () => {
      call(6, "test_cancellation", { progressToken: "wait" }).catch(() => {});
      await bridge.message(progressOf("wait"), "progress before the cancellation");
      if (mode === "auto") bridge.end();
      else bridge.post({ method: "notifications/cancelled", params: { requestId: 6, reason: "enough" } });
    });
    if (mode !== "auto") assert.ok((await bridge.ask(7, "tools/list", {})).result.tools.length > 0);
  } finally {
    bridge.end();
    rmSync(home, { recursive: true, force: true });
  }
}

// Asks for no progress and cancels on its own side only.
async function checkAiSdk({ mcp }) {
  const client = await createAiClient({ transport: { type: "http", url: mcp } });
  try {
    const tools = await client.tools();
    const call = async (name, options) => JSON.stringify(await tools[name].execute({}, { messages: [], toolCallId: name, ...options }));
    assert.match(await call("list_projects"), /harbour/);
    assert.match(await call("test_tool_with_progress"), /Three steps done/);
    await assert.rejects(call("test_simple_text", { abortSignal: AbortSignal.abort() }));
    assert.match(await call("list_projects"), /harbour/);
  } finally {
    await client.close();
  }
}

const python = join(toolsDir, "clients/python/bin/python");
const pythonClient = join(repository, "tests/system/clients/python_client.py");
const goClient = join(toolsDir, "clients/go_client");

for (const topology of topologiesOfLongTests) {
  test(`${topology}: clients`, async (t) => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    const options = {
      projects: { harbour: project.root },
      roots: [folder.path],
      flags: { banyan: ["--conformance_fixtures"], edge: ["--conformance_fixtures"] },
    };
    try {
      await withBanyan(topology, options, async (banyan) => {
        for (const [name, connect] of Object.entries(sdks)) {
          await t.test(name, () => checkSdk(banyan, connect));
        }
        for (const era of ["legacy", "auto", "modern"]) {
          await t.test(`inspector, ${era}`, () => checkInspector(banyan.mcp, era));
        }
        for (const mode of ["legacy", "auto"]) {
          await t.test(`mcp-remote, ${mode}`, () => checkBridge(banyan, mode));
        }
        await t.test("AI SDK", () => checkAiSdk(banyan));
        for (const name of ["mcp", "fastmcp"]) {
          const modes = ["legacy", "auto", "2026-07-28"];
          await t.test(`Python ${name}: ${modes}`, () => checkProgram(banyan, python, [pythonClient, name], modes));
        }
        for (const version of ["2025-11-25", "2026-07-28"]) {
          const skip = existsSync(goClient) ? false : "deploy/install.sh says why there is none";
          await t.test(`Go, ${version}`, { skip }, () => checkProgram(banyan, goClient, [], [version]));
        }

        await t.test("a client's session outlives the edge that was killed (field report 2)", async () => {
          const [client, transport] = sdks["SDK v1"](banyan.mcp);
          await client.connect(transport);
          await banyan.kill("edge");
          await banyan.restart(topology === "serve" ? "banyan" : "edge");
          assert.ok((await client.listTools()).tools.length > 0);
          await client.close();
        });
      });
    } finally {
      folder.remove();
    }
  });
}
