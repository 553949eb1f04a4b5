import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { callTool } from "../../support/agent.ts";
import { connectSandbox, createMember, createToken, Harness } from "../../support/harness.ts";
import { openStage, type Stage, type Wrap } from "../../support/stage.ts";

const find = ({ harness, member, accountId }: Stage, query: string) =>
  harness.call("GET", `/accounts/${accountId}/mentions?query=${encodeURIComponent(query)}`, {
    token: member.token,
  });

const LOOKED_UP: [Platform, query: string, first: object][] = [
  ["bluesky", "@Ada", { name: "Ada", handle: "ada.bsky.social", mention: "@ada.bsky.social" }],
  ["x", "ada", { name: "ada", handle: "ada", mention: "@ada", url: "https://x.com/ada" }],
  [
    "linkedin",
    "acme-works",
    {
      name: "Acme Works",
      handle: "acme-works",
      mention: expect.stringMatching(/^@\[Acme Works\]\(urn:li:organization:\d+\)$/),
      url: "https://www.linkedin.com/company/acme-works/",
    },
  ],
];

describe.each(LOOKED_UP)("%s", (platform, query, first) => {
  test("finds accounts, in one call", async () => {
    const stage = await openStage(platform);
    const { result, calls } = await stage.watch(() => find(stage, query));
    expect(result.status).toBe(200);
    expect(result.body.mentions[0]).toMatchObject(first);
    expect(calls).toHaveLength(1);
  });

  test("finds nobody", async () => {
    const stage = await openStage(platform);
    expect((await find(stage, "nobody")).body).toEqual({ success: true, mentions: [] });
  });

  test("gives a mention that a post takes", async () => {
    const stage = await openStage(platform);
    const [{ mention }] = (await find(stage, query)).body.mentions;
    const { upload } = await stage.publish({ description: `Hello ${mention}` });
    expect(upload).toMatchObject({ status: "completed" });
    expect(upload.metadata.warnings).toBeUndefined();
  });

  test.each<[string, () => Response, object]>([
    ["an outage", () => new Response("no", { status: 502 }), { status: 503 }],
    [
      "too many calls",
      () => Response.json({ message: "slow down" }, { status: 429 }),
      { status: 429, body: { code: "RATE_LIMIT" } },
    ],
    ["an unreadable answer", () => new Response("<html>"), { status: 503 }],
    ["hostile entries", () => Response.json(HOSTILE), { status: 200, body: { mentions: [] } }],
  ])("answers %s without a 500", async (_, answer, expected) => {
    const stage = await openStage(platform);
    const wrap: Wrap = async () => answer();
    const { result } = await stage.watch(() => find(stage, query), wrap);
    expect(result).toMatchObject(expected);
  });

  test("that does not answer is a 503", async () => {
    const stage = await openStage(platform);
    const { result } = await stage.watch(
      () => find(stage, query),
      async () => {
        throw new Error("The connection broke.");
      },
    );
    expect(result).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
  });

  test("refuses a query of more than 200 characters", async () => {
    expect(await find(await openStage(platform), "a".repeat(201))).toMatchObject({
      status: 400,
      body: { errors: [{ message: "query: must have at most 200 characters" }] },
    });
  });

  test("refuses an account whose login is lost: 409", async () => {
    const stage = await openStage(platform);
    await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?")
      .bind(stage.accountId)
      .run();
    expect(await find(stage, query)).toMatchObject({
      status: 409,
      body: { code: "ACCOUNT_INACTIVE" },
    });
  });
});

const HOSTILE = {
  data: [null, 1, { name: "x" }, { username: "a b" }, { username: ["x"] }],
  actors: [null, { handle: "no handle" }, { handle: "handle.invalid\n" }, {}],
  elements: [
    null,
    { id: "x", localizedName: "Acme" },
    { id: 1, localizedName: "A](urn:li:person:1) @[B" },
    { id: 1, localizedName: "" },
    { id: 1, localizedName: "two\nlines" },
    { id: 1, localizedName: "n".repeat(301) },
  ],
};

