// SPDX-License-Identifier: Apache-2.0
//
// What an operator types: flags that are right work, and wrong ones are refused
// at the start with the next step.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { repository, withBanyan } from "./harness/banyan.mjs";
import { Agent } from "./harness/clients.mjs";
import { eventually } from "./harness/eventually.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { freePort } from "./harness/ports.mjs";
import { Program } from "./harness/program.mjs";

const bin = process.env.BANYAN_BIN ?? join(repository, "build/release/bin");
const program = join(bin, "banyan");

function run(...args) {
  const result = spawnSync(program, args, { encoding: "utf8", timeout: 60_000 });
  return { code: result.status, text: result.stdout + result.stderr };
}

test("a projects file alone is enough", async () => {
  const folder = newFolder();
  try {
    const project = copyProject("python", "a", folder.path);
    const file = join(folder.path, "projects.json");
    writeFileSync(file, JSON.stringify({ projects: [{ name: "harbour", root: project.root }] }));
    await withBanyan("serve", { flags: [`--projects_file=${file}`] }, async (banyan) => {
      const agent = await Agent.connect("legacy", banyan.mcp);
      const listed = await agent.ask("list_dir", { relative_path: "." });
      assert.match(JSON.stringify(listed), /ledger\.py/);
      const opened = await agent.ask("activate_project", { project: "harbour" });
      assert.equal(opened.root, project.root);
      await agent.close();
    });
  } finally {
    folder.remove();
  }
});

test("a project that cannot be opened leaves the session where it is", async () => {
  const folder = newFolder();
  try {
    const project = copyProject("python", "a", folder.path);
    await withBanyan("serve", { projects: { harbour: project.root }, roots: [folder.path] }, async (banyan) => {
      const agent = await Agent.connect("legacy", banyan.mcp);
      await assert.rejects(agent.ask("activate_project", { project: join(folder.path, "nonexistent") }));
      const listed = await agent.ask("list_dir", { relative_path: "." });
      assert.match(JSON.stringify(listed), /ledger\.py/);
      await agent.close();
    });
  } finally {
    folder.remove();
  }
});

test("three programs find each other by sockets that are their user's alone", async () => {
  const folder = newFolder();
  const project = copyProject("python", "a", folder.path);
  const state = join(folder.path, "state");
  const [mcp, admin] = [await freePort(), await freePort()];
  const metrics = {};
  const start = async (name, ...args) => {
    metrics[name] = await freePort();
    const one = new Program(join(bin, `banyan-${name}`), [`--metrics_listen=127.0.0.1:${metrics[name]}`, ...args],
      { env: { XDG_STATE_HOME: state }, label: name });
    one.start();
    return one;
  };
  const programs = [
    await start("sessiond", `--projects=harbour=${project.root}`),
    await start("lspd", `--workspaces_root=${project.root}`),
    await start("edge", `--listen=127.0.0.1:${mcp}`, `--admin_listen=127.0.0.1:${admin}`),
  ];
  try {
    await eventually(async () => {
      for (const port of Object.values(metrics)) {
        assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
      }
    }, { limitMs: 30_000 });
    for (const name of ["sessiond", "lspd"]) {
      assert.equal(statSync(join(state, "banyan/run", `${name}.sock`)).mode & 0o077, 0, name);
    }
    const agent = await Agent.connect("legacy", `http://127.0.0.1:${mcp}/mcp`);
    assert.match(JSON.stringify(await agent.ask("list_dir", { relative_path: "." })), /ledger\.py/);
    await agent.close();
  } finally {
    for (const one of programs.reverse()) await one.end();
    folder.remove();
  }
});

test("help and version are given and end well", () => {
  const help = run("--help");
  assert.equal(help.code, 0, help.text);
  assert.match(help.text, /--projects_file=/);
  const version = run("--version");
  assert.equal(version.code, 0, version.text);
  assert.match(version.text, /^banyan \d+\.\d+\.\d+\n$/);
});

test("wrong flags are refused by name", () => {
  const folder = newFolder();
  try {
    const data = `--data_dir=${join(folder.path, "data")}`;
    for (const [flag, says] of [
      ["--idle_life=5", /5m/],
      [`--projects=x/y=${folder.path}`, /x\/y/],
      [`--projects=m=${join(folder.path, "nope")}`, /the project m/],
      ["--allowed_origins=*", /--allowed_origins/],
    ]) {
      const refused = run("serve", data, "--listen=127.0.0.1:0", "--admin_listen=127.0.0.1:0", "--metrics_listen=127.0.0.1:0", flag);
      assert.equal(refused.code, 1, `${flag}: ${refused.text}`);
      assert.match(refused.text, says, flag);
    }
  } finally {
    folder.remove();
  }
});
