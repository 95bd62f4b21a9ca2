// SPDX-License-Identifier: Apache-2.0
//
// Seen from outside: metrics that promtool accepts, health, the overview and
// the pool as JSON, the log lines.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";

import { topologies, withBanyan } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { eventually } from "./harness/eventually.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { metricValue, scrape, seriesCount } from "./harness/metrics.mjs";
import { rawHttp } from "./harness/raw_http.mjs";

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

for (const topology of topologies) {
  test(`${topology}: metrics, health, overview, log`, async (t) => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    try {
      await withBanyan(topology, { projects: { harbour: project.root }, roots: [folder.path] }, async (banyan) => {
        const agent = await Agent.connect("legacy", banyan.mcp);
        await agent.activate("harbour");
        await agent.ask("find_symbol", { name_path_pattern: "summarize" });
        await agent.call("read_file", { relative_path: "../outside" });

        await t.test("every program has /metrics, /livez and /readyz, and nothing else there", async () => {
          for (const origin of new Set(Object.values(banyan.metrics))) {
            for (const path of ["/livez", "/readyz", "/metrics"]) assert.equal((await fetch(origin + path)).status, 200, origin + path);
            for (const path of ["/", "/mcp", "/get_session_overview"]) assert.equal((await fetch(origin + path)).status, 404, origin + path);
          }
          for (const path of ["/metrics", "/livez", "/readyz", "/get_session_overview"]) {
            assert.notEqual((await fetch(new URL(path, banyan.mcp))).status, 200, `${path} on the public port`);
          }
        });

        await t.test("names and values of operations", async () => {
          const edge = await scrape(banyan.metricsOf("edge"));
          assert.ok(metricValue(edge, "mcp_server_operation_duration_seconds_count", { gen_ai_tool_name: "find_symbol" }) >= 1, edge);
          const sessiond = await scrape(banyan.metricsOf("sessiond"));
          assert.equal(metricValue(sessiond, "banyan_sessiond_sessions_active", { era: "legacy" }), 1, sessiond);
          assert.ok(metricValue(sessiond, "banyan_sessiond_path_checks_total", { result: "refused" }) >= 1, sessiond);
          const lspd = await scrape(banyan.metricsOf("lspd"));
          assert.ok(metricValue(lspd, "banyan_lspd_lsp_servers", { language: "python" }) >= 1, lspd);
          for (const text of [edge, sessiond, lspd]) {
            assert.equal(metricValue(text, "banyan_build_info") >= 1, true);
            for (const forbidden of [project.root, agent.sessionId, agent.workspace]) assert.ok(!text.includes(forbidden), forbidden);
          }
        });

        await t.test("promtool accepts every page", { skip: !hasPromtool && "promtool is not installed" }, async () => {
          for (const origin of new Set(Object.values(banyan.metrics))) {
            execFileSync("promtool", ["check", "metrics"], { input: await scrape(origin), stdio: ["pipe", "pipe", "inherit"] });
          }
        });

        await t.test("bogus tool names and methods make no new series", async () => {
          const bogus = async (from) => {
            for (let i = from; i < from + 50; ++i) await agent.call(`no_such_tool_${i}`).catch(() => {});
          };
          await bogus(0);
          const before = seriesCount(await scrape(banyan.metricsOf("edge")));
          await bogus(50);
          assert.equal(seriesCount(await scrape(banyan.metricsOf("edge"))), before);
        });

        await t.test("the overview names the session by its public id", async () => {
          const overview = await (await fetch(`${banyan.admin}/get_session_overview`)).json();
          assert.equal(overview.total_sessions, 1);
          const [session] = overview.active_sessions;
          assert.match(session.session_id, /^[0-9a-f]{16}$/);
          assert.equal(session.workspace_root, project.root);
          assert.equal(session.project_name, "harbour");
          assert.match(session.client_id, /banyan-system-test.*1\.0\.0/);
          assert.ok(!Number.isNaN(Date.parse(session.connected_at)), session.connected_at);
          assert.ok(session.acquired_lsps.length >= 1, JSON.stringify(session));
          assert.ok(!JSON.stringify(overview).includes(agent.sessionId), "the overview gives the session's id away");
        });

        await t.test("the pool's page", async () => {
          const stats = await (await fetch(`${banyan.admin}/get_lsp_pool_stats`)).json();
          const server = stats.active_lsps.find(({ language }) => language === "python");
          assert.equal(server.workspace_root, project.root);
          assert.ok(server.pid > 1);
          assert.ok(server.memory_mb > 10, JSON.stringify(server));
          assert.equal(server.ref_count, 1);
          assert.equal(server.active_sessions.length, 1);
          assert.ok(["running", "idle"].includes(server.status), server.status);
          assert.ok(stats.total_memory_usage_mb >= server.memory_mb);
        });

        await t.test("the admin listener takes no foreign Host or Origin", async () => {
          const get = (headers) => rawHttp(`${banyan.admin}/get_session_overview`, { method: "GET", headers });
          assert.ok([403, 421].includes((await get({ host: "attacker.example.test" })).status));
          assert.equal((await get({ origin: "http://attacker.example.test" })).status, 403);
        });

        await t.test("the log lines", async () => {
          for (const pattern of [
            /\[Session: [0-9a-f]{4,16} \| harbour\] Tool dispatch: find_symbol/,
            new RegExp(`\\[LSP-Pool\\] Acquired python LSP for ${project.root} \\(Session: [0-9a-f]{4,16}\\)`),
            new RegExp(`\\[Security\\] Path Traversal Blocked: .*outside escapes ${project.root} \\(Session: [0-9a-f]{4,16}\\)`),
          ]) {
            await eventually(() => assert.ok(banyan.lines.some((line) => pattern.test(line)), `no line matches ${pattern}`));
          }
          const { lines } = banyan;
          assert.ok(!lines.some((line) => line.includes(agent.sessionId)), "a log line holds the session's id");
          assert.ok(!lines.some((line) => line.includes(agent.workspace)), "a log line holds the handle");
        });
        await agent.close();
        await banyan.program("lspd").line(/\[LSP-Pool\] Released python LSP for .* \(Ref Count: 0\)/);
      });
    } finally {
      folder.remove();
    }
  });

  test(`${topology}: --log_format=json writes one object a line with the same events`, async () => {
    const folder = newFolder();
    const project = copyProject("bash", "a", folder.path);
    try {
      await withBanyan(topology, { projects: { harbour: project.root }, roots: [folder.path], flags: ["--log_format=json"] }, async (banyan) => {
        const agent = await Agent.connect("modern", banyan.mcp);
        await agent.activate("harbour");
        await agent.ask("list_dir", { relative_path: "." });
        await agent.close();
        const entries = await eventually(() => {
          const told = banyan.lines.map((line) => JSON.parse(line));
          assert.ok(told.some((entry) => entry.event === "tool_dispatch"), JSON.stringify(told.map((entry) => entry.event)));
          return told;
        });
        for (const entry of entries) for (const key of ["time", "level", "event"]) assert.ok(key in entry, JSON.stringify(entry));
      });
    } finally {
      folder.remove();
    }
  });

  test(`${topology}: --check_health asks the program's own health service`, async () => {
    const folder = newFolder();
    const project = copyProject("bash", "a", folder.path);
    try {
      await withBanyan(topology, { projects: { harbour: project.root }, roots: [folder.path] }, async (banyan) => {
        for (const program of Object.values(banyan.programs)) {
          const check = spawnSync(program.file, [...program.args, "--check_health"], { timeout: 20_000, encoding: "utf8" });
          assert.equal(check.status, 0, `${program.label}: ${check.stderr}`);
        }
        const [last] = Object.values(banyan.programs).reverse();
        await last.end();
        const gone = spawnSync(last.file, [...last.args, "--check_health"], { timeout: 20_000, encoding: "utf8" });
        assert.equal(gone.status, 1, `${last.label}: ${gone.stderr}`);
      });
    } finally {
      folder.remove();
    }
  });
}

test("a listener that is not loopback is refused, and the message names the flag", async () => {
  const folder = newFolder();
  try {
    const { Program } = await import("./harness/program.mjs");
    const { repository } = await import("./harness/banyan.mjs");
    const bin = process.env.BANYAN_BIN ?? `${repository}/build/release/bin`;
    for (const [name, args] of [["banyan", ["serve"]], ["banyan-edge", []], ["banyan-sessiond", []], ["banyan-lspd", []]]) {
      const program = new Program(`${bin}/${name}`, [...args, "--listen=0.0.0.0:0", "--metrics_listen=127.0.0.1:0", `--data_dir=${folder.path}/${name}`,
        ...(["banyan", "banyan-edge"].includes(name) ? ["--admin_listen=127.0.0.1:0"] : [])]);
      const ended = new Promise((resolve) => program.on("ended", resolve));
      program.start();
      const timer = setTimeout(() => program.child.kill("SIGKILL"), 10_000);
      assert.equal(await ended, 1, `${name}\n${program.tail()}`);
      clearTimeout(timer);
      assert.match(program.lines.join("\n"), /--[a-z_]+/, name);
    }
  } finally {
    folder.remove();
  }
});
