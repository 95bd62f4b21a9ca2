// SPDX-License-Identifier: Apache-2.0

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

// A process is its number and its start: numbers come back.
function read(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return {
      pid: Number(pid),
      name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
      state: fields[0],
      parent: Number(fields[1]),
      start: fields[19],
    };
  } catch {
    return null;
  }
}

export function allProcesses() {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(read).filter(Boolean);
}

// Everything below a process, deepest last, without itself.
export function descendants(root) {
  const children = new Map();
  for (const process of allProcesses()) {
    if (!children.has(process.parent)) children.set(process.parent, []);
    children.get(process.parent).push(process);
  }
  const found = [];
  const visit = (pid) => {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      visit(child.pid);
    }
  };
  visit(root);
  return found;
}

export function isAlive(process) {
  const now = read(process.pid);
  return now !== null && now.start === process.start && now.state !== "Z";
}

export function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
  } catch {
    return "";
  }
}

export function programOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return "";
  }
}

// Those still alive when the time is over; returns as soon as none is.
export async function survivors(processes, limitMs) {
  const end = performance.now() + limitMs;
  for (;;) {
    const alive = processes.filter(isAlive);
    if (alive.length === 0 || performance.now() >= end) {
      return alive.map((process) => ({ ...process, command: commandLine(process.pid) }));
    }
    await delay(50);
  }
}
