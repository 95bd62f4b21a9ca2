// SPDX-License-Identifier: Apache-2.0

import { request } from "node:http";

// An event stream that stays open, read by hand: events as {id, retry, data,
// json}, comments counted.
export class EventStream {
  static open(url, { method = "GET", headers = {}, body = "" } = {}) {
    return new Promise((resolve, reject) => {
      const begun = performance.now();
      const call = request(url, { method, headers: { accept: "text/event-stream", ...headers }, agent: false }, (answer) => {
        resolve(new EventStream(call, answer, performance.now() - begun));
      });
      call.on("error", reject);
      call.end(body);
    });
  }

  constructor(call, answer, openMs) {
    this.call = call;
    this.status = answer.statusCode;
    this.headers = answer.headers;
    this.openMs = openMs;
    this.events = [];
    this.comments = 0;
    this.isOver = false;
    this.text = "";
    this.waiting = [];
    let rest = "";
    answer.setEncoding("utf8");
    answer.on("data", (part) => {
      this.text += part;
      const blocks = (rest + part).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) this.#take(block);
      this.#wake();
    });
    const over = () => {
      this.isOver = true;
      this.#wake();
    };
    answer.on("end", over);
    answer.on("error", over);
    answer.on("close", over);
    call.on("error", over);
  }

  #take(block) {
    const event = {};
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) this.comments += 1;
      const field = /^(id|retry|data|event): ?(.*)$/.exec(line);
      if (field) event[field[1]] = (event[field[1]] === undefined ? "" : `${event[field[1]]}\n`) + field[2];
    }
    if (event.data === undefined) return;
    event.json = event.data === "" ? undefined : JSON.parse(event.data);
    this.events.push(event);
  }

  #wake() {
    for (const wake of this.waiting.splice(0)) wake();
  }

  // Until `holds()`; fails after the limit.
  async until(holds, limitMs = 20_000) {
    const end = performance.now() + limitMs;
    while (!holds(this)) {
      const left = end - performance.now();
      if (left <= 0) throw new Error(`the stream never got there; it has: ${this.text}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return this;
  }

  next(count, limitMs) {
    return this.until(({ events }) => events.length >= count, limitMs);
  }

  ended(limitMs) {
    return this.until(({ isOver }) => isOver, limitMs);
  }

  close() {
    this.call.destroy();
  }
}
