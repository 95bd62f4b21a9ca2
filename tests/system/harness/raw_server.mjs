// SPDX-License-Identifier: Apache-2.0

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

// A language server over a bare pipe, with as little between as can be: what it
// answers after indexing is the truth that our answers are held against.
export class RawServer {
  static async start(command, root, { initializationOptions, settings = {} } = {}) {
    const server = new RawServer(command, root, settings);
    await server.request("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(root).href,
      rootPath: root,
      workspaceFolders: [{ uri: pathToFileURL(root).href, name: "root" }],
      initializationOptions,
      capabilities: {
        window: { workDoneProgress: true },
        workspace: { configuration: true, workspaceFolders: true, didChangeWatchedFiles: { dynamicRegistration: true } },
        textDocument: {
          documentSymbol: { hierarchicalDocumentSymbolSupport: true },
          hover: { contentFormat: ["markdown", "plaintext"] },
          references: {},
        },
        experimental: { serverStatusNotification: true },
      },
    });
    server.notify("initialized", {});
    return server;
  }

  constructor([file, ...args], root, settings) {
    this.root = root;
    this.settings = settings;
    this.pending = new Map();
    this.opened = new Set();
    this.lastId = 0;
    this.working = new Set();  // progress tokens
    this.quietSince = performance.now();
    this.child = spawn(file, args, { cwd: root, stdio: ["pipe", "pipe", "ignore"] });
    this.bytes = Buffer.alloc(0);
    this.child.stdout.on("data", (data) => this.#read(data));
    this.child.stdin.on("error", () => {});
  }

  #read(data) {
    this.bytes = Buffer.concat([this.bytes, data]);
    for (;;) {
      const end = this.bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(this.bytes.toString("latin1", 0, end))[1]);
      if (this.bytes.length < end + 4 + length) return;
      const message = JSON.parse(this.bytes.toString("utf8", end + 4, end + 4 + length));
      this.bytes = this.bytes.subarray(end + 4 + length);
      this.#take(message);
    }
  }

  #take(message) {
    if (message.method === undefined) {
      const { resolve, reject } = this.pending.get(message.id) ?? {};
      this.pending.delete(message.id);
      if (message.error) reject?.(Object.assign(new Error(message.error.message), { code: message.error.code }));
      else resolve?.(message.result);
    } else if (message.id !== undefined) {
      const result = message.method === "workspace/configuration"
        ? message.params.items.map((item) => this.settings[item.section] ?? null)
        : message.method === "workspace/workspaceFolders" ? [{ uri: pathToFileURL(this.root).href, name: "root" }] : null;
      this.#send({ id: message.id, result });
    } else if (message.method === "$/progress") {
      const { token, value } = message.params;
      if (value.kind === "begin") this.working.add(token);
      if (value.kind === "end") this.working.delete(token);
      this.quietSince = performance.now();
    }
  }

  #send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.child.stdin.write(body);
  }

  notify(method, params) {
    this.#send({ method, params });
  }

  request(method, params) {
    const id = ++this.lastId;
    this.#send({ id, method, params });
    return new Promise((resolve, reject) => this.pending.set(id, { resolve, reject }));
  }

  open(path, languageId) {
    const uri = pathToFileURL(path).href;
    if (this.opened.has(uri)) return uri;
    this.opened.add(uri);
    this.notify("textDocument/didOpen", { textDocument: { uri, languageId, version: 1, text: readFileSync(path, "utf8") } });
    return uri;
  }

  // Until no work is reported for a while.
  async indexed({ quietMs = 3_000, limitMs = 300_000 } = {}) {
    const end = performance.now() + limitMs;
    while (performance.now() < end) {
      if (this.working.size === 0 && performance.now() - this.quietSince > quietMs) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`still indexing: ${[...this.working]}`);
  }

  // A location as a path beneath the root, or null.
  relative(uri) {
    const path = uri.startsWith("file://") ? fileURLToPath(uri) : "";
    return path.startsWith(`${this.root}/`) ? path.slice(this.root.length + 1) : null;
  }

  async stop() {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    await Promise.race([this.request("shutdown", null).catch(() => {}), new Promise((resolve) => setTimeout(resolve, 3_000))]);
    this.notify("exit", null);
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 3_000);
    await ended;
    clearTimeout(timer);
  }
}
