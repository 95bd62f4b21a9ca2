// SPDX-License-Identifier: Apache-2.0
//
// An emoji (two UTF-16 units, four bytes) and a combining character before a
// symbol: columns are code points whatever the server counts in.

import assert from "node:assert/strict";
import { test } from "node:test";

import { references, symbols } from "./harness/answers.mjs";
import { topologies, withBanyan } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { copyProject, languages, newFolder } from "./harness/fixtures.mjs";
import { eventually } from "./harness/eventually.mjs";

for (const topology of topologies) {
  for (const language of ["cpp", "python", "typescript"].filter((name) => languages.includes(name))) {
    test(`${topology}, ${language}: columns count code points`, async () => {
      const folder = newFolder();
      const project = copyProject(language, "a", folder.path);
      const { wide, file } = project.expected;
      try {
        await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
          const agent = await Agent.connect("legacy", banyan.mcp);
          await agent.activate(project.root);

          // The symbol's body begins behind the wide characters of its line.
          const found = await eventually(async () => {
            const value = await agent.ask("find_symbol", { name_path_pattern: wide.name, relative_path: wide.path, include_body: true });
            assert.equal(symbols(value).length, 1, JSON.stringify(value));
            return symbols(value)[0];
          });
          const line = project.lines(wide.path)[found.start_line - 1];
          assert.ok(line.includes(wide.line), `line ${found.start_line}: ${line}`);
          const name = project.column(wide.path, wide.line, wide.name);
          const behindSign = [...line.slice(0, line.lastIndexOf("\u0301"))].length + 1;
          assert.ok(found.column > behindSign && found.column <= name, `column ${found.column} of: ${line}`);
          assert.doesNotMatch(found.body, /😀|\u0301/, "the body holds what stands before the symbol");
          assert.ok(found.body.includes(wide.name), found.body);

          // A use behind them.
          await eventually(async () => {
            const used = await agent.ask("find_referencing_symbols", { name_path: wide.useOf, relative_path: file });
            const use = references(used).find((reference) => reference.relative_path === wide.path && reference.column !== undefined);
            assert.ok(use, JSON.stringify(used));
            assert.equal(use.column, project.column(wide.path, wide.useLine, wide.useOf));
          });

          // A position behind them, given by the caller.
          const useLine = project.lines(wide.path).findIndex((text) => text.includes(wide.useLine)) + 1;
          const declared = await agent.ask("find_declaration", {
            relative_path: wide.path,
            line: useLine,
            column: project.column(wide.path, wide.useLine, wide.useOf) + 1,
          });
          assert.ok(symbols(declared).some((symbol) => symbol.name_path.includes(wide.useOf)), JSON.stringify(declared));
          await agent.close();
        });
      } finally {
        folder.remove();
      }
    });
  }
}
