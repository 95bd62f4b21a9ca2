// SPDX-License-Identifier: Apache-2.0

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";

import { freePort } from "./ports.mjs";
import { descendants } from "./processes.mjs";
import { Program } from "./program.mjs";

export const repository = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
export const bin = process.env.BANYAN_BIN ?? join(repository, "build/release/bin");
export const toolsDir = process.env.BANYAN_TOOLS_DIR ??
  join(process.env.XDG_DATA_HOME ?? join(process.env.HOME, ".local/share"), "banyan/tools");

// The same tests run against both: three daemons, and `banyan serve`.
export const topologies = (process.env.BANYAN_TOPOLOGY ?? "serve,daemons").split(",");

// For tests that take a minute: both with BANYAN_TEST_FULL, else the last one.
export const topologiesOfLongTests = process.env.BANYAN_TEST_FULL ? topologies : topologies.slice(-1);

const local = (port) => `127.0.0.1:${port}`;

// A running Banyan on ports and in a data folder of its own.
//
//   const banyan = await Banyan.start("serve", { projects: { a: "/path" }, roots: ["/path"] });
//   try { … } finally { await banyan.stop(); }
export class Banyan {
  static async start(topology, options) {
    const banyan = new Banyan(topology, options);
    await banyan.#plan();
    try {
      for (const name of Object.keys(banyan.programs)) banyan.programs[name].start();
      await banyan.ready();
    } catch (error) {
      await banyan.stop("SIGKILL");
      throw error;
    }
    return banyan;
  }

  constructor(topology, { projects = {}, roots = [], flags = {}, env = {} } = {}) {
    this.topology = topology;
    this.projects = projects;
    this.roots = roots;
    this.flags = flags;  // of every program, or by its name: {lspd: [...]}
    this.env = env;
    this.programs = {};
    this.dataDir = mkdtempSync(join(tmpdir(), "banyan-data-"));
  }

  async #plan() {
    const [mcp, admin, metrics] = [await freePort(), await freePort(), await freePort()];
    this.mcp = `http://${local(mcp)}/mcp`;
    this.admin = `http://${local(admin)}`;
    this.metrics = { edge: `http://${local(metrics)}` };
    const projects = Object.entries(this.projects).map(([name, root]) => `${name}=${root}`).join(",");
    const roots = this.roots.join(",");
    const front = [`--listen=${local(mcp)}`, `--admin_listen=${local(admin)}`, `--metrics_listen=${local(metrics)}`];
    const places = [...(projects ? [`--projects=${projects}`] : []), ...(roots ? [`--workspaces_root=${roots}`] : [])];
    const servers = [`--catalog=${join(repository, "deploy/server_catalog.json")}`, `--tools_dir=${toolsDir}`];
    const add = (name, program, args) => {
      const extra = Array.isArray(this.flags) ? this.flags : (this.flags[name] ?? []);
      const data = `--data_dir=${join(this.dataDir, name)}`;
      this.programs[name] = new Program(join(bin, program), [...args, data, ...extra], { env: this.env, label: name });
    };
    if (this.topology === "serve") {
      add("banyan", "banyan", ["serve", ...front, ...places, ...servers]);
      return;
    }
    const [session, lsp] = [await freePort(), await freePort()];
    for (const name of ["sessiond", "lspd"]) this.metrics[name] = `http://${local(await freePort())}`;
    const metricsOf = (name) => `--metrics_listen=${new URL(this.metrics[name]).host}`;
    add("sessiond", "banyan-sessiond", [`--listen=${local(session)}`, metricsOf("sessiond"), ...places]);
    add("lspd", "banyan-lspd", [`--listen=${local(lsp)}`, metricsOf("lspd"), `--sessiond=${local(session)}`,
      ...(roots || projects ? [`--workspaces_root=${roots || Object.values(this.projects).join(",")}`] : []), ...servers]);
    add("edge", "banyan-edge", [...front, `--sessiond=${local(session)}`, `--lspd=${local(lsp)}`]);
  }

  // The program that does a daemon's work in this topology.
  program(name) {
    return this.programs[name] ?? this.programs.banyan;
  }

  metricsOf(name) {
    return this.metrics[name] ?? this.metrics.edge;
  }

  // Until every program answers 200 on /readyz.
  async ready(limitMs = 30_000) {
    const end = performance.now() + limitMs;
    for (const [name, program] of Object.entries(this.programs)) {
      for (;;) {
        if (!program.isRunning) throw new Error(`${name} ended (${program.exit})\n${program.tail()}`);
        const isReady = await fetch(`${this.metricsOf(name)}/readyz`).then((answer) => answer.status === 200, () => false);
        if (isReady) break;
        if (performance.now() > end) throw new Error(`${name} is not ready\n${this.logTail()}`);
        await delay(20);
      }
    }
  }

  async kill(name) {
    await this.program(name).end("SIGKILL");
  }

  // Starts a program that has ended, in its old place.
  async restart(name) {
    this.program(name).start();
    await this.ready();
  }

  // All processes that any of our programs started and that run now.
  children() {
    return Object.values(this.programs).filter((p) => p.isRunning).flatMap((p) => descendants(p.pid));
  }

  get lines() {
    return Object.values(this.programs).flatMap((program) => program.lines);
  }

  logTail() {
    return Object.values(this.programs).map((program) => program.tail(25)).join("\n");
  }

  async stop(signal = "SIGTERM") {
    const faults = [];
    for (const program of Object.values(this.programs).reverse()) {
      await program.end(signal).catch((error) => faults.push(error));
    }
    rmSync(this.dataDir, { recursive: true, force: true });
    if (faults.length > 0) throw faults[0];
  }
}

// Runs `use` against a Banyan and stops it whatever happens. When `use` fails,
// the programs' last lines go with the failure.
export async function withBanyan(topology, options, use) {
  const banyan = await Banyan.start(topology, options);
  try {
    const result = await use(banyan);
    await banyan.stop();
    return result;
  } catch (error) {
    error.message += `\n${banyan.logTail()}`;
    await banyan.stop("SIGKILL");
    throw error;
  }
}
