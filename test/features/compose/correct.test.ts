import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { contentHash } from "../../../src/features/content/version.ts";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { ROWS } from "../../platforms/rows.ts";
import { callTool } from "../../support/agent.ts";
import { aroundBatches } from "../../support/database.ts";
import { grantDeleting } from "../../support/grant.ts";
import { createMember, createToken, joinTeam } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { openStage, type Stage, type Wrap } from "../../support/stage.ts";

const nameOf = ({ request, url }: { request: Request; url: URL }) =>
  `${request.method} ${url.pathname}`;

const KINDS = ROWS.flatMap((row) =>
  Object.entries(row.kinds).map(([kind, { fields }]) => ({
    row,
    kind,
    fields,
    name: `${row.as ?? row.platform}: ${kind}`,
  })),
);

const patch = ({ harness, member }: Stage, id: number, json: object, token = member.token) =>
  harness.call("PATCH", `/upload/${id}`, { token, json });

const rowOf = (id: number) =>
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the row holds
  env.DB.prepare("SELECT * FROM uploads WHERE id = ?").bind(id).first<any>();

async function open(row: (typeof ROWS)[number]) {
  const { platform } = row;
  const stage = await openStage(platform, { ...row, nameOf, person: "Ada" });
  if (platform === "youtube" || platform === "threads") {
    await grantDeleting[platform](stage.member.teamId);
    await stage.connect();
  }
  return stage;
}

const EDITS = /^(?:PUT|PATCH) |^POST .*\/(?:posts\/[^/]+|\d+_\d+|editMessage\w+)$/;

test.each(KINDS)(
  "$name: a new text is taken with one call, or the refusal says what to do",
  async (one) => {
    const stage = await open(one.row);
    const { upload } = await stage.publish(one.fields("Before"));
    expect(upload.status).toBe("completed");
    const { correction } = connectorOf(one.row.platform);
    const isOut =
      !correction.calls || (one.row.platform === "facebook" && /video|reel/i.test(one.kind));
    const before = await stage.feed();
    const { result, calls } = await stage.watch(() =>
      patch(stage, upload.id, { description: "After the edit" }),
    );
    if (isOut) {
      expect(result).toMatchObject({ status: 409, body: { code: "UPLOAD_LOCKED" } });
      expect(result.body.error).toContain(correction.byHand);
      expect(result.body.shareUrl).toBe(upload.metadata.shareUrl);
      expect(calls).toEqual([]);
      expect(await stage.feed()).toEqual(before);
      return;
    }
    expect(result, JSON.stringify(result.body)).toMatchObject({ status: 200 });
    expect(calls.filter((call) => EDITS.test(call))).toHaveLength(1);
    const [shown] = await stage.feed();
    expect(shown.text).toContain("After the edit");
    expect(shown.received).toBe(before[0].received);
    expect(shown.media).toEqual(before[0].media);
    expect(await stage.read(upload.id)).toMatchObject({
      status: "completed",
      description: "After the edit",
      version: result.body.data.version,
      metadata: upload.metadata,
    });
    expect(await rowOf(upload.id)).toMatchObject({ correction: null, unpublish_lease_until: null });
    expect((await stage.events()).filter((name) => name === "upload.edited")).toHaveLength(1);
    const again = await stage.watch(() =>
      patch(stage, upload.id, { description: "After the edit" }),
    );
    expect([again.result.status, again.calls]).toEqual([200, []]);
  },
);

async function published(fields: Record<string, string> = {}) {
  const stage = await openStage("facebook", { nameOf });
  const { upload } = await stage.publish({ description: "Before", ...fields });
  const id: number = upload.id;
  const down = (text: string, wrap?: Wrap) =>
    stage.watch(() => patch(stage, id, { description: text }), wrap);
  const shown = async () => (await stage.feed()).map(({ text }) => text);
  return { stage, upload, id, edit: down, shown };
}

const isEdit = ({ request }: { request: Request }) => request.method === "POST";
const lost = () => new Error("The connection was lost.");

const answered =
  (status: number, body: object): Wrap =>
  async (call, answer) =>
    isEdit(call) ? Response.json(body, { status }) : answer();

