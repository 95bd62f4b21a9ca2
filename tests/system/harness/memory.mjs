// SPDX-License-Identifier: Apache-2.0

import { readFileSync, writeFileSync } from "node:fs";

function kilobytes(pid, field) {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
}

// What a process holds now, in KiB.
export const residentMemory = (pid) => kilobytes(pid, "VmRSS");

// How much more than now a process held at any time while `act` ran, in KiB,
// and what `act` gave.
export async function peakDuring(pid, act) {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");  // The peak begins anew.
  const before = residentMemory(pid);
  const result = await act();
  return { peak: Math.max(0, kilobytes(pid, "VmHWM") - before), result };
}
