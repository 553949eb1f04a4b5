import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { callTool } from "../../support/agent.ts";
import { aroundBatches } from "../../support/database.ts";
import { createMember, createToken, joinTeam } from "../../support/harness.ts";
import { beginLife } from "../../support/life.ts";
import { finish, openStage, type Stage, type Wrap } from "../../support/stage.ts";

const unpublish = (
  { harness, member }: Pick<Stage, "harness" | "member">,
  id: number,
  token = member.token,
) => harness.call("POST", `/upload/${id}/unpublish`, { token });

const isDeletion = ({ request }: { request: Request }) => request.method === "DELETE";

async function published(platform: Parameters<typeof openStage>[0] = "x") {
  const stage = await openStage(platform);
  const { upload } = await stage.publish({ description: "Soon gone" });
  expect(upload.status).toBe("completed");
  const down = async (wrap?: Wrap) => stage.watch(() => unpublish(stage, upload.id), wrap);
  const row = () =>
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the row holds
    env.DB.prepare("SELECT * FROM uploads WHERE id = ?").bind(upload.id).first<any>();
  return { stage, upload, id: upload.id as number, down, row };
}

const eventsOf = async (stage: Stage) =>
  (await stage.events()).filter((name) => name === "upload.unpublished").length;

const answered =
  (status: number, body: object, headers = {}): Wrap =>
  async (call, answer) =>
    isDeletion(call) ? Response.json(body, { status, headers }) : answer();

test("the event tells what went, and lists show when", async () => {
  const { stage, upload, id, down } = await published();
  const { unpublishedAt } = (await down()).result.body.data;
  const event = await env.DB.prepare("SELECT data FROM events WHERE team_id = ? AND name = ?")
    .bind(stage.member.teamId, "upload.unpublished")
    .first<{ data: string }>();
  expect(JSON.parse(event?.data ?? "")).toEqual({
    uploadId: id,
    platform: "x",
    accountId: stage.accountId,
    unpublishedAt,
    metadata: upload.metadata,
  });
  const { body } = await stage.harness.call("GET", "/upload", { token: stage.member.token });
  expect(body.data[0]).toMatchObject({ status: "completed", unpublishedAt });
});

describe("the platform's answer is lost", () => {
  test("a post that is gone is down", async () => {
    const { stage, id, down } = await published();
    const { result, calls } = await down(async (call, answer) => {
      const given = await answer();
      if (isDeletion(call)) throw new Error("The connection was lost.");
      return given;
    });
    expect(result).toMatchObject({ status: 200, body: { data: { id } } });
    expect(result.body.message).toBe("The post has been taken down from X.");
    expect(calls.map((call) => call.split(" ")[0])).toEqual(["DELETE", "GET"]);
    expect(await eventsOf(stage)).toBe(1);
  });

  test("a post that is still there is said to be there, and goes at the next call", async () => {
    const { stage, down, row } = await published();
    const { result } = await down(async (call, answer) => {
      if (isDeletion(call)) throw new Error("The connection was lost.");
      return answer();
    });
    expect(result).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(result.body.error).toBe("X did not answer, and still shows the post. Ask again.");
    expect(await row()).toMatchObject({ unpublish_lease_until: null, unpublish_started_at: null });
    expect((await down()).result.status).toBe(200);
    expect(await eventsOf(stage)).toBe(1);
  });

  test("without any answer it says so, remembers it, and goes on when asked again", async () => {
    const { stage, down, row } = await published();
    const { result } = await down(async (call, answer) => {
      if (isDeletion(call)) await answer();
      throw new Error("The connection was lost.");
    });
    expect(result).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(result.body.error).toContain("does not say whether the post is down");
    expect(await row()).toMatchObject({
      unpublished_at: null,
      unpublish_lease_until: null,
      unpublish_started_at: expect.any(Number),
    });
    expect(await eventsOf(stage)).toBe(0);
    const again = (await down()).result.body;
    expect(again.message).toBe("X does not have the post any more, so it counts as taken down.");
    expect((await down()).result.body).toEqual(again);
    expect(await eventsOf(stage)).toBe(1);
  });
});

test.each([
  [
    "before it asks",
    (text: string) => text.includes("coalesce(u.unpublish_started_at"),
    "after",
    1,
  ],
  [
    "before it stores that the post is gone",
    (text: string) => text.includes("upload.unpublished"),
    "before",
    1,
  ],
  ["after it has stored it", (text: string) => text.includes("upload.unpublished"), "after", 0],
] as const)(
  "a worker that is killed %s is finished by asking again",
  async (_, isWrite, when, locked) => {
    const { stage, down } = await published();
    const revive = aroundBatches(stage.harness, async (run, text) => {
      if (!isWrite(text)) return run();
      if (when === "after") await run();
      throw new Error("The worker was killed.");
    });
    const killed = await down();
    expect(killed.result.status).toBe(500);
    revive();
    const soon = await down();
    expect(soon.result.status).toBe(locked ? 409 : 200);
    stage.harness.advance(121);
    const later = await down();
    expect(later.result).toMatchObject({ status: 200, body: { success: true } });
    expect(await stage.feed()).toEqual([]);
    expect(await eventsOf(stage)).toBe(1);
    const deletions = [killed, soon, later].flatMap(({ calls }) => calls);
    expect(deletions.filter((call) => call.startsWith("DELETE")).length).toBeLessThanOrEqual(2);
  },
);