describe("the platform's answer is lost", () => {
  test("an edit that took effect is stored", async () => {
    const { stage, id, edit, shown } = await published();
    const { result, calls } = await edit("After", async (call, answer) => {
      const given = await answer();
      if (isEdit(call)) throw lost();
      return given;
    });
    expect(result.status).toBe(200);
    expect(calls.map((call) => call.split(" ")[0])).toEqual(["POST", "GET"]);
    expect(await shown()).toEqual(["After"]);
    expect(await stage.read(id)).toMatchObject({ description: "After" });
  });

  test("an edit that did not is said to be open, and goes at the next call", async () => {
    const { stage, id, edit, shown } = await published();
    const { result } = await edit("After", async (call, answer) => {
      if (isEdit(call)) throw lost();
      return answer();
    });
    expect(result).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(result.body.error).toBe(
      "Facebook did not answer, and still shows the old text. Send the edit again.",
    );
    expect(await stage.read(id)).toMatchObject({ description: "Before" });
    expect((await edit("After")).result.status).toBe(200);
    expect(await shown()).toEqual(["After"]);
  });

  test("without any answer the old text stays, and sending it again brings it back", async () => {
    const { stage, id, edit, shown } = await published();
    const { result } = await edit("After", async (call, answer) => {
      if (isEdit(call)) await answer();
      throw lost();
    });
    expect(result).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(await stage.read(id)).toMatchObject({ description: "Before" });
    expect(JSON.parse((await rowOf(id)).correction)).toMatchObject({ description: "After" });
    expect(await shown()).toEqual(["After"]);
    expect((await edit("Before")).result.status).toBe(200);
    expect(await shown()).toEqual(["Before"]);
    expect((await rowOf(id)).correction).toBeNull();
  });
});

test.each([
  ["after the intent is stored", (text: string) => /SET "?correction"? = /.test(text), "after"],
  ["before the new text is stored", (text: string) => text.includes("upload.edited"), "before"],
  ["after the new text is stored", (text: string) => text.includes("upload.edited"), "after"],
] as const)("a worker that is killed %s is finished by asking again", async (_, isWrite, when) => {
  const { stage, id, edit, shown } = await published();
  const revive = aroundBatches(stage.harness, async (run, text) => {
    if (!isWrite(text)) return run();
    if (when === "after") await run();
    throw new Error("The worker was killed.");
  });
  expect((await edit("After")).result.status).toBe(500);
  revive();
  stage.harness.advance(121);
  expect((await edit("After")).result.status).toBe(200);
  expect(await shown()).toEqual(["After"]);
  expect(await stage.read(id)).toMatchObject({ description: "After" });
  expect((await rowOf(id)).correction).toBeNull();
});

describe("at once", () => {
  test("of edits, one goes through, and what is stored is what the platform shows", async () => {
    const { stage, id, shown } = await published();
    const { result } = await stage.watch(() =>
      Promise.all(
        Array.from({ length: 8 }, (_, i) => patch(stage, id, { description: `Text ${i}` })),
      ),
    );
    const taken = result.filter(({ status }) => status === 200);
    expect(taken.length).toBeGreaterThanOrEqual(1);
    for (const { status, body } of result) {
      if (status !== 200) expect([status, body.code]).toEqual([409, "UPLOAD_LOCKED"]);
    }
    expect([(await stage.read(id)).description]).toEqual(await shown());
  });

  test("an edit and a removal exclude each other", async () => {
    const { stage, id, shown } = await published();
    const { token } = stage.member;
    const [edited, removed] = await Promise.all([
      patch(stage, id, { description: "After" }),
      stage.harness.call("POST", `/upload/${id}/unpublish`, { token }),
    ]);
    for (const { status, body } of [edited, removed]) {
      if (status !== 200) expect([status, body.code]).toEqual([409, "UPLOAD_LOCKED"]);
    }
    expect([edited.status, removed.status]).toContain(200);
    expect(await shown()).toEqual(removed.status === 200 ? [] : ["After"]);
    await stage.harness.call("POST", `/upload/${id}/unpublish`, { token });
    const late = await patch(stage, id, { description: "Later" });
    expect(late).toMatchObject({ status: 409, body: { code: "UPLOAD_LOCKED" } });
    expect(late.body.error).toContain("has been taken down");
  });

  test("an edit and a retry of a failed part both hold", async () => {
    const { stage, id, shown } = await published();
    const part = {
      kind: "comment",
      text: "Hi",
      media: [],
      status: "failed",
      platformPostId: null,
      shareUrl: null,
      failureCode: "platform_unavailable",
      errorMessage: "It broke.",
    };
    await env.DB.prepare("UPDATE uploads SET parts = ?, part = 1 WHERE id = ?")
      .bind(JSON.stringify([part]), id)
      .run();
    const [edited, retried] = await Promise.all([
      patch(stage, id, { description: "After" }),
      stage.harness.call("POST", `/upload/${id}/retry`, { token: stage.member.token }),
    ]);
    expect(retried.status).toBe(200);
    if (edited.status !== 200) {
      expect([edited.status, edited.body.code]).toEqual([409, "UPLOAD_LOCKED"]);
    }
    const upload = await stage.end(id);
    expect(upload.status).toBe("completed");
    expect([upload.description]).toEqual(await shown());
  });
});

