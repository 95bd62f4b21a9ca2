// SPDX-License-Identifier: Apache-2.0
//
// Who may come in: tokens of a file, tokens of an issuer, TLS. Another caller's
// session and workspace do not exist; revocation needs no restart.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createSign, generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { test } from "node:test";

import { bin, topologies, withBanyan } from "./harness/banyan.mjs";
import { EventStream } from "./harness/event_stream.mjs";
import { eventually } from "./harness/eventually.mjs";
import { copyProject, newFolder } from "./harness/fixtures.mjs";
import { metricValue, scrape } from "./harness/metrics.mjs";
import { rawCall, rawHttp } from "./harness/raw_http.mjs";

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const bearer = (token) => ({ authorization: `Bearer ${token}` });

const token = (...args) => execFileSync(join(bin, "banyan"), ["token", ...args], { encoding: "utf8" }).trim();
const everywhere = (flags) => ({ banyan: flags, edge: flags });

async function openSession(url, who) {
  const answer = await rawCall(url, {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo: { name: "raw", version: "1" } },
    headers: bearer(who),
  });
  assert.equal(answer.status, 200, answer.text);
  return { "mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25" };
}

const call = (url, who, session, name, args = {}) =>
  rawCall(url, { method: "tools/call", params: { name, arguments: args }, headers: { ...bearer(who), ...session } });

