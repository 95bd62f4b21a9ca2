// SPDX-License-Identifier: Apache-2.0

import { spawn } from "node:child_process";

// The other end of an MCP server on standard input and output, reduced to what
// a bridge must carry: requests, their answers, notifications.
export class StdioPeer {
  constructor(file, args, { env = {} } = {}) {
    this.child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env } });
    this.said = "";
    this.messages = [];
    this.waiting = new Set();
    this.child.stderr.setEncoding("utf8").on("data", (text) => (this.said += text));
    let rest = "";
    this.child.stdout.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      this.messages.push(...lines.map((line) => JSON.parse(line)));
      for (const look of this.waiting) look();
    });
    this.child.on("exit", () => {
      for (const look of this.waiting) look();
    });
  }

  // The first message, already come or still to come, that `is` this.
  message(is, what, limitMs = 60_000) {
    return new Promise((resolve, reject) => {
      const done = (settle, value) => {
        clearTimeout(timer);
        this.waiting.delete(look);
        settle(value);
      };
      const look = () => {
        const found = this.messages.find(is);
        if (found) done(resolve, found);
        else if (this.child.exitCode !== null) done(reject, new Error(`it ended before ${what}: ${this.said}`));
      };
      const timer = setTimeout(() => done(reject, new Error(`no ${what}: ${this.said}`)), limitMs);
      this.waiting.add(look);
      look();
    });
  }

  post(message) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  ask(id, method, params) {
    this.post({ id, method, params });
    return this.message((message) => message.id === id && message.method === undefined, `answer to ${method}`);
  }

  end() {
    this.child.kill();
  }
}
