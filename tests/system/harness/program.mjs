// SPDX-License-Identifier: Apache-2.0

import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";

// A child process whose standard error is kept line by line.
export class Program extends EventEmitter {
  constructor(file, args, { env = {}, cwd, label = file } = {}) {
    super();
    this.setMaxListeners(0);
    this.file = file;
    this.args = args;
    this.env = env;
    this.cwd = cwd;
    this.label = label;
    this.lines = [];
    this.child = null;
    this.exit = null;
  }

  get pid() {
    return this.child?.pid;
  }

  get isRunning() {
    return this.child !== null && this.exit === null;
  }

  start() {
    this.exit = null;
    this.child = spawn(this.file, this.args, {
      env: { ...process.env, ...this.env },
      cwd: this.cwd,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.child.on("error", (error) => this.#ended(`cannot start: ${error.message}`));
    this.child.on("exit", (code, signal) => this.#ended(signal ?? code));
    let rest = "";
    this.child.stderr.setEncoding("utf8");
    this.child.stderr.on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        this.lines.push(line);
        this.emit("line", line);
      }
    });
  }

  #ended(how) {
    if (this.exit !== null) return;
    this.exit = how;
    this.emit("ended", how);
  }

  // Sends a signal and waits until the process is gone: its code or signal.
  async end(signal = "SIGTERM", limitMs = 20_000) {
    if (!this.isRunning) return this.exit;
    const ended = once(this, "ended", { signal: AbortSignal.timeout(limitMs) });
    this.child.kill(signal);
    try {
      await ended;
    } catch {
      this.child.kill("SIGKILL");
      throw new Error(`${this.label} did not end within ${limitMs} ms of ${signal}\n${this.tail()}`);
    }
    return this.exit;
  }

  // The first line, already written or still to come, that matches.
  async line(pattern, { from = 0, limitMs = 20_000 } = {}) {
    const known = this.lines.slice(from).find((line) => pattern.test(line));
    if (known !== undefined) return known;
    return new Promise((resolve, reject) => {
      const done = (settle, value) => {
        clearTimeout(timer);
        this.off("line", look);
        this.off("ended", gone);
        settle(value);
      };
      const look = (line) => pattern.test(line) && done(resolve, line);
      const gone = (how) => done(reject, new Error(`${this.label} ended (${how}) without ${pattern}\n${this.tail()}`));
      const timer = setTimeout(
        () => done(reject, new Error(`${this.label} did not write ${pattern}\n${this.tail()}`)), limitMs);
      this.on("line", look);
      this.on("ended", gone);
    });
  }

  tail(count = 40) {
    return this.lines.slice(-count).map((line) => `  ${this.label}| ${line}`).join("\n");
  }
}
