// SPDX-License-Identifier: Apache-2.0
//
// The official conformance suite against one endpoint that serves both eras: at
// both requirement sets every scored scenario passes, with no list of expected
// failures, and at 2025-06-18 every scenario there is.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import { topologies, withBanyan } from "./harness/banyan.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";

const suite = join(dirname(fileURLToPath(import.meta.url)),
  "../conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js");

// Scored scenarios of each requirement set, and how many scenarios run at all
// in a selection by suite.
const runs = [
  { name: "requirements 2025-11-25", args: ["--requirements", "2025-11-25"], scored: 30 },
  { name: "requirements 2026-07-28", args: ["--requirements", "2026-07-28"], scored: 37 },
  { name: "all of 2025-06-18", args: ["--suite", "all", "--spec-version", "2025-06-18"] },
];

// The scenarios of the suite's summary by outcome, without those that it says
// it does not score.
function scoredScenarios(text) {
  const [all, unscored] = text.slice(text.indexOf("=== SUMMARY ===")).split("Not scored for");
  const names = (part, sign) => [...(part ?? "").matchAll(new RegExp(`^ *${sign} ([\\w-]+)`, "gm"))].map((match) => match[1]);
  const leftOut = new Set([...names(unscored, "✓"), ...names(unscored, "✗")]);
  const scored = (sign) => names(all, sign).filter((name) => !leftOut.has(name));
  return { passed: scored("✓"), failed: scored("✗") };
}

function runSuite(url, args) {
  const out = mkdtempSync(join(tmpdir(), "banyan-conformance-"));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [suite, "server", "--url", url, ...args, "-o", out], { timeout: 300_000 });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => (text += part));
    child.on("error", reject);
    child.on("close", (code) => {
      rmSync(out, { recursive: true, force: true });
      resolve({ code, text });
    });
  });
}

for (const topology of topologies) {
  test(`${topology}: the conformance suite`, async (t) => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    try {
      const options = {
        projects: { harbour: project.root },
        roots: [folder.path],
        flags: { banyan: ["--conformance_fixtures"], edge: ["--conformance_fixtures"] },
      };
      await withBanyan(topology, options, async ({ mcp }) => {
        for (const { name, args, scored } of runs) {
          await t.test(name, async () => {
            const { code, text } = await runSuite(mcp, args);
            assert.equal(code, 0, text);
            const { passed, failed } = scoredScenarios(text);
            assert.deepEqual(failed, []);
            if (scored !== undefined) assert.equal(passed.length, scored, passed.join(" "));
            console.log(`${name}: ${passed.length} of ${scored ?? passed.length} scenarios passed`);
          });
        }
      });
    } finally {
      folder.remove();
    }
  });
}