test("two calls at once make one deletion", async () => {
  const { stage, id } = await published();
  const { result, calls } = await stage.watch(() =>
    Promise.all(Array.from({ length: 8 }, () => unpublish(stage, id))),
  );
  const refused = result.filter(({ status }) => status !== 200);
  expect(result.length - refused.length).toBeGreaterThanOrEqual(1);
  for (const { status, body } of refused) {
    expect([status, body.code]).toEqual([409, "UPLOAD_LOCKED"]);
    expect(body.error).toBe(
      "The post is being edited or taken down at its platform. Ask again in two minutes.",
    );
  }
  expect(calls).toHaveLength(1);
  expect(await eventsOf(stage)).toBe(1);
  expect((await unpublish(stage, id)).status).toBe(200);
});

test("a post that its owner deleted by hand counts as taken down", async () => {
  const { down } = await published();
  const { result } = await down(
    answered(404, { title: "Not Found Error", detail: "Could not find tweet" }),
  );
  expect(result.body.message).toBe(
    "X does not have the post any more, so it counts as taken down.",
  );
});

describe("the platform refuses", () => {
  test.each<[string, Wrap, number, string, RegExp]>([
    [
      "too many calls",
      answered(429, { title: "Too Many Requests" }, { "retry-after": "60" }),
      429,
      "RATE_LIMIT",
      /takes no more calls/,
    ],
    [
      "an error of its own",
      answered(503, { title: "Service Unavailable" }),
      503,
      "UNAVAILABLE",
      /^X answered HTTP 503/,
    ],
    [
      "for good",
      answered(403, { title: "Forbidden", detail: "You are not permitted." }),
      409,
      "NOT_UNPUBLISHABLE",
      /^X did not delete the post: .*It is at https:\/\/x\.com\/.* Delete the post on X\.$/,
    ],
  ])("%s: the refusal is clear, and the next call works", async (_, wrap, status, code, words) => {
    const { down, row, stage } = await published();
    const { result } = await down(wrap);
    expect(result).toMatchObject({ status, body: { code } });
    expect(result.body.error).toMatch(words);
    expect(await row()).toMatchObject({ unpublished_at: null, unpublish_started_at: null });
    expect(await eventsOf(stage)).toBe(0);
    expect((await down()).result.status).toBe(200);
  });

  test("a refused token is renewed once", async () => {
    const { down } = await published();
    let isRefused = false;
    const { result } = await down(async (call, answer) => {
      if (!isDeletion(call) || isRefused) return answer();
      isRefused = true;
      return Response.json({ title: "Unauthorized" }, { status: 401 });
    });
    expect(result.status).toBe(200);
  });
});

test.each([
  ["threads", "threads_manage_insights", "threads_delete"],
  [
    "youtube",
    "https://www.googleapis.com/auth/youtube.readonly",
    "https://www.googleapis.com/auth/youtube.force-ssl",
  ],
] as const)("on %s, a login without the permission is not tried", async (platform, has, lacks) => {
  const life = await beginLife(undefined, platform);
  const metadata = JSON.stringify({ videoId: "123", shareUrl: "https://example.com/123" });
  const id = await life.insert({ status: "completed", metadata });
  await env.DB.prepare("UPDATE accounts SET granted_scopes = ? WHERE id = ?")
    .bind(has, life.accountId)
    .run();
  const { status, body } = await unpublish(life, id);
  expect([status, body.code]).toEqual([409, "NOT_UNPUBLISHABLE"]);
  expect(body.error).toContain(`Deleting needs the permission ${lacks}`);
  expect(body.error).toContain(
    `to APP_SCOPES, beside the others that the step about permissions at /app/setup/${platform} names.`,
  );
  expect(body.error).toContain("https://example.com/123");
  expect(await life.row(id)).toMatchObject({ unpublish_started_at: null });
});

test.each<[string, number, string]>([
  ["draft", 409, "NOT_PUBLISHED"],
  ["pending_approval", 409, "NOT_PUBLISHED"],
  ["scheduled", 409, "NOT_PUBLISHED"],
  ["pending", 409, "NOT_PUBLISHED"],
  ["failed", 409, "NOT_PUBLISHED"],
  ["processing", 409, "UPLOAD_LOCKED"],
])("a post that is %s is refused", async (state, status, code) => {
  const life = await beginLife();
  const id = await life.insert({
    status: state,
    ...(state === "scheduled" ? { scheduled_for: Date.now() + 3_600_000 } : {}),
  });
  const before = await life.row(id);
  expect(await unpublish(life, id)).toMatchObject({ status, body: { code } });
  expect(await life.row(id)).toEqual(before);
});

