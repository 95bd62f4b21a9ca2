// SPDX-License-Identifier: Apache-2.0
//
// stuck_server.mjs FILE
//
// A language server that is there, says that it indexes, and never answers a
// question about a file.
// Appends what it is asked to FILE, a JSON text a line: {method, id}.

import { appendFileSync } from "node:fs";

if (process.argv[2] === "--version") process.exit(0);
const file = process.argv[2];

const capabilities = { textDocumentSync: 1, documentSymbolProvider: true, referencesProvider: true, definitionProvider: true };
const answers = { initialize: { capabilities }, shutdown: null };

function take({ id, method, params }) {
  appendFileSync(file, `${JSON.stringify({ method, id: params?.id ?? id })}\n`);
  if (method === "exit") process.exit(0);
  if (method in answers) send({ id, result: answers[method] });
  if (method === "initialized") {
    send({ method: "$/progress", params: { token: "work", value: { kind: "begin", title: "indexing", message: "3/10", percentage: 30 } } });
  }
}

function send(message) {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

let rest = Buffer.alloc(0);
process.stdin.on("data", (part) => {
  rest = Buffer.concat([rest, part]);
  for (;;) {
    const head = rest.indexOf("\r\n\r\n");
    if (head < 0) return;
    const end = head + 4 + Number(/Content-Length: (\d+)/i.exec(rest.subarray(0, head).toString())[1]);
    if (rest.length < end) return;
    take(JSON.parse(rest.subarray(head + 4, end)));
    rest = rest.subarray(end);
  }
});
process.stdin.on("end", () => process.exit(0));
