import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import {
  connectSandbox,
  createMember,
  form,
  Harness,
  type Member,
  START,
} from "../../support/harness.ts";
import { connectFakePds, FakePds } from "../../support/pds.ts";

const harness = new Harness();
let member: Member;

interface Row {
  platform?: string;
  name: string;
  status?: string;
  tags?: string;
}

async function insertAccounts(teamId: number, rows: Row[]): Promise<void> {
  await env.DB.batch(
    rows.map(({ platform = "bluesky", name, status = "active", tags = "" }, i) =>
      env.DB.prepare(
        `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status,
           tags, connected_at) VALUES (?, ?, ?, ?, ?, 'live', ?, ?, ?)`,
      ).bind(`acc_${teamId}_${i}`, teamId, platform, name, name, status, tags, START.getTime()),
    ),
  );
}

beforeAll(async () => {
  member = await createMember();
  await insertAccounts(member.teamId, [
    { name: "a", tags: "news,Blog" },
    { name: "b", status: "expired", tags: "blogroll" },
    { name: "c", status: "revoked" },
    { name: "d", platform: "x", tags: "100%,a_b" },
    { name: "e", platform: "tiktok", tags: "été" },
  ]);
  const other = await createMember();
  await insertAccounts(other.teamId, [{ name: "f", tags: "news" }]);
});

const list = (query: string) => harness.call("GET", `/accounts${query}`, { token: member.token });

test.each<[string, string[]]>([
  ["", ["a", "b", "c", "e", "d"]],
  ["?platform=x", ["d"]],
  ["?platform=youtube", []],
  ["?status=active", ["a", "e", "d"]],
  ["?status=connected", ["a", "e", "d"]],
  ["?status=expired", ["b"]],
  ["?status=revoked", ["c"]],
  ["?tags=news", ["a"]],
  ["?tags=blog", ["a", "b"]],
  ["?tags=BLOG", ["a", "b"]],
  ["?tags=s,B", ["a"]],
  ["?tags=%25", ["d"]],
  ["?tags=_", ["d"]],
  ["?tags='%20OR%201=1", []],
  ["?tags=", ["a", "b", "c", "e", "d"]],
  ["?tags=blog&status=active", ["a"]],
  ["?tags=blog&status=expired&platform=bluesky", ["b"]],
])("GET /accounts%s", async (query, names) => {
  const answer = await list(query);
  expect(answer.status).toBe(200);
  const seen = answer.body.data.map(({ accountName }: { accountName: string }) => accountName);
  expect(seen).toEqual(names);
  expect(answer.body.count).toBe(names.length);
});

test.each<[string, string[]]>([
  ["?platform=myspace", ["platform"]],
  ["?platform=X", ["platform"]],
  ["?platform=", ["platform"]],
  ["?status=gone", ["status"]],
  [`?tags=${"x".repeat(201)}`, ["tags"]],
  ["?tags=a&tags=b", ["tags"]],
  ["?platform=a&status=b", ["platform", "status"]],
])("GET /accounts%s is refused by name", async (query, fields) => {
  const answer = await list(query);
  expect(answer.status).toBe(400);
  expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
});

test("an answer shows no secret, and only the fields of an account", async () => {
  const { body } = await list("");
  for (const account of body.data) {
    expect(Object.keys(account).sort()).toEqual([
      "accountName",
      "connectedAt",
      "dataAccessEndsAt",
      "id",
      "mode",
      "platform",
      "profileImageUrl",
      "status",
      "tags",
    ]);
  }
});

test.each(["acc_0", "0", "%00", "%FF", "..%2Ftokens", "' OR 1=1 --", "x".repeat(101), "null"])(
  "an account called %s is 404, to read, tag and remove",
  async (id) => {
    const path = `/accounts/${id.includes("%") ? id : encodeURIComponent(id)}`;
    for (const [method, json] of [["GET"], ["PATCH", { tags: "" }], ["DELETE"]] as const) {
      const answer = await harness.call(method, path, { token: member.token, json });
      expect(answer).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    }
  },
);

