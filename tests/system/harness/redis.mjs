// SPDX-License-Identifier: Apache-2.0

import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

import { eventually } from "./eventually.mjs";
import { freePort } from "./ports.mjs";
import { Program } from "./program.mjs";

// One inline command to a Redis or a Sentinel: its answer as text.
export function askRedis(port, words) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${words.join(" ")}\r\n`));
    let text = "";
    socket.setTimeout(5_000, () => socket.destroy(new Error("no answer of Redis")));
    socket.on("data", (part) => {
      text += part;
      // Enough for what is asked here: a line, or a bulk whose end came.
      if (/\r\n$/.test(text)) {
        socket.destroy();
        resolve(text);
      }
    });
    socket.on("error", reject);
  });
}

// A real Redis that syncs every write, in a folder of its own; with `master` a
// replica of that port.
export class Redis {
  static async start(folder, name, { master } = {}) {
    const redis = new Redis(folder, name, await freePort(), master);
    await redis.restart();
    return redis;
  }

  constructor(folder, name, port, master) {
    this.port = port;
    const home = join(folder, name);
    mkdirSync(home, { recursive: true });
    this.program = new Program("redis-server", ["--port", port, "--bind", "127.0.0.1", "--dir", home, "--logfile", join(home, "log"),
      "--appendonly", "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction",
      ...(master ? ["--replicaof", "127.0.0.1", master] : [])].map(String), { label: name });
  }

  async restart() {
    this.program.start();
    await eventually(async () => {
      if (!/PONG/.test(await askRedis(this.port, ["PING"]))) throw new Error("Redis is not up");
    }, { limitMs: 20_000, pauseMs: 20 });
  }

  kill() {
    return this.program.end("SIGKILL");
  }
}

// A Sentinel that alone decides, soon.
export async function startSentinel(folder, masterPort) {
  const port = await freePort();
  const file = join(folder, "sentinel.conf");
  writeFileSync(file, [
    `port ${port}`, "bind 127.0.0.1", `dir ${folder}`, `logfile ${join(folder, "sentinel.log")}`,
    `sentinel monitor banyan 127.0.0.1 ${masterPort} 1`,
    "sentinel down-after-milliseconds banyan 1000",
    "sentinel failover-timeout banyan 6000",
  ].join("\n"));
  const program = new Program("redis-server", [file, "--sentinel"], { label: "sentinel" });
  program.start();
  await eventually(async () => {
    if (!/PONG/.test(await askRedis(port, ["PING"]))) throw new Error("Sentinel is not up");
  }, { limitMs: 20_000, pauseMs: 20 });
  return { port, program };
}
