// SPDX-License-Identifier: Apache-2.0
//
// The clients that people use, each as it comes from npm: lists, calls, hears of
// progress, cancels, and comes back where it can.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { experimental_createMCPClient as createAiClient } from "@ai-sdk/mcp";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";

import { repository, topologies, withBanyan } from "./harness/banyan.mjs";
import { eventually } from "./harness/eventually.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";

const who = { name: "banyan-client-matrix", version: "1.0.0" };
const modules = join(repository, "tests/node_modules");

const sdks = {
  "SDK v1": (url) => [new LegacyClient(who), new LegacyTransport(new URL(url))],
  "SDK v2 legacy": (url) => [new ModernClient(who), new ModernTransport(new URL(url))],
  "SDK v2 auto": (url) => [new ModernClient(who, { versionNegotiation: { mode: "auto" } }), new ModernTransport(new URL(url))],
  "SDK v2 pinned": (url) => [new ModernClient(who, { versionNegotiation: { mode: { pin: "2026-07-28" } } }), new ModernTransport(new URL(url))],
};

function callTool(client, params, options) {
  return client instanceof LegacyClient ? client.callTool(params, undefined, options) : client.callTool(params, options);
}

async function checkSdk(url, connect) {
  const [client, transport] = connect(url);
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    assert.equal(tools[0].name, "list_projects");
    const answer = await callTool(client, { name: "list_projects", arguments: {} });
    assert.match(answer.content[0].text, /harbour/);

    const seen = [];
    await callTool(client, { name: "test_tool_with_progress", arguments: {} }, { onprogress: ({ progress }) => seen.push(progress) });
    assert.deepEqual(seen, [0, 50, 100]);

    const stop = new AbortController();
    const running = callTool(client, { name: "test_tool_with_progress", arguments: {} }, { signal: stop.signal, onprogress: () => stop.abort() });
    await assert.rejects(running);
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

function run(file, args, { limitMs = 60_000 } = {}) {
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { timeout: limitMs, encoding: "utf8" }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

const inspector = join(modules, ".bin/mcp-inspector");

async function inspect(url, era, ...args) {
  const answer = await run(inspector, ["--cli", url, "--transport", "http", "--protocol-era", era, "--format", "json", ...args]);
  assert.equal(answer.code, 0, answer.stdout + answer.stderr);
  return answer.stdout;
}

// A stdio client of mcp-remote, reduced to what the bridge must carry.
async function checkBridge(url, args) {
  const home = mkdtempSync(join(tmpdir(), "banyan-remote-"));
  const child = spawn(process.execPath, [join(modules, ".bin/mcp-remote"), url, "--allow-http", "--transport", "http-only", ...args],
    { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, HOME: home, MCP_REMOTE_CONFIG_DIR: home } });
  const answers = new Map();
  let rest = "";
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.id !== undefined) answers.set(message.id, message);
    }
  });
  const ask = async (id, method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    await eventually(() => assert.ok(answers.has(id), `${method}: ${said}`), { limitMs: 30_000 });
    return answers.get(id);
  };
  try {
    await ask(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: who });
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    assert.equal((await ask(2, "tools/list", {})).result.tools[0].name, "list_projects");
    assert.match(JSON.stringify((await ask(3, "tools/call", { name: "list_projects", arguments: {} })).result), /harbour/);
  } finally {
    child.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

for (const topology of topologies) {
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
        const { mcp } = banyan;
        for (const [name, connect] of Object.entries(sdks)) {
          await t.test(name, () => checkSdk(mcp, connect));
        }

        for (const era of ["legacy", "auto", "modern"]) {
          await t.test(`inspector, ${era}`, async () => {
            assert.match(await inspect(mcp, era, "--method", "tools/list"), /list_projects/);
            assert.match(await inspect(mcp, era, "--method", "tools/call", "--tool-name", "list_projects"), /harbour/);
            assert.match(await inspect(mcp, era, "--method", "resources/list"), /banyan:\/\/projects/);
          });
        }

        await t.test("mcp-remote, legacy", () => checkBridge(mcp, []));
        await t.test("mcp-remote, auto", () => checkBridge(mcp, ["--protocol", "auto"]));

        await t.test("AI SDK", async () => {
          const client = await createAiClient({ transport: { type: "http", url: mcp } });
          try {
            const tools = await client.tools();
            assert.ok(tools.list_projects);
            const answer = await tools.list_projects.execute({}, { messages: [], toolCallId: "1" });
            assert.match(JSON.stringify(answer), /harbour/);
          } finally {
            await client.close();
          }
        });

        await t.test("a client's session outlives the edge", async () => {
          const [client, transport] = sdks["SDK v1"](mcp);
          await client.connect(transport);
          await banyan.program("edge").end("SIGTERM");
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
