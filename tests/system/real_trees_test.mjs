// SPDX-License-Identifier: Apache-2.0
//
// Source that others wrote: overview, find and references of ten symbols, asked
// right after activation, equal what the same server says over a bare pipe once
// it has indexed, filtered to the root.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { isComplete, reasons, referencePlaces, symbols } from "./harness/answers.mjs";
import { Banyan, topologies } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { RawServer } from "./harness/raw_server.mjs";
import { fetchTree, largeTrees, trees } from "./harness/real_trees.mjs";

// Inside a method, constructor or function everything is local but what these
// kinds define: class, method, constructor, enum, interface, function, struct.
const FUNCTION_KINDS = new Set([6, 9, 12]);
const DEFINITION_KINDS = new Set([5, 6, 9, 10, 11, 12, 23]);

function filesOf(root, extension) {
  const found = [];
  const visit = (folder) => {
    for (const name of readdirSync(folder)) {
      if (name.startsWith(".")) continue;
      const path = join(folder, name);
      if (statSync(path).isDirectory()) visit(path);
      else if (extension.test(name)) found.push(path);
    }
  };
  visit(root);
  return found;
}

// Lines, from 0, of TypeScript's `import … from` and `export … from`.
function linesOfImports(text) {
  const lines = new Set();
  for (const { index, 0: statement } of text.matchAll(/^(?:import|export)\s+(?:type\s+)?[\w$*{][^;'"=()]*?\bfrom\s*['"].*$/gm)) {
    const first = text.slice(0, index).split("\n").length - 1;
    statement.split("\n").forEach((_, i) => lines.add(first + i));
  }
  return lines;
}

// The truth about one tree.
class Truth {
  static async of(root, tree) {
    const raw = await RawServer.start(tree.command, root);
    const truth = new Truth(raw, tree);
    for (const [file] of tree.symbols) truth.open(file);
    await raw.indexed();
    return truth;
  }

  constructor(raw, tree) {
    this.raw = raw;
    this.tree = tree;
    this.outlines = new Map();
  }

  open(file) {
    return this.raw.open(join(this.raw.root, file), this.tree.languageId);
  }

  async outline(file) {
    if (!this.outlines.has(file)) {
      this.outlines.set(file, await this.raw.request("textDocument/documentSymbol", { textDocument: { uri: this.open(file) } }));
    }
    return this.outlines.get(file);
  }

  // What the file defines, outermost first: [symbol, names from the top]. What
  // it imports or passes on is defined elsewhere, though TypeScript 7 lists it.
  async definitionsIn(file) {
    const imported = this.importsOf(file);
    const found = [];
    const visit = (nodes, above, isInFunction) => {
      for (const node of nodes ?? []) {
        if (imported.has(node.selectionRange.start.line) || (isInFunction && !DEFINITION_KINDS.has(node.kind))) continue;
        const path = [...above, node.name];
        found.push([node, path]);
        visit(node.children, path, isInFunction || FUNCTION_KINDS.has(node.kind));
      }
    };
    visit(await this.outline(file), [], false);
    return found;
  }

  // "file:line" of everything of that name.
  async placesOf(name) {
    const found = [];
    for (const path of filesOf(this.raw.root, this.tree.extension)) {
      const file = relative(this.raw.root, path);
      for (const [node] of await this.definitionsIn(file)) {
        // clangd names what stands outside its class with the class before it.
        if (node.name.split("::").at(-1) === name) found.push(`${file}:${node.selectionRange.start.line + 1}`);
      }
    }
    return found.sort();
  }

  // The first symbol of that name, and its name path from the file's top; of
  // several with one path (a class and its forward declaration) it is number 0.
  async find(file, name) {
    const all = await this.definitionsIn(file);
    const [node, path] = all.find(([each]) => each.name === name) ?? assert.fail(`${file} has no ${name}`);
    const namesakes = all.filter(([, other]) => other.join("/") === path.join("/"));
    return { node, path: `/${path.join("/")}${namesakes.length > 1 ? "[0]" : ""}` };
  }

  async referencesOf(file, name) {
    const { node } = await this.find(file, name);
    const ask = async (includeDeclaration) => {
      const locations = await this.raw.request("textDocument/references", {
        textDocument: { uri: this.open(file) },
        position: node.selectionRange.start,
        context: { includeDeclaration },
      });
      return (locations ?? []).map(({ uri, range }) => [this.raw.relative(uri), range.start.line]).filter(([path]) => path !== null);
    };
    const places = await ask(false);
    // To TypeScript 7 an import is one more declaration.
    if (this.tree.language === "typescript") places.push(...(await ask(true)).filter(([path, line]) => this.importsOf(path).has(line)));
    return [...new Set(places.map(([path, line]) => `${path}:${line + 1}`))].sort();
  }

  // Lines, from 0, on which a file imports or passes on what others define.
  importsOf(file) {
    return this.tree.language === "typescript" ? linesOfImports(readFileSync(join(this.raw.root, file), "utf8")) : new Set();
  }
}

// The first answer if it is complete; else what it said, and the one that is.
async function whenComplete(agent, t, tool, args) {
  const end = performance.now() + 180_000;
  for (let i = 0; ; ++i) {
    const value = await agent.ask(tool, { ...args, max_answer_chars: -1 });
    const missing = reasons(value).filter((reason) => reason !== "outside_root" && reason !== "dependencies_missing");
    if (isComplete(value) || missing.length === 0) return value;
    if (i === 0) t.diagnostic(`${tool} first said: ${missing}`);
    if (performance.now() > end) assert.fail(`${tool} never complete: ${missing}`);
    await delay(500);
  }
}

const chosen = process.env.BANYAN_TEST_FULL ? { ...trees, ...largeTrees } : trees;

for (const [name, tree] of Object.entries(chosen)) {
  describe(`${name} (${tree.language})`, () => {
    let fetched;
    let truth;
    before(async () => {
      fetched = fetchTree(name, tree);
      truth = await Truth.of(fetched.root, tree);
    }, { timeout: 600_000 });
    after(async () => {
      await truth?.raw.stop();
      fetched?.remove();
    });

    for (const topology of topologies) {
      test(`${topology}: overview, find and references equal the server's own`, { timeout: 600_000 }, async (t) => {
        const banyan = await Banyan.start(topology, { roots: [fetched.root] });
        try {
          const agent = await Agent.connect("legacy", banyan.mcp);
          await agent.activate(fetched.root);
          // Asked cold: references of the first symbol are the first question.
          for (const [file, symbol] of tree.symbols) {
            const used = await whenComplete(agent, t, "find_referencing_symbols", {
              name_path: (await truth.find(file, symbol)).path, relative_path: file, include_imports: true,
            });
            assert.deepEqual(referencePlaces(used), await truth.referencesOf(file, symbol), `references of ${symbol}`);

            const found = await whenComplete(agent, t, "find_symbol", { name_path_pattern: symbol });
            const wanted = await truth.placesOf(symbol);
            const lines = symbols(found);
            assert.equal(lines.length, wanted.length, `${symbol}: ${JSON.stringify(lines)} for ${wanted}`);
            for (const place of wanted) {
              const [path, line] = [place.slice(0, place.lastIndexOf(":")), Number(place.slice(place.lastIndexOf(":") + 1))];
              assert.ok(lines.some((one) => one.relative_path === path && one.start_line <= line && line <= one.end_line), `${symbol} at ${place}`);
            }

            const overview = await whenComplete(agent, t, "get_symbols_overview", { relative_path: file });
            const text = JSON.stringify(overview);
            for (const [node, path] of await truth.definitionsIn(file)) {
              if (path.length !== 1 || !/^[\w$]+$/.test(node.name)) continue;
              // Several of one name are numbered.
              assert.match(text, new RegExp(`"${node.name.replaceAll("$", "\\$")}(\\[\\d+\\])?"`), `${file}: the overview lacks ${node.name}`);
            }
          }
          await agent.close();
          await banyan.stop();
        } catch (error) {
          error.message += `\n${banyan.logTail()}`;
          await banyan.stop("SIGKILL");
          throw error;
        }
      });
    }
  });
}