test("a post without an id at its platform is refused", async () => {
  const life = await beginLife();
  const id = await life.insert({ status: "completed", metadata: null });
  expect(await unpublish(life, id)).toMatchObject({ status: 409, body: { code: "NOT_PUBLISHED" } });
});

test("an account that is disconnected has to be connected again", async () => {
  const { stage, id } = await published();
  await stage.disconnect();
  expect(await unpublish(stage, id)).toMatchObject({
    status: 409,
    body: { code: "ACCOUNT_INACTIVE" },
  });
  await stage.connect();
  expect((await unpublish(stage, id)).status).toBe(200);
  await stage.disconnect();
  expect((await unpublish(stage, id)).status).toBe(200);
});

describe("who may", () => {
  test("another team's post is not found, with whatever rights", async () => {
    const { stage, id } = await published();
    const stranger = await createMember();
    const answer = await unpublish(stage, id, stranger.token);
    expect(answer).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    expect(await stage.feed()).toHaveLength(1);
  });

  test.each([
    ["ADMIN", false, 200],
    ["MEMBER", false, 403],
    ["MEMBER", true, 403],
  ] as const)("%s of a post that is their own: %s", async (role, isOwn, status) => {
    const life = await beginLife();
    const { userId } = await createMember();
    await joinTeam(life.member.teamId, userId, role);
    const token = await createToken(userId, { teamId: life.member.teamId });
    const author = isOwn ? userId : life.member.userId;
    const id = await life.insert({ status: "completed", created_by: author });
    const answer = await unpublish(life, id, token);
    expect(answer.status).toBe(status);
    if (status === 200) return;
    expect(answer.body).toMatchObject({
      code: "FORBIDDEN",
      error: "Only an owner or admin of the team takes posts down. Ask one of them.",
    });
  });

  test("a token without posts:publish is refused", async () => {
    const life = await beginLife();
    const token = await createToken(life.member.userId, { scopes: ["posts:read", "posts:write"] });
    const id = await life.insert({ status: "completed" });
    expect(await unpublish(life, id, token)).toMatchObject({
      status: 403,
      body: { code: "INSUFFICIENT_SCOPE", requiredScope: "posts:publish" },
    });
  });
});

test("an agent takes a post down, and reads that it is down", async () => {
  const { stage, id } = await published();
  const { harness, member } = stage;
  const run = (name: string) => callTool(harness, member.token, name, { postId: id });
  const first = (await run("unpublish_post")).structuredContent;
  expect(first).toMatchObject({
    postId: id,
    platform: "x",
    message: "The post has been taken down from X.",
  });
  expect((await run("unpublish_post")).structuredContent).toEqual(first);
  const { unpublishedAt } = first;
  expect((await run("get_post_status")).structuredContent).toMatchObject({
    state: "published",
    unpublishedAt,
  });
});

test("an agent is told by whom Instagram's posts are deleted", async () => {
  const life = await beginLife(undefined, "instagram");
  const metadata = JSON.stringify({ videoId: "1", shareUrl: "https://www.instagram.com/p/1/" });
  const postId = await life.insert({ status: "completed", metadata });
  const { isError, content } = await callTool(life.harness, life.member.token, "unpublish_post", {
    postId,
  });
  expect(isError).toBe(true);
  expect(content[0].text).toContain(
    "Instagram offers this app no way to delete posts. It is at https://www.instagram.com/p/1/ . Delete the post in the Instagram app.",
  );
});

test("the rest of a post's life goes on as before", async () => {
  const { stage, id, down } = await published("bluesky");
  await down();
  const token = stage.member.token;
  const edit = await stage.harness.call("PATCH", `/upload/${id}`, {
    token,
    json: { description: "New" },
  });
  expect(edit).toMatchObject({ status: 409, body: { code: "UPLOAD_LOCKED" } });
  const retry = await stage.harness.call("POST", `/upload/${id}/retry`, { token });
  expect(retry).toMatchObject({ status: 409, body: { code: "NOT_FAILED" } });
  const same = await stage.send({ description: "Soon gone" });
  expect(same.status).toBe(400);
  await finish(stage);
  expect(await stage.feed()).toEqual([]);
});

test("Threads takes 100 deletions in 24 hours", async () => {
  const { grantDeleting } = await import("../../support/grant.ts");
  const stage = await openStage("threads", { person: "Ada" });
  await grantDeleting.threads(stage.member.teamId);
  await stage.connect();
  const { upload } = await stage.publish({ description: "One too many" });
  const { result } = await stage.watch(
    () => unpublish(stage, upload.id),
    answered(400, {
      error: {
        code: 4,
        message: "Application request limit reached",
        error_user_msg: "You have reached the maximum number of deletions for a 24 hour period.",
      },
    }),
  );
  expect(result).toMatchObject({ status: 429, body: { code: "RATE_LIMIT" } });
  expect((await unpublish(stage, upload.id)).status).toBe(200);
});
