// SPDX-License-Identifier: Apache-2.0

import { Agent, request } from "node:http";

export const percentile = (values, p) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))];

export const median = (values) => percentile(values, 0.5);

// A POST on a connection of `agent`: {ms, status}.
export function timedPost(url, agent, body, headers = {}) {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const call = request(url, { method: "POST", agent, headers: {
      "content-type": "application/json", accept: "application/json, text/event-stream",
      "content-length": Buffer.byteLength(body), ...headers,
    } }, (answer) => {
      answer.on("data", () => {});
      answer.on("error", reject);
      answer.on("end", () => resolve({ ms: performance.now() - started, status: answer.statusCode }));
    });
    call.on("error", reject);
    call.end(body);
  });
}

// Other clients, one call after the other on a connection of their own and
// every tenth on a new one, until `isOver()`. How long each call took.
export async function latencies(url, body, headers, isOver, clients = 4) {
  const taken = [];
  const one = async () => {
    let agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let calls = 1; !isOver(); ++calls) {
      const { ms, status } = await timedPost(url, agent, body, headers);
      if (status !== 200) throw new Error(`answered ${status}`);
      taken.push(ms);
      if (calls % 10 === 0) {
        agent.destroy();
        agent = new Agent({ keepAlive: true, maxSockets: 1 });
      }
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, one));
  return taken;
}
