// SPDX-License-Identifier: Apache-2.0

import { request } from "node:http";

// One HTTP exchange with nothing added: {status, headers, text, json}. `from`
// is the address that it comes from.
export function rawHttp(url, { method = "POST", headers = {}, body = "", from, limitMs = 60_000 } = {}) {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, localAddress: from, agent: false, timeout: limitMs }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part) => (text += part));
      answer.on("error", reject);
      answer.on("end", () => {
        let json;
        try {
          json = JSON.parse(text);
        } catch {
          json = undefined;
        }
        resolve({ status: answer.statusCode, headers: answer.headers, text, json });
      });
    });
    call.on("timeout", () => call.destroy(new Error(`no answer within ${limitMs} ms`)));
    call.on("error", reject);
    call.end(body);
  });
}

let lastId = 0;

// A JSON-RPC request as a legacy client would post it.
export function rawCall(url, { method, params, sessionId, id = ++lastId, headers = {} }) {
  return rawHttp(url, {
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(sessionId ? { "mcp-session-id": sessionId, "mcp-protocol-version": "2025-11-25" } : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, ...(params ? { params } : {}) }),
  });
}

// Opens a session; what to send with each of its requests.
export async function openSession(url, { version = "2025-11-25", capabilities = {}, headers = {} } = {}) {
  const answer = await rawCall(url, {
    method: "initialize",
    params: { protocolVersion: version, capabilities, clientInfo: { name: "raw", version: "1" } },
    headers,
  });
  if (answer.status !== 200) throw new Error(`initialize answered ${answer.status}: ${answer.text}`);
  return { "mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": version, ...headers };
}

export const modernVersion = "2026-07-28";

// A request of the modern era, complete; `change` may break it.
export function modernCall(url, { method, params = {}, headers = {}, id = ++lastId, version = modernVersion, meta = {} }) {
  const body = {
    jsonrpc: "2.0",
    id,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
        ...meta,
      },
    },
  };
  const all = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(params.name ? { "mcp-name": params.name } : {}),
    ...headers,
  };
  for (const name of Object.keys(all)) if (all[name] === null) delete all[name];
  return rawHttp(url, { headers: all, body: JSON.stringify(body) });
}
