// SPDX-License-Identifier: Apache-2.0
//
// The table of edits (harness/edit_cases.mjs) with real language servers: the
// whole file is what it must be, with LF and with CRLF, and it still parses.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { test } from "node:test";

import { withBanyan } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { editCases } from "./harness/edit_cases.mjs";
import { copyProject, initRepository, languages, newFolder } from "./harness/fixtures.mjs";

const count = Object.values(editCases).reduce((sum, { cases }) => sum + 2 * cases.length, 0);

test("the table is as long as was promised", () => assert.ok(count >= 150, `${count} cases`));

// A text with the one occurrence of `from` replaced.
function replacedOnce(text, from, to) {
  const at = text.indexOf(from);
  assert.ok(at >= 0 && text.indexOf(from, at + 1) < 0, `does not stand once: ${from}`);
  return text.slice(0, at) + to + text.slice(at + from.length);
}

// Languages that no other test speaks of have the one file, in a project of its
// own.
const hasProject = (language) => languages.includes(language);
const isAsked = (language) => hasProject(language) || !process.env.BANYAN_TEST_LANGUAGES;

function newProject(folder) {
  const root = join(folder, "project");
  mkdirSync(root);
  initRepository(root, { allowsEmpty: true });
  return { root };
}

for (const language of Object.keys(editCases).filter(isAsked)) {
  test(`${language}: each edit lands where it is meant`, async () => {
    const folder = newFolder();
    const project = hasProject(language) ? copyProject(language, "a", folder.path) : newProject(folder.path);
    const { path, text, parse, parsesAtOnce = false, cases } = editCases[language];
    const parsed = [];  // Texts that a slow parser is given all at once.
    const file = join(project.root, path);
    mkdirSync(dirname(file), { recursive: true });
    try {
      await withBanyan("serve", { roots: [folder.path] }, async (banyan) => {
        const agent = await Agent.connect("legacy", banyan.mcp);
        await agent.activate(project.root);
        const faults = [];
        for (const [name, ends] of [["LF", (s) => s], ["CRLF", (s) => s.replaceAll("\n", "\r\n")]]) {
          for (const { tool, args, from, to } of cases) {
            writeFileSync(file, ends(text));
            const read = await agent.ask("read_file", { relative_path: path });
            const what = `${name} ${tool} ${JSON.stringify(args)}`;
            const answer = await agent.call(tool, { relative_path: path, expected_hash: read.hash, ...args });
            const now = readFileSync(file, "utf8");
            const expected = ends(replacedOnce(text, from, to));
            if (answer.isError) faults.push(`${what}: ${answer.text}`);
            else if (now !== expected) faults.push(`${what}:\n${answer.value.files[0]?.unified_diff}`);
            else if (parsesAtOnce) {
              parsed.push(join(folder.path, `parsed_${parsed.length}${extname(path)}`));
              writeFileSync(parsed.at(-1), now);
            } else {
              try {
                if (language !== "bash" || name === "LF") execFileSync(parse[0], [...parse.slice(1), file], { cwd: folder.path, stdio: "pipe" });
              } catch (error) {
                faults.push(`${what}: parses no more: ${error.stderr}`);
              }
            }
          }
        }
        if (parsed.length > 0) execFileSync(parse[0], [...parse.slice(1), ...parsed], { cwd: folder.path, stdio: "pipe" });
        assert.deepEqual(faults, [], faults.join("\n\n"));
        await agent.close();
      });
    } finally {
      folder.remove();
    }
  });
}