for (const topology of topologies) {
  test(`${topology}: a token file`, async (t) => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    const file = join(folder.path, "tokens.json");
    const create = (subject, ...args) => token("create", `--tokens_file=${file}`, `--subject=${subject}`, ...args);
    const ana = create("ana");
    const ben = create("ben");
    const reader = create("carl", "--scopes=code:read");
    const stranger = create("dora", `--allowed_roots=${folder.path}/elsewhere`);
    try {
      await withBanyan(topology, { projects: { harbour: project.root }, roots: [folder.path], flags: everywhere([`--tokens_file=${file}`, "--conformance_fixtures"]) }, async (banyan) => {
        const { mcp } = banyan;

        await t.test("without a good token nothing is answered, and nothing is to be discovered (field report 25)", async () => {
          for (const headers of [{}, bearer("wrong"), bearer(`${ana}x`), { authorization: `Basic ${ana}` }]) {
            const answer = await rawCall(mcp, { method: "server/discover", headers });
            assert.equal(answer.status, 401);
            assert.match(answer.headers["www-authenticate"], /^Bearer/);
            assert.doesNotMatch(answer.headers["www-authenticate"], /resource_metadata/);
          }
          const origin = new URL(mcp).origin;
          for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]) {
            assert.equal((await rawHttp(origin + path, { method: "GET", headers: bearer(ana) })).status, 404);
          }
        });

        await t.test("another caller's session and workspace are gone, and their owner notices nothing (field report 15)", async () => {
          const session = await openSession(mcp, ana);
          const bound = await call(mcp, ana, session, "activate_project", { project: "harbour" });
          const { workspace } = bound.json.result.structuredContent;
          assert.ok(workspace, bound.text);
          assert.equal((await rawCall(mcp, { method: "ping", headers: { ...bearer(ben), ...session } })).status, 404);
          for (const method of ["GET", "DELETE"]) {
            const answer = await rawHttp(mcp, { method, headers: { accept: "text/event-stream", ...bearer(ben), ...session } });
            assert.equal(answer.status, 404, method);
          }
          const own = await openSession(mcp, ben);
          const stolen = await call(mcp, ben, own, "list_dir", { workspace, relative_path: "." });
          assert.equal(stolen.json.result.structuredContent.error.reason, "HANDLE_GONE", stolen.text);
          const still = await call(mcp, ana, session, "list_dir", { relative_path: "." });
          assert.ok(!still.json.result.isError, still.text);
        });

        await t.test("a fresh token of the same person keeps the session (field report 15)", async () => {
          const session = await openSession(mcp, ana);
          const fresh = create("ana");
          await new Promise((resolve) => setTimeout(resolve, 1200));
          assert.equal((await rawCall(mcp, { method: "ping", headers: { ...bearer(fresh), ...session } })).status, 200);
        });

        await t.test("a token without the scope is refused by its name", async () => {
          const session = await openSession(mcp, reader);
          const answer = await call(mcp, reader, session, "activate_project", { project: "harbour" });
          assert.ok(answer.status === 403 || answer.json.result.isError || answer.json.result.structuredContent.access === "read-only", answer.text);
        });

        await t.test("roots that a token may not use are not there", async () => {
          const session = await openSession(mcp, stranger);
          const list = await call(mcp, stranger, session, "list_projects");
          assert.deepEqual(list.json.result.structuredContent.projects, []);
        });

        await t.test("revocation reaches requests, open streams and calls in flight within 2 s", async () => {
          const brief = create("eve");
          await new Promise((resolve) => setTimeout(resolve, 1200));
          const session = await openSession(mcp, brief);
          const stream = await EventStream.open(mcp, { headers: { ...bearer(brief), ...session } });
          assert.equal(stream.status, 200);
          // Asks a question that nobody answers.
          const asking = await EventStream.open(mcp, {
            method: "POST",
            headers: { ...json, ...bearer(brief), ...session },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "test_elicitation", arguments: { message: "?" } } }),
          });
          await asking.until(({ text }) => text.includes("elicitation/create"));
          const begun = performance.now();
          token("revoke", brief.slice(4, 12), `--tokens_file=${file}`);
          await Promise.all([stream.ended(2000), asking.ended(2000)]);
          await eventually(async () => {
            assert.equal(metricValue(await scrape(banyan.metricsOf("edge")), "banyan_edge_http_inflight"), 0);
          }, { limitMs: 2000 - (performance.now() - begun), pauseMs: 50 });
          assert.equal((await rawCall(mcp, { method: "ping", headers: { ...bearer(brief), ...session } })).status, 401);
        });

        await t.test("no secret in the log or in a process list", async () => {
          const log = banyan.lines.join("\n");
          for (const secret of [ana, ben, reader]) {
            assert.ok(!log.includes(secret.slice(13)));
            for (const program of Object.values(banyan.programs)) {
              assert.ok(!readFileSync(`/proc/${program.pid}/cmdline`, "utf8").includes(secret.slice(13)));
            }
          }
          assert.ok(!readFileSync(file, "utf8").includes(ana.slice(13)));
        });
      });
    } finally {
      folder.remove();
    }
  });

  test(`${topology}: tokens of an issuer, over TLS`, async (t) => {
    const folder = newFolder();
    const project = copyProject("python", "a", folder.path);
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const keys = join(folder.path, "keys.json");
    writeFileSync(keys, JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k1", use: "sig" }] }));
    const certificate = join(folder.path, "cert.pem");
    const key = join(folder.path, "key.pem");
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost"], { stdio: "ignore" });
    const [issuer, audience] = ["https://id.example.org", "https://code.example.org/mcp"];
    const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const jwt = (claims) => {
      const text = `${part({ alg: "RS256", kid: "k1" })}.${part({ iss: issuer, aud: audience, sub: "ana", scope: "code:read code:write", exp: Date.now() / 1000 + 300, ...claims })}`;
      return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey).toString("base64url")}`;
    };
    const flags = [`--jwt_issuer=${issuer}`, `--jwt_audience=${audience}`, `--jwt_keys=${keys}`, `--tls_certificate=${certificate}`, `--tls_key=${key}`];
    try {
      await withBanyan(topology, { projects: { harbour: project.root }, roots: [folder.path], flags: everywhere(flags) }, async ({ mcp }) => {
        const secure = (path, { method = "POST", headers = {}, body = "" } = {}) => new Promise((resolve, reject) => {
          const target = new URL(path, mcp.replace("http:", "https:"));
          const sent = httpsRequest(target, { method, headers: { ...json, ...headers }, agent: false, ca: readFileSync(certificate), servername: "localhost" }, (answer) => {
            let text = "";
            answer.setEncoding("utf8").on("data", (more) => (text += more)).on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
          });
          sent.on("error", reject).end(body);
        });
        const initialize = JSON.stringify({
          jsonrpc: "2.0", id: 1, method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
        });

        await t.test("a good token opens a session, a refreshed one keeps it", async () => {
          const opened = await secure("/mcp", { headers: bearer(jwt()), body: initialize });
          assert.equal(opened.status, 200, opened.text);
          const session = { "mcp-session-id": opened.headers["mcp-session-id"] };
          const ping = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
          assert.equal((await secure("/mcp", { headers: { ...bearer(jwt({ jti: "2" })), ...session }, body: ping })).status, 200);
          assert.equal((await secure("/mcp", { headers: { ...bearer(jwt({ sub: "ben" })), ...session }, body: ping })).status, 404);
        });

        await t.test("bad ones are refused with the way to a good one (field report 25)", async () => {
          for (const bad of [jwt({ aud: "https://other.example.org" }), jwt({ iss: "https://other" }), jwt({ exp: 1 }), "x.y.z"]) {
            const answer = await secure("/mcp", { headers: bearer(bad), body: initialize });
            assert.equal(answer.status, 401);
            assert.match(answer.headers["www-authenticate"], /resource_metadata="https:\/\/code\.example\.org\/\.well-known\/oauth-protected-resource\/mcp"/);
          }
          for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]) {
            const answer = await secure(path, { method: "GET" });
            assert.equal(answer.status, 200);
            assert.deepEqual(JSON.parse(answer.text).authorization_servers, [issuer]);
            assert.equal(JSON.parse(answer.text).resource, audience);
          }
        });

        await t.test("plain HTTP is not answered there", async () => {
          await assert.rejects(rawHttp(mcp, { headers: json, body: initialize, limitMs: 5000 }));
        });
      });
    } finally {
      folder.remove();
    }
  });
}
