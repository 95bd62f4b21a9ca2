// SPDX-License-Identifier: Apache-2.0

import { setTimeout as delay } from "node:timers/promises";

// Asks again until nothing is thrown; the last failure when the time is over.
// For what becomes true by itself: an index, a server's end.
export async function eventually(ask, { limitMs = 60_000, pauseMs = 200 } = {}) {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() + pauseMs > end) throw error;
    }
    await delay(pauseMs);
  }
}