describe("a refusal is clear, keeps the old text, and the next edit works", () => {
  test.each<[string, Wrap, number, string, RegExp]>([
    [
      "too many calls",
      answered(400, { error: { code: 32, message: "Page request limit reached" } }),
      429,
      "RATE_LIMIT",
      /takes no more calls/,
    ],
    [
      "another app's post",
      answered(403, { error: { code: 200, message: "(#200) The post wasn't created by the app" } }),
      409,
      "UPLOAD_LOCKED",
      /^The post is published and cannot be edited: Facebook refused the edit: .*app\. It is at https:.* Edit the post on the Facebook Page\.$/,
    ],
    [
      "an outage",
      answered(503, { error: { code: 2, message: "Service temporarily unavailable" } }),
      503,
      "UNAVAILABLE",
      /unavailable/,
    ],
  ])("%s", async (_, wrap, status, code, words) => {
    const { stage, id, edit, shown } = await published();
    const { result } = await edit("After", wrap);
    expect(result).toMatchObject({ status, body: { code } });
    expect(result.body.error).toMatch(words);
    expect(await stage.read(id)).toMatchObject({ description: "Before" });
    expect(await shown()).toEqual(["Before"]);
    expect((await edit("After")).result.status).toBe(200);
    expect(await shown()).toEqual(["After"]);
  });

  test("of Pinterest to an app outside its beta", async () => {
    const row = ROWS.find(({ platform }) => platform === "pinterest");
    const [kind] = Object.values(row?.kinds ?? {});
    if (!row || !kind) throw new Error("Pinterest has no row.");
    const stage = await open(row);
    const { upload } = await stage.publish(kind.fields("Before"));
    const { result } = await stage.watch(
      () => patch(stage, upload.id, { description: "After" }),
      async ({ request }, answer) =>
        request.method === "PATCH"
          ? Response.json({ code: 29, message: "You are not permitted." }, { status: 403 })
          : answer(),
    );
    expect(result).toMatchObject({ status: 409, body: { code: "UPLOAD_LOCKED" } });
    expect(result.body.error).toContain("only the apps of its beta");
    expect((await stage.readAccount()).status).toBe("active");
  });

  test.each<[string, object, number, RegExp]>([
    ["a text over the limit", { description: "a".repeat(63_207) }, 400, /63,206/],
    ["no text", { description: "" }, 409, /not take it off/],
    ["a title", { title: "New" }, 409, /title cannot be changed any more, only description/],
    ["a date", { scheduledFor: "2030-01-01T00:00:00Z" }, 409, /scheduledFor cannot be changed/],
    ["a thread", { thread: ["Two"] }, 409, /thread cannot be changed/],
    ["a comment", { first_comment: "Hi" }, 409, /first_comment cannot be changed/],
  ])("%s is refused without a call", async (_, json, status, words) => {
    const { stage, id } = await published();
    const before = await rowOf(id);
    const { result, calls } = await stage.watch(() => patch(stage, id, json));
    expect(result.status, JSON.stringify(result.body)).toBe(status);
    expect(result.body.error).toMatch(words);
    expect(calls).toEqual([]);
    expect(await rowOf(id)).toEqual(before);
  });

  test("the text of another post of the account", async () => {
    const { stage, id } = await published();
    await stage.publish({ description: "Another text that is long enough to be compared" });
    const answer = await patch(stage, id, {
      description: "Another text that is long enough to be compared",
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { violations: [{ type: "duplicate_content" }] },
    });
  });
});

test("YouTube keeps the tags of a video, and needs its permission", async () => {
  const row = ROWS.find(({ platform }) => platform === "youtube");
  const [kind] = Object.values(row?.kinds ?? {});
  if (!row || !kind) throw new Error("YouTube has no row.");
  const stage = await open(row);
  const { upload } = await stage.publish({ ...kind.fields("Before"), tags: "one,two" });
  const tagsOf = async () => (await stage.feed())[0].fields.snippet;
  const before = await tagsOf();
  expect((await patch(stage, upload.id, { title: "A new title" })).status).toBe(200);
  expect(await tagsOf()).toMatchObject({ ...before, tags: ["one", "two"], title: "A new title" });
  await env.DB.prepare("UPDATE accounts SET granted_scopes = ? WHERE id = ?")
    .bind("https://www.googleapis.com/auth/youtube.readonly", stage.accountId)
    .run();
  const refused = await patch(stage, upload.id, { title: "Another title" });
  expect(refused).toMatchObject({ status: 409, body: { code: "UPLOAD_LOCKED" } });
  expect(refused.body.error).toContain("youtube.force-ssl");
});

