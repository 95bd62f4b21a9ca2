// SPDX-License-Identifier: Apache-2.0

import { createServer } from "node:net";

const given = new Set();

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

// A port that nobody listens on. Below the range from which the kernel hands
// out ports itself, so that it is still free when a program comes back to it.
export async function freePort() {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}
