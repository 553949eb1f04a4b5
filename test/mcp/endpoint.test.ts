import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Scope } from "../../src/core/scopes.ts";
import { sqlWrite } from "../../src/db/client.ts";
import { createMcp } from "../../src/doors/mcp.ts";
import { type Call, READS, tool } from "../../src/mcp/tool.ts";
import { callTool, MODERN, OLDER, send, toMessage } from "../support/agent.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  Harness,
  type Member,
} from "../support/harness.ts";

const NAMES = [
  "list_accounts",
  "get_platform_capabilities",
  "find_mentions",
  "create_post",
  "get_post_status",
  "list_recent_posts",
  "suggest_hashtags",
  "validate_post",
  "update_post",
  "unpublish_post",
  "create_review_link",
];
const WRITES = ["create_post", "update_post", "unpublish_post", "create_review_link"];

describe.each([MODERN, ...OLDER])("revision %s", (revision) => {
  test("lists the tools in a fixed order, each with what an agent needs", async () => {
    const harness = new Harness();
    const { token } = await createMember();
    const { status, headers, body } = await send(harness, "tools/list", {}, { token, revision });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch("application/json");
    const { tools } = body.result;
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(NAMES);
    for (const tool of tools) {
      expect(tool.title).toEqual(expect.any(String));
      expect(tool.description.length).toBeGreaterThan(40);
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(tool.outputSchema.type).toBe("object");
      expect(tool.annotations.readOnlyHint).toBe(!WRITES.includes(tool.name));
    }
    if (revision === MODERN) expect(body.result).toMatchObject({ cacheScope: "private" });
  });

  test("calls a tool, and answers with text and structure", async () => {
    const harness = new Harness();
    const member = await createMember();
    const id = await connectSandbox(harness, member);
    const result = await callTool(harness, member.token, "list_accounts", {}, { revision });
    const account = { id, platform: "bluesky", status: "active", tags: "" };
    expect(result.structuredContent.accounts).toMatchObject([account]);
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    expect(result.isError).toBeFalsy();
  });

  test("wrong arguments are a result with isError, an unknown tool is an error", async () => {
    const harness = new Harness();
    const { token } = await createMember();
    const wrong = { platform: "myspace" };
    const refused = await callTool(harness, token, "list_accounts", wrong, { revision });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content[0].text).toMatch(/platform/);
    for (const name of ["publish", "constructor", "__proto__"]) {
      const { body } = await send(
        harness,
        "tools/call",
        { name, arguments: {} },
        { token, revision },
      );
      expect(body.error.code).toBe(-32_602);
    }
  });
});

test.each(OLDER)(
  "revision %s begins with a handshake, of which nothing is kept",
  async (revision) => {
    const harness = new Harness();
    const { token } = await createMember();
    const clientInfo = { name: "a-test", version: "1" };
    const params = { protocolVersion: revision, capabilities: {}, clientInfo };
    const { status, headers, body } = await send(harness, "initialize", params, {
      token,
      revision,
    });
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ protocolVersion: revision, capabilities: { tools: {} } });
    expect(headers.get("mcp-session-id")).toBeNull();
    const message = { jsonrpc: "2.0", method: "notifications/initialized" };
    const noted = await post(harness, token, JSON.stringify(message), revision);
    expect(noted.status).toBe(202);
  },
);

test.each(["2025-03-26", "2024-11-05", "2031-01-01"])(
  "a handshake in revision %s, which is not served, is answered with the newest that has one",
  async (protocolVersion) => {
    const { token } = await createMember();
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "old", version: "1" } };
    const message = { jsonrpc: "2.0", id: 1, method: "initialize", params };
    const answer = await new Harness().request("/mcp", {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", "x-api-key": token },
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(message),
    });
    expect(await answer.json()).toMatchObject({ result: { protocolVersion: OLDER[0] } });
  },
);

test("server/discover tells the revisions and the tools", async () => {
  const harness = new Harness();
  const { token } = await createMember();
  const { status, body } = await send(harness, "server/discover", {}, { token });
  expect(status).toBe(200);
  expect(body.result.supportedVersions).toContain(MODERN);
  expect(body.result.capabilities).toHaveProperty("tools");
});

const post = (harness: Harness, token: string | null, body: string, revision: string = OLDER[0]) =>
  harness.request("/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      ...(token ? { "x-api-key": token } : {}),
    },
    body,
  });

