// SPDX-License-Identifier: Apache-2.0

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../system/harness/banyan.mjs";
import { eventually } from "../system/harness/eventually.mjs";
import { freePort } from "../system/harness/ports.mjs";
import { rawCall } from "../system/harness/raw_http.mjs";

const installed = join(repository, "tests/node_modules");

export async function openSession(url, protocolVersion = "2025-06-18") {
  const answer = await rawCall(url, {
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo: { name: "bench", version: "1" } },
  });
  const sessionId = answer.headers["mcp-session-id"];
  if (answer.status !== 200 || !sessionId) throw new Error(`${url}: no session: ${answer.status} ${answer.text}`);
  return sessionId;
}

async function start(name, file, args, env, port, call) {
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: "ignore" });
  child.on("error", () => {});
  const url = `http://127.0.0.1:${port}/mcp`;
  const sessionId = await eventually(() => openSession(url), { limitMs: 20_000 });
  return { name, url, sessionId, call, stop: () => child.kill("SIGKILL") };
}

// The reference server of the protocol's authors, on Node.
export async function startEverything() {
  const port = await freePort();
  return start("server-everything", process.execPath,
    [join(installed, "@modelcontextprotocol/server-everything/dist/index.js"), "streamableHttp"], { PORT: String(port) },
    port, { name: "echo", arguments: { message: "hello" } });
}

// A native server, in Go: null where npm has none for this machine.
export async function startNative(file = join(installed, "mcp-time-linux-x64/bin/mcp-time")) {
  if (!existsSync(file)) return null;
  const port = await freePort();
  return start("mcp-time (Go)", file, ["--transport", "stream", "--address", `http://127.0.0.1:${port}/mcp`], {},
    port, { name: "current_time", arguments: {} });
}
