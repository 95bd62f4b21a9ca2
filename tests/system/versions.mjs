// SPDX-License-Identifier: Apache-2.0
//
// Prints which language servers and clients the tests speak of, in which
// version. Exits 1 when one of the required is missing.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

const servers = [
  ["clangd", ["clangd", "--version"]],
  ["pyright", ["pyright", "--version"]],
  ["typescript", ["tsc", "--version"]],
  ["vtsls", ["vtsls", "--version"]],
  ["gopls", ["gopls", "version"]],
  ["rust-analyzer", ["rust-analyzer", "--version"]],
  ["bash-language-server", ["bash-language-server", "--version"]],
  ["yaml-language-server", "yaml-language-server"],
  ["json, html, css", "vscode-langservers-extracted"],
  ["intelephense", "intelephense", "php"],
];
const clients = ["@modelcontextprotocol/sdk", "@modelcontextprotocol/client", "@modelcontextprotocol/inspector", "mcp-remote", "@ai-sdk/mcp"];
const pythonClients = { mcp: "mcp (Python)", "fastmcp-slim": "fastmcp (Python)" };

function npmVersion(folder, name) {
  return JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;
}

let missing = 0;
function tell(kind, name, version) {
  try {
    const line = version().trim().split("\n").find((text) => text !== "");
    console.log(`${kind.padEnd(8)} ${name.padEnd(30)} ${line}`);
  } catch {
    console.log(`${kind.padEnd(8)} ${name.padEnd(30)} MISSING`);
    missing += 1;
  }
}

tell("node", "node", () => process.version);
for (const [name, command, folder = ""] of servers) {
  tell("server", name, () => typeof command === "string"
    ? npmVersion(join(process.env.BANYAN_TOOLS_DIR, folder), command)
    : execFileSync(command[0], command.slice(1), { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
}
for (const name of clients) tell("client", name, () => npmVersion(join(here, ".."), name));
const python = join(process.env.BANYAN_TOOLS_DIR ?? "", "clients/python/bin/python");
for (const [name, shown] of Object.entries(pythonClients)) {
  tell("client", shown, () => execFileSync(python, ["-c", `import importlib.metadata as m; print(m.version("${name}"))`], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
}
process.exit(missing === 0 ? 0 : 1);