describe("the caller", () => {
  test("is known by x-api-key or Bearer", async () => {
    const harness = new Harness();
    const { token } = await createMember();
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    expect((await send(harness, "tools/list", {}, bearer)).status).toBe(200);
  });

  test.each<[string, string | null]>([
    ["no token", null],
    ["what is no token", "kmb_1"],
    ["an unknown token", `kmb_${"0".repeat(64)}`],
  ])("with %s is refused before anything is told of the message", async (_, token) => {
    const harness = new Harness();
    for (const method of ["tools/list", "tools/call", "nonsense"]) {
      const params = method === "tools/call" ? { name: "list_accounts", arguments: {} } : {};
      const answer = await send(harness, method, params, { token });
      expect(answer.status).toBe(401);
      expect(answer.body).toMatchObject({ success: false, code: "UNAUTHORIZED" });
    }
    for (const body of ["{", "[]", '"text"'])
      expect((await post(harness, token, body)).status).toBe(401);
  });

  test("without the scope of a tool is told which one it needs", async () => {
    const harness = new Harness();
    const { userId } = await createMember();
    const token = await createToken(userId, { scopes: ["links:read"] });
    expect((await send(harness, "tools/list", {}, { token })).status).toBe(200);
    const result = await callTool(harness, token, "list_accounts");
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(/accounts:read.*INSUFFICIENT_SCOPE/);
  });

  test("from a page of another origin is refused; from our own, or none, is not", async () => {
    const harness = new Harness();
    const { token } = await createMember();
    const from = (origin: string) =>
      send(harness, "tools/list", {}, { token, headers: { origin } });
    expect((await from("https://evil.test")).status).toBe(403);
    expect((await from("null")).status).toBe(403);
    expect((await from("https://akimbo.test")).status).toBe(200);
  });
});

describe("is refused:", () => {
  test.each(["GET", "DELETE", "PUT"])(
    "%s, for there are no sessions and streams (405)",
    async (method) => {
      const harness = new Harness();
      const answer = await harness.request("/mcp", { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toMatch("POST");
    },
  );

  test.each<[string, string, number]>([
    ["a broken body", '{"jsonrpc":', -32_700],
    ["a list of messages", JSON.stringify([toMessage("tools/list", {}, {})]), -32_600],
  ])("%s (400)", async (_, body, code) => {
    const { token } = await createMember();
    const answer = await post(new Harness(), token, body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code } });
  });

  test("a body of more than 1 MB (413), or of another type (415)", async () => {
    const { token } = await createMember();
    const long = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(1_000_000) });
    expect((await post(new Harness(), token, long)).status).toBe(413);
    const headers = { "content-type": "text/plain" };
    expect((await send(new Harness(), "tools/list", {}, { token, headers })).status).toBe(415);
  });

  test("a message whose headers say something else (400, -32020)", async () => {
    const { token } = await createMember();
    const harness = new Harness();
    for (const method of ["tools/call", ""]) {
      const headers = { "Mcp-Method": method };
      const answer = await send(harness, "tools/list", {}, { token, headers });
      expect(answer.status).toBe(400);
      expect(answer.body.error.code).toBe(-32_020);
    }
    const params = { name: "list_accounts", arguments: {} };
    const other = { token, headers: { "Mcp-Name": "create_post" } };
    expect((await send(harness, "tools/call", params, other)).body.error.code).toBe(-32_020);
  });

  test("an unknown revision (400, -32022, with those there are)", async () => {
    const { token } = await createMember();
    const message = toMessage("tools/list", {}, {});
    const meta = message.params as { _meta?: Record<string, unknown> };
    const params = {
      _meta: { ...meta._meta, "io.modelcontextprotocol/protocolVersion": "2031-01-01" },
    };
    const answer = await new Harness().request("/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2031-01-01",
        "mcp-method": "tools/list",
        "x-api-key": token,
      },
      body: JSON.stringify({ ...message, params }),
    });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { code: number; data: unknown } };
    expect(error.code).toBe(-32_022);
    expect(JSON.stringify(error.data)).toMatch(MODERN);
  });

  test("a subscription, for nothing changes that one could listen to", async () => {
    const { token } = await createMember();
    const params = { notifications: { toolsListChanged: true } };
    const answer = await send(new Harness(), "subscriptions/listen", params, { token });
    expect(answer.headers.get("content-type")).toMatch("application/json");
    expect([answer.status, answer.body.error.code]).toEqual([404, -32_601]);
    expect(answer.body.id).toBe(1);
  });

  test("an unknown method (404, -32601)", async () => {
    const { token } = await createMember();
    const answer = await send(new Harness(), "resources/list", {}, { token });
    expect([answer.status, answer.body.error.code]).toEqual([404, -32_601]);
  });
});

