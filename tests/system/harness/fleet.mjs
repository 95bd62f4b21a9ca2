// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { repository } from "./banyan.mjs";
import { freePort } from "./ports.mjs";
import { Program } from "./program.mjs";

const bin = process.env.BANYAN_BIN ?? join(repository, "build/release/bin");
const local = (port) => `127.0.0.1:${port}`;

async function isReady(origin) {
  return fetch(`${origin}/readyz`).then((answer) => answer.status === 200, () => false);
}

async function until(condition, what, limitMs = 30_000) {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what} within ${limitMs} ms`);
    await delay(20);
  }
}

// The balancers that deploy/ has a file for, each with what a test must change
// in that file: where it listens, which edges there are.
const balancers = {
  haproxy: {
    file: "deploy/haproxy/haproxy.cfg",
    adapt: (text, { port, edges }) => text
      .replace("log stdout", "log stderr")
      .replace("bind :8420", `bind ${local(port)}`)
      .replace(/( *server edge-\d+ .*\n)+/g, edges.map(({ name, mcp, metrics }) => `  server ${name} ${local(mcp)} port ${metrics}\n`).join("")),
    start: (file) => ["haproxy", ["-W", "-db", "-f", file]],
    check: (file) => ["haproxy", ["-c", "-q", "-f", file]],
    reload: "SIGUSR2",
  },
  nginx: {
    file: "deploy/nginx/nginx.conf",
    adapt: (text, { port, edges, folder }) => `pid ${folder}/nginx.pid;\n` +
      // Edges without authentication serve the user that they run as.
      (process.getuid() === 0 ? "user root;\n" : "") + text
      .replace("listen 8420;", `listen ${local(port)};`)
      .replace("access_log /dev/stdout plain;", `access_log ${folder}/access.log plain;\n` +
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `  ${name}_temp_path ${folder}/${name};\n`).join(""))
      .replace(/( *server edge-\d+:8420 .*\n)+/g, edges.map(({ mcp }) => `    server ${local(mcp)} max_fails=1 fail_timeout=1s;\n`).join("")),
    start: (file) => ["nginx", ["-c", file, "-g", "daemon off;"]],
    check: (file) => ["nginx", ["-t", "-q", "-c", file]],
    reload: "SIGHUP",
  },
};

// Several edges behind a real balancer, with one session daemon and several
// lspds, all on ports of their own.
//
//   const fleet = await Fleet.start({ balancer: "nginx", edges: 2, lspds: 2, roots: [folder] });
//
// Without `balancer` the edges are asked directly, at their `mcp` ports.
export class Fleet {
  static async start(options) {
    const fleet = new Fleet(options);
    try {
      await fleet.#startAll(options);
    } catch (error) {
      error.message += `\n${fleet.logTail()}`;
      await fleet.stop("SIGKILL");
      throw error;
    }
    return fleet;
  }

  constructor({ balancer }) {
    this.kind = balancers[balancer];
    this.folder = mkdtempSync(join(tmpdir(), "banyan-fleet-"));
    this.programs = {};
    this.origins = {};
    this.edges = [];
    this.lspds = [];
  }

  async #startAll({ edges, lspds, roots }) {
    const places = `--workspaces_root=${roots.join(",")}`;
    const session = await freePort();
    await this.#run("sessiond", "banyan-sessiond", [`--listen=${local(session)}`, places]);
    for (let i = 0; i < lspds; ++i) this.lspds.push({ name: `lspd-${i + 1}`, port: await freePort() });
    for (const { name, port } of this.lspds) {
      await this.#run(name, "banyan-lspd", [`--listen=${local(port)}`, `--sessiond=${local(session)}`, places,
        `--catalog=${join(repository, "deploy/server_catalog.json")}`]);
    }
    this.sessiondPort = session;
    this.port = await freePort();
    this.mcp = `http://${local(this.port)}/mcp`;
    for (let i = 0; i < edges; ++i) await this.addEdge();
    if (this.kind === undefined) return;
    this.#configure();
    const [file, args] = this.kind.start(join(this.folder, "balancer.conf"));
    this.programs.balancer = new Program(file, args, { label: "balancer" });
    this.programs.balancer.start();
    await until(() => fetch(this.mcp).then(() => true, () => false), "the balancer listens");
    await until(async () => (await fetch(this.mcp, { method: "DELETE" })).status < 500, "the balancer reaches an edge");
  }

  async #run(name, program, args) {
    const metrics = await freePort();
    this.origins[name] = `http://${local(metrics)}`;
    this.programs[name] = new Program(join(bin, program), [...args, `--metrics_listen=${local(metrics)}`,
      `--data_dir=${join(this.folder, name)}`], { label: name });
    this.programs[name].start();
    await this.ready(name);
    return metrics;
  }

  async ready(name) {
    await until(() => isReady(this.origins[name]), `${name} is ready`);
  }

  async addEdge() {
    const name = `edge-${this.edges.length + 1}`;
    const mcp = await freePort();
    const metrics = await this.#run(name, "banyan-edge", [`--listen=${local(mcp)}`, `--admin_listen=${local(await freePort())}`,
      `--allowed_hosts=${local(this.port)}`, `--sessiond=${local(this.sessiondPort)}`, `--lspd=${this.lspds.map(({ port }) => local(port)).join(",")}`]);
    this.edges.push({ name, mcp, metrics });
  }

  #configure() {
    const file = join(this.folder, "balancer.conf");
    writeFileSync(file, this.kind.adapt(readFileSync(join(repository, this.kind.file), "utf8"),
      { port: this.port, edges: this.edges, folder: this.folder }));
    const [program, args] = this.kind.check(file);
    execFileSync(program, args, { stdio: "pipe" });
  }

  async #reload() {
    this.#configure();
    process.kill(this.programs.balancer.pid, this.kind.reload);
    // Both take a moment to have new workers; nothing tells when.
    await delay(1_000);
  }

  async scaleUp() {
    await this.addEdge();
    await this.#reload();
  }

  // The balancer lets go of it before it ends.
  async scaleDown() {
    const { name } = this.edges.pop();
    await this.#reload();
    await this.programs[name].end("SIGTERM");
    delete this.programs[name];
  }

  async restart(name, signal) {
    await this.programs[name].end(signal);
    await delay(300);
    this.programs[name].start();
    await this.ready(name);
  }

  // What the balancer has logged: HAProxy on its output, nginx in a file.
  balancerLog() {
    const file = join(this.folder, "access.log");
    return [...this.programs.balancer.lines, existsSync(file) ? readFileSync(file, "utf8") : ""].join("\n");
  }

  logTail() {
    return Object.values(this.programs).map((program) => program.tail(12)).join("\n");
  }

  async stop(signal = "SIGTERM") {
    for (const program of Object.values(this.programs).reverse()) {
      await program.end(program.label === "balancer" ? "SIGTERM" : signal).catch(() => {});
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
