// SPDX-License-Identifier: Apache-2.0

import { parseArgs } from "node:util";

import { topologies } from "../system/harness/banyan.mjs";
import { newFolder } from "../system/harness/fixtures.mjs";
import { measureCalls } from "./calls.mjs";
import { measureMemory } from "./memory.mjs";
import { measureProtocol } from "./protocol.mjs";
import { startEverything, startNative } from "./references.mjs";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "protocol,calls,memory" },
    seconds: { type: "string", default: "2" },  // of each run
    rounds: { type: "string", default: "3" },   // of each comparison
    connections: { type: "string", default: "50" },  // of the calls
    sessions: { type: "string", default: "10000" },
    streams: { type: "string", default: "2000" },
    native: { type: "string" },  // another native server than npm's
  },
});
const number = (name) => Number(options[name]);
const parts = options.only.split(",");

const scratch = newFolder("banyan-bench-");
const everything = await startEverything();
const native = await startNative(options.native);
if (native === null) console.log("npm has no native server for this machine: left out");
const shared = { folder: scratch.path, rounds: number("rounds"), seconds: number("seconds") };
try {
  for (const topology of topologies) {
    if (parts.includes("protocol")) await measureProtocol(topology, [...(native ? [native] : []), everything], shared);
    if (parts.includes("calls")) await measureCalls(topology, everything, { ...shared, connections: number("connections") });
    if (parts.includes("memory")) await measureMemory(topology, { folder: scratch.path, sessions: number("sessions"), streams: number("streams") });
  }
} finally {
  everything.stop();
  native?.stop();
  scratch.remove();
}
process.exit(0);