test("X is asked for five users", async () => {
  const stage = await openStage("x");
  const asked: string[] = [];
  await stage.watch(
    () => find(stage, "ada lovelace"),
    async ({ url }, answer) => {
      asked.push(url.search);
      return answer();
    },
  );
  expect(asked).toEqual(["?query=ada+lovelace&max_results=5"]);
});

test("LinkedIn takes the address of a page", async () => {
  const stage = await openStage("linkedin");
  const { body } = await find(stage, "https://www.linkedin.com/company/acme/about/?x=1");
  expect(body.mentions).toMatchObject([{ handle: "acme" }]);
});

test("a login without LinkedIn's permission is told which one it needs", async () => {
  const stage = await openStage("linkedin");
  const { result } = await stage.watch(
    () => find(stage, "acme"),
    async () =>
      Response.json({ status: 403, code: "ACCESS_DENIED", message: "Not enough" }, { status: 403 }),
  );
  expect(result).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/rw_organization_admin/) },
  });
});

test.each<[Platform, RegExp]>([
  ["threads", /^Threads offers this app no look-up.*Write @username\.$/],
  ["instagram", /Write @username/],
  ["tiktok", /Write @username/],
  ["youtube", /Write @handle/],
  ["facebook", /Write @\[123\].*Page Mentioning/],
  ["pinterest", /Write the name/],
])("%s has no look-up, and says what to write: 400", async (platform, message) => {
  const harness = new Harness();
  const member = await createMember();
  const id = await connectSandbox(harness, member, "Ada", platform);
  const { token } = member;
  const answer = await harness.call("GET", `/accounts/${id}/mentions?query=ada`, { token });
  expect(answer).toMatchObject({
    status: 400,
    body: { success: false, errors: [{ field: "id", message: expect.stringMatching(message) }] },
  });
  expect(harness.sent).toEqual([]);
  const refused = await callTool(harness, token, "find_mentions", { accountId: id, query: "ada" });
  expect(refused).toMatchObject({ isError: true });
  expect(refused.content[0].text).toMatch(message.source.startsWith("^") ? /look-up/ : message);
});

test.each<[Platform, query: string]>([
  ["bluesky", ""],
  ["bluesky", " "],
  ["bluesky", "x".repeat(65)],
  ["bluesky", "a\u0007b"],
  ["x", "名前"],
  ["x", "a&max_results=1000"],
  ["x", "x".repeat(51)],
  ["linkedin", "two words"],
  ["linkedin", "../../rest/posts"],
  ["linkedin", "x".repeat(201)],
])("%s refuses the query %j: 400", async (platform, query) => {
  const stage = await openStage(platform);
  const { result, calls } = await stage.watch(() => find(stage, query));
  expect(result).toMatchObject({ status: 400, body: { errors: [{ field: "query" }] } });
  expect(calls).toEqual([]);
});

test("an account of another team is unknown, and accounts:read is needed", async () => {
  const stage = await openStage("bluesky");
  const other = await createMember();
  const path = `/accounts/${stage.accountId}/mentions?query=ada`;
  const asked = (token: string) => stage.harness.call("GET", path, { token });
  expect(await asked(other.token)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  const token = await createToken(stage.member.userId, { scopes: ["posts:read"] });
  expect(await asked(token)).toMatchObject({
    status: 403,
    body: { requiredScope: "accounts:read" },
  });
});

test("an agent finds accounts by the same use-case", async () => {
  const stage = await openStage("bluesky");
  const { body } = await find(stage, "grace");
  const args = { accountId: stage.accountId, query: "grace" };
  const { structuredContent } = await callTool(
    stage.harness,
    stage.member.token,
    "find_mentions",
    args,
  );
  expect(structuredContent).toEqual({ mentions: body.mentions });
});
