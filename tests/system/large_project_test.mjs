// SPDX-License-Identifier: Apache-2.0
//
// 20,000 files: the first find_symbol within 3 s once the server is ready, a
// repeated one within 50 ms (median), and the server is asked only about files
// that can hold the name.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { assertComplete, isComplete, symbols } from "./harness/answers.mjs";
import { topologies, withBanyan } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { eventually } from "./harness/eventually.mjs";
import { generateLargeProject, newFolder } from "./harness/fixtures.mjs";
import { metricValue, scrape } from "./harness/metrics.mjs";

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

for (const topology of topologies) {
  test(`${topology}: find_symbol in 20,000 files`, async (t) => {
    const folder = newFolder();
    const root = join(folder.path, "large");
    mkdirSync(root);
    const rare = generateLargeProject(root, 20_000);
    try {
      await withBanyan(topology, { roots: [folder.path] }, async (banyan) => {
        const agent = await Agent.connect("legacy", banyan.mcp);
        await agent.activate(root);
        // Ready: it answers about one file, completely.
        const waited = performance.now();
        await eventually(async () => {
          assertComplete(await agent.ask("get_symbols_overview", { relative_path: "part_0/unit_1.py" }));
        }, { limitMs: 120_000 });
        t.diagnostic(`ready ${(performance.now() - waited).toFixed(0)} ms after activation`);

        const asked = async () => metricValue(await scrape(banyan.metricsOf("lspd")),
          "banyan_lspd_lsp_request_duration_seconds_count", { method: "textDocument/documentSymbol" });
        const before = await asked();
        const started = performance.now();
        const first = await agent.ask("find_symbol", { name_path_pattern: "rare_symbol" });
        const firstMs = performance.now() - started;
        assert.ok(isComplete(first), JSON.stringify(first));
        assert.deepEqual(symbols(first).map((symbol) => symbol.relative_path).sort(), rare);
        const questions = (await asked()) - before;
        assert.ok(questions <= rare.length, `the server was asked about ${questions} files, ${rare.length} can hold the name`);

        const repeated = [];
        for (let i = 0; i < 21; ++i) {
          const from = performance.now();
          const again = await agent.ask("find_symbol", { name_path_pattern: "rare_symbol" });
          repeated.push(performance.now() - from);
          assert.equal(symbols(again).length, rare.length);
        }
        t.diagnostic(`first ${firstMs.toFixed(0)} ms, then ${median(repeated).toFixed(1)} ms (median of ${repeated.length})`);
        assert.ok(firstMs <= 3_000, `the first call took ${firstMs.toFixed(0)} ms`);
        assert.ok(median(repeated) <= 50, `a repeated call took ${median(repeated).toFixed(1)} ms`);
        await agent.close();
      });
    } finally {
      folder.remove();
    }
  });
}
