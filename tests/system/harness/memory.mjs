// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from "node:fs";

// What of a process is in memory, in bytes.
export function residentBytes(pid) {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").split("\n").find((one) => one.startsWith("VmRSS:"));
  return Number(/\d+/.exec(line)[0]) * 1024;
}
