// SPDX-License-Identifier: Apache-2.0

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const inMs = (text) => {
  const [, number, unit] = /([\d.]+)(us|ms|s|m)/.exec(text);
  return Number(number) * { us: 0.001, ms: 1, s: 1000, m: 60_000 }[unit];
};

export const acceptBoth = {
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
};

// Lua that posts one body all the time.
export function posting(body, headers = {}) {
  return [
    'wrk.method = "POST"',
    `wrk.body = ${JSON.stringify(body)}`,
    ...Object.entries({ ...acceptBoth, ...headers }).map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`),
  ].join("\n");
}

// One run of wrk with a script: {rate, p50, p99}. `threads` each have a state
// of their own.
export async function wrk(folder, url, { script, connections, seconds, threads = 1 }) {
  const file = join(folder, "load.lua");
  writeFileSync(file, script);
  const { stdout } = await promisify(execFile)("wrk",
    [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, "--timeout", "10s", "--latency", "-s", file, url]);
  if (/Non-2xx/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  return {
    rate: Number(/Requests\/sec: +([\d.]+)/.exec(stdout)[1]),
    p50: inMs(/50% +(\S+)/.exec(stdout)[1]),
    p99: inMs(/99% +(\S+)/.exec(stdout)[1]),
  };
}

const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// The median of each figure of several runs.
export function medians(runs) {
  return Object.fromEntries(["rate", "p50", "p99"].map((key) => [key, middle(runs.map((run) => run[key]))]));
}

export function report(title, runs, unit = "") {
  const { rate, p50, p99 } = medians(runs);
  console.log(`${title.padEnd(46)} ${rate.toFixed(0).padStart(7)}${unit}/s   p50 ${p50.toFixed(2).padStart(7)} ms   p99 ${p99.toFixed(2).padStart(8)} ms`);
  return rate;
}