describe("who may", () => {
  async function colleague(stage: Stage, role: "ADMIN" | "MEMBER", needsApproval = false) {
    const { userId } = await createMember();
    const { teamId } = stage.member;
    await joinTeam(teamId, userId, role);
    await env.DB.prepare("UPDATE teams SET requires_approval = ? WHERE id = ?")
      .bind(Number(needsApproval), teamId)
      .run();
    return { userId, token: await createToken(userId, { teamId }) };
  }

  test.each<[string, "ADMIN" | "MEMBER", boolean, boolean, object, number]>([
    ["an admin, any post", "ADMIN", false, false, {}, 200],
    [
      "an admin, an approved post",
      "ADMIN",
      false,
      false,
      { approved_hash: "old", approved_by: "team" },
      200,
    ],
    ["a member, their own post", "MEMBER", false, true, {}, 200],
    ["a member, another's post", "MEMBER", false, false, {}, 403],
    ["a member, their approved post", "MEMBER", false, true, { approved_hash: "old" }, 403],
    ["a member whose posts need approval", "MEMBER", true, true, {}, 403],
    [
      "an admin, a client's post",
      "ADMIN",
      false,
      false,
      { approved_hash: "old", approved_by: "client" },
      403,
    ],
  ])("%s", async (_, role, needsApproval, isOwn, columns, status) => {
    const { stage, id, shown } = await published();
    const { userId, token } = await colleague(stage, role, needsApproval);
    const set = { ...columns, ...(isOwn ? { created_by: userId } : {}) };
    for (const [name, value] of Object.entries(set)) {
      await env.DB.prepare(`UPDATE uploads SET ${name} = ? WHERE id = ?`).bind(value, id).run();
    }
    const answer = await patch(stage, id, { description: "After" }, token);
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    expect(await shown()).toEqual([status === 200 ? "After" : "Before"]);
    const row = await rowOf(id);
    if (status !== 200) return expect(row.description).toBe("Before");
    if (!("approved_hash" in columns)) return expect(row.approved_hash).toBeNull();
    const content = { ...row, accountId: row.account_id };
    for (const name of ["settings", "media", "parts"]) content[name] = JSON.parse(row[name]);
    expect(row).toMatchObject({
      approved_hash: await contentHash(content),
      approved_by: "team",
      approver_id: userId,
    });
  });

  test("a token without posts:publish is refused, and another team finds nothing", async () => {
    const { stage, id, shown } = await published();
    const token = await createToken(stage.member.userId, { scopes: ["posts:write"] });
    expect(await patch(stage, id, { description: "After" }, token)).toMatchObject({ status: 403 });
    const stranger = await createMember();
    const answer = await patch(stage, id, { description: "After" }, stranger.token);
    expect(answer).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    expect(await shown()).toEqual(["Before"]);
  });
});

test("an account that is disconnected has to be connected again", async () => {
  const { stage, id } = await published();
  await stage.disconnect();
  expect(await patch(stage, id, { description: "After" })).toMatchObject({
    status: 409,
    body: { code: "ACCOUNT_INACTIVE" },
  });
  await stage.connect();
  expect((await patch(stage, id, { description: "After" })).status).toBe(200);
});

test("an agent edits a post, before and after it is out", async () => {
  const { stage, id, shown } = await published();
  const run = (postId: number, args: object) =>
    callTool(stage.harness, stage.member.token, "update_post", { postId, ...args });
  expect((await run(id, { description: "After" })).structuredContent).toMatchObject({
    postId: id,
    status: "completed",
    url: expect.stringContaining("facebook.com"),
  });
  expect(await shown()).toEqual(["After"]);
  const draft = await stage.post({ description: "Draft", status: "draft" });
  const edited = await run(draft, { description: "New", scheduleDate: "2026-12-24T12:00:00Z" });
  expect(edited.structuredContent).toMatchObject({ postId: draft, status: "draft", url: null });
  expect((await run(id, { title: "New" })).isError).toBe(true);
});

test("the page of a post offers the edit where it can be made, and makes it", async () => {
  const { stage, id, shown } = await published();
  const browser = await new Browser(stage.harness).signIn(stage.member);
  expect((await browser.get(`/app/uploads/${id}`)).html).toContain("Edit the text…");
  const sent = await browser.post(`/app/uploads/${id}/edit`, { description: "After\r\nit" });
  expect(sent.status).toBe(303);
  const { html } = await browser.get(sent.headers.get("location") ?? "");
  expect(html).toContain("The text has been changed, on the platform too.");
  expect(html).toContain("The published text was edited");
  expect(await shown()).toEqual(["After\nit"]);
  const other = await openStage("bluesky");
  const { upload } = await other.publish({ description: "Before" });
  const theirs = await new Browser(other.harness).signIn(other.member);
  expect((await theirs.get(`/app/uploads/${upload.id}`)).html).not.toContain("Edit the text…");
});
