// SPDX-License-Identifier: Apache-2.0

import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";

// Both eras of the protocol, each through its official client.
export const eras = (process.env.BANYAN_TEST_ERAS ?? "legacy,modern").split(",");

const who = { name: "banyan-system-test", version: "1.0.0" };

// One agent. After `activate`, calls go to its workspace: a legacy session
// remembers it, a modern request names it.
export class Agent {
  static async connect(era, url) {
    const agent = new Agent(era);
    if (era === "legacy") {
      agent.client = new LegacyClient(who);
      agent.transport = new LegacyTransport(new URL(url));
    } else {
      agent.client = new ModernClient(who, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
      agent.transport = new ModernTransport(new URL(url));
    }
    await agent.client.connect(agent.transport);
    // With the tools known, both clients hold every answer against its schema.
    agent.tools = (await agent.client.listTools()).tools;
    return agent;
  }

  constructor(era) {
    this.era = era;
    this.workspace = undefined;
  }

  get sessionId() {
    return this.transport.sessionId;
  }

  // The answer in one shape: {value, text, isError, reason, raw}.
  async call(name, args = {}, options = {}) {
    const named = this.era === "modern" && this.workspace !== undefined && args.workspace === undefined
      ? { workspace: this.workspace, ...args } : args;
    const raw = this.era === "legacy"
      ? await this.client.callTool({ name, arguments: named }, undefined, options)
      : await this.client.callTool({ name, arguments: named }, options);
    const text = raw.content?.map((part) => part.text ?? "").join("") ?? "";
    return {
      raw,
      text,
      value: raw.structuredContent,
      isError: raw.isError === true,
      reason: raw.structuredContent?.error?.reason,
    };
  }

  // The value of an answer that must not be an error.
  async ask(name, args = {}, options = {}) {
    const answer = await this.call(name, args, options);
    if (answer.isError) throw new Error(`${name}(${JSON.stringify(args)}) answered: ${answer.text}`);
    return answer.value;
  }

  async activate(project, args = {}) {
    const value = await this.ask("activate_project", { project, ...args });
    this.workspace = value.workspace;
    return value;
  }

  // Leaves as a well-behaved client does.
  async close() {
    if (this.era === "legacy") await this.transport.terminateSession().catch(() => {});
    await this.client.close();
  }

  // Leaves without a word.
  async vanish() {
    await this.client.close().catch(() => {});
  }
}