describe("a tool that forgets to ask, and writes", () => {
  const harness = new Harness();
  const steal = ({ ctx }: Call) => [
    sqlWrite(sql`UPDATE teams SET name = 'Written' WHERE id = ${ctx.team}`),
  ];
  const shared = {
    ...{ title: "Forgetful", description: "Asks nothing.", annotations: READS },
    scope: "posts:publish" as const,
    input: z.strictObject({}),
    output: z.object({ done: z.boolean() }),
  };
  const tools = {
    runs: tool({
      ...{ ...shared, name: "runs" },
      run: async (call) => ({ done: (await call.ctx.db.run(steal(call)))[0] === 1 }),
    }),
    runs_all: tool({
      ...{ ...shared, name: "runs_all" },
      run: async (call) => ({ done: (await call.ctx.db.runAll(steal(call)))[0] === 1 }),
    }),
    reads: tool({
      ...{ ...shared, name: "reads" },
      run: async (call) => ({ done: (await call.ctx.read(null, steal(call)))[0] === 1 }),
    }),
  };
  const app = createMcp(
    () => harness.deps,
    Object.fromEntries(Object.entries(tools).map(([name, one]) => [name, async () => one])),
  );
  const door = {
    request: async (path: string, init?: RequestInit) =>
      app.fetch(new Request(`https://akimbo.test${path}`, init)),
  };
  const nameOf = ({ teamId }: Member) =>
    env.DB.prepare("SELECT name FROM teams WHERE id = ?").bind(teamId).first<string>("name");

  test.each(["runs", "runs_all", "reads"])(
    "changes nothing for a token without its scope, and for one that holds it: %s",
    async (name) => {
      const member = await createMember();
      const token = await createToken(member.userId, { scopes: ["posts:read", "team:write"] });
      const refused = await callTool(door, token, name);
      expect(refused.content[0].text).toMatch(/posts:publish.*INSUFFICIENT_SCOPE/);
      expect(await nameOf(member)).toBe("A team");
      expect((await callTool(door, member.token, name)).structuredContent).toEqual({ done: true });
      expect(await nameOf(member)).toBe("Written");
    },
  );
});

describe("a tool that forgets to ask who is calling", () => {
  const harness = new Harness();
  const secret = { secret: "This leaves to nobody unknown." };
  const forgetful = tool({
    ...{ name: "forgetful", title: "Forgetful", description: "Asks nothing.", annotations: READS },
    scope: "posts:publish",
    input: z.strictObject({ fails: z.boolean().optional() }),
    output: z.object({ secret: z.string() }),
    run: async (_, { fails = false }) => {
      if (fails) throw new Error(secret.secret);
      return secret;
    },
  });
  const app = createMcp(() => harness.deps, { forgetful: async () => forgetful });
  const door = {
    request: async (path: string, init?: RequestInit) =>
      app.fetch(new Request(`https://akimbo.test${path}`, init)),
  };
  const tokenWith = async (...scopes: Scope[]) =>
    createToken((await createMember()).userId, { scopes });

  test.each([false, true])(
    "tells nothing to a token without its scope; fails: %s",
    async (fails) => {
      const token = await tokenWith("posts:read", "posts:write");
      const result = await callTool(door, token, "forgetful", { fails });
      expect(result.isError).toBe(true);
      expect(result.structuredContent).toBeUndefined();
      expect(result.content[0].text).toMatch(/posts:publish.*INSUFFICIENT_SCOPE/);
      expect(JSON.stringify(result)).not.toContain(secret.secret);
    },
  );

  test("nor to anybody unknown (401), and answers whoever holds the scope", async () => {
    const params = { name: "forgetful", arguments: {} };
    const token = `kmb_${"c".repeat(64)}`;
    expect((await send(door, "tools/call", params, { token })).status).toBe(401);
    const result = await callTool(door, await tokenWith("posts:publish"), "forgetful");
    expect(result.structuredContent).toEqual(secret);
  });
});