test("one account tells its connection, last use and failures in a row", async () => {
  const stage = new Harness();
  const owner = await createMember();
  const id = await connectSandbox(stage, owner);
  const read = async () =>
    (await stage.call("GET", `/accounts/${id}`, { token: owner.token })).body.data;
  const post = async (description: string) => {
    await stage.call("POST", "/upload", {
      token: owner.token,
      body: form({ accountId: id, description }),
    });
    await stage.drain();
  };
  expect(await read()).toMatchObject({
    failureCount: 0,
    lastUsedAt: null,
    connectedAt: START.toISOString(),
  });
  await post("No [sandbox:content_flagged]");
  await post("No [sandbox:media_invalid]");
  expect(await read()).toMatchObject({ failureCount: 2, lastUsedAt: null });
  stage.advance(60);
  await post("Yes");
  expect(await read()).toMatchObject({ failureCount: 0, lastUsedAt: "2026-12-01T09:01:00.000Z" });
});

describe("tags", () => {
  test.each<[string, unknown, string]>([
    ["a string", "news, blog ,news,", "news,blog"],
    ["an array", ["news", " blog ", "news"], "news,blog"],
    ["an array with commas in it", ["a,b", "b"], "a,b"],
    ["an empty string", "", ""],
    ["an empty array", [], ""],
    ["500 characters", "x".repeat(500), "x".repeat(500)],
    ["emoji and markup", "👩‍💻,<b>,'\"", "👩‍💻,<b>,'\""],
  ])("%s becomes one list", async (_, tags, expected) => {
    const owner = await createMember();
    const id = await connectSandbox(harness, owner);
    const answer = await harness.call("PATCH", `/accounts/${id}`, {
      token: owner.token,
      json: { tags },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { success: true, data: { id, tags: expected } },
    });
  });

  test.each<[string, unknown]>([
    ["501 characters", { tags: "x".repeat(501) }],
    ["a number", { tags: 1 }],
    ["null", { tags: null }],
    ["an array of numbers", { tags: [1] }],
    ["an object", { tags: {} }],
    ["nothing", {}],
    ["an unknown field", { tags: "a", accountName: "b" }],
    ["100,000 tags", { tags: Array.from({ length: 100_000 }, (_, i) => String(i)) }],
  ])("%s is refused, and changes nothing", async (_, json) => {
    const owner = await createMember();
    const id = await connectSandbox(harness, owner);
    const answer = await harness.call("PATCH", `/accounts/${id}`, { token: owner.token, json });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.length).toBeGreaterThan(0);
    const read = await harness.call("GET", `/accounts/${id}`, { token: owner.token });
    expect(read.body.data.tags).toBe("");
  });
});

describe("disconnecting", () => {
  test("answers what was disconnected, once; the second time it is 404", async () => {
    const stage = new Harness();
    const owner = await createMember();
    const pds = new FakePds();
    const id = await connectFakePds(stage, owner, pds);
    const remove = () => stage.call("DELETE", `/accounts/${id}`, { token: owner.token });
    expect(await remove()).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: "alice.example.com has been disconnected.",
        data: { id, platform: "bluesky", accountName: "alice.example.com" },
      },
    });
    await stage.settle();
    expect(pds.count("server.deleteSession")).toBe(1);
    expect(await remove()).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    await stage.settle();
    expect(pds.count("server.deleteSession")).toBe(1);
    const read = await stage.call("GET", `/accounts/${id}`, { token: owner.token });
    expect(read.status).toBe(404);
    const listed = await stage.call("GET", "/accounts", { token: owner.token });
    expect(listed.body.count).toBe(0);
  });

  test("ten times at once tells it in one event", async () => {
    const stage = new Harness();
    const owner = await createMember();
    const id = await connectSandbox(stage, owner);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        stage.call("DELETE", `/accounts/${id}`, { token: owner.token }),
      ),
    );
    await stage.settle();
    expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true);
    const { results } = await env.DB.prepare(
      "SELECT id FROM events WHERE team_id = ? AND name = 'connected_account.disconnected'",
    )
      .bind(owner.teamId)
      .all();
    expect(results).toHaveLength(1);
  });

  test("is done here even when the platform does not answer", async () => {
    const stage = new Harness();
    const owner = await createMember();
    const id = await connectFakePds(stage, owner, new FakePds());
    stage.network = () => Promise.reject(new TypeError("Network connection lost."));
    const answer = await stage.call("DELETE", `/accounts/${id}`, { token: owner.token });
    expect(answer.status).toBe(200);
    await stage.settle();
    expect(stage.logs).toContainEqual(expect.objectContaining({ event: "account.revoke_failed" }));
  });
});
