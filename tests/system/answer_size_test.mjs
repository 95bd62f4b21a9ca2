// SPDX-License-Identifier: Apache-2.0
//
// Answers about a project where everything is too much: each keeps within its
// budget on the wire, says what it left out and how to go on, in compact JSON.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { topologies, withBanyan } from "./harness/banyan.mjs";
import { newFolder } from "./harness/fixtures.mjs";
import { openSession, rawCall } from "./harness/raw_http.mjs";

const files = 3_000;
const budget = 60_000;  // Characters of both copies, docs/tools.md.
const most = 400_000;

function makeHugeProject(root) {
  mkdirSync(join(root, "shelf"), { recursive: true });
  for (let i = 0; i < files; ++i) writeFileSync(join(root, `shelf/volume_with_a_rather_long_name_${i}.txt`), `needle ${i}\n`);
  writeFileSync(join(root, "long.txt"), "a line of a very long file, \"quoted\"\n".repeat(100_000));
  writeFileSync(join(root, "wide.txt"), "x".repeat(1_000_000));
  writeFileSync(join(root, "many.py"), Array.from({ length: 2_000 }, (_, i) => `def function_number_${i}(argument: int) -> int:\n    return argument + ${i}\n\n`).join("\n"));
}

const questions = {
  list_dir: { relative_path: ".", recursive: true },
  find_file: { file_mask: "*" },
  read_file: { relative_path: "long.txt" },
  search_for_pattern: { substring_pattern: "needle" },
  get_symbols_overview: { relative_path: "many.py" },
  find_symbol: { name_path_pattern: "function_number", substring_matching: true, include_body: true },
};

for (const topology of topologies) {
  test(`${topology}: huge answers are bounded, say so, and go on (field report 16)`, async (t) => {
    const folder = newFolder();
    const root = join(folder.path, "huge");
    makeHugeProject(root);
    try {
      await withBanyan(topology, { projects: { huge: root }, roots: [folder.path] }, async ({ mcp }) => {
        const session = await openSession(mcp);
        const call = async (name, args) => {
          const answer = await rawCall(mcp, { method: "tools/call", params: { name, arguments: args }, headers: session });
          const { result } = answer.json;
          assert.ok(!result.isError, answer.text);
          // Compact: nothing but the JSON itself.
          assert.equal(answer.text, JSON.stringify(answer.json));
          return result;
        };
        const size = ({ content, structuredContent }) => [...content[0].text].length + [...JSON.stringify(structuredContent)].length;
        const isCut = ({ structuredContent }) => structuredContent.next_cursor !== undefined || structuredContent.left_out?.length > 0;

        for (const [name, args] of Object.entries(questions)) {
          await t.test(name, async () => {
            const usual = await call(name, args);
            assert.ok(size(usual) <= budget, `${size(usual)} characters`);
            assert.ok(isCut(usual), JSON.stringify(usual).slice(0, 500));
            const small = await call(name, { ...args, max_answer_chars: 2_000 });
            assert.ok(size(small) <= 2_000, `${size(small)} characters`);
            assert.ok(isCut(small));
            const all = await call(name, { ...args, max_answer_chars: -1 });
            assert.ok(size(all) <= most, `${size(all)} characters`);
          });
        }

        await t.test("one line without an end", async () => {
          const answer = await call("read_file", { relative_path: "wide.txt" });
          assert.ok(size(answer) <= budget, `${size(answer)} characters`);
          assert.ok(isCut(answer));
        });

        await t.test("the pages together are the whole", async () => {
          const seen = new Set();
          let cursor;
          let pages = 0;
          do {
            const { structuredContent } = await call("find_file", { ...questions.find_file, ...(cursor ? { cursor } : {}) });
            for (const path of JSON.stringify(structuredContent).match(/volume_with_a_rather_long_name_\d+/g) ?? []) {
              assert.ok(!seen.has(path), `${path} twice`);
              seen.add(path);
            }
            cursor = structuredContent.next_cursor;
            pages += 1;
          } while (cursor !== undefined && pages < 50);
          assert.equal(seen.size, files);
          assert.ok(pages > 1);
        });
      });
    } finally {
      folder.remove();
    }
  });
}
