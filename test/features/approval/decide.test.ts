import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_PLANS } from "../../../src/core/plans.ts";
import {
  approveUpload,
  approveUploads,
  requestChanges,
  submitUploads,
  type Verdict,
} from "../../../src/features/approval/decide.ts";
import { contentHash } from "../../../src/features/content/version.ts";
import { createMember, createToken, form, harnessWith } from "../../support/harness.ts";
import { beginLife, type Columns, type Life, later, mediaOf } from "../../support/life.ts";

const DAY = 86_400;
let life: Life;
beforeEach(async () => {
  life = await beginLife();
});

type Action = "submit" | "approve" | "request-changes";
const decide = (id: number | string, action: Action, json?: unknown, token?: string) =>
  life.call("POST", `/upload/${id}/${action}`, json, token);
const approve = (id: number | string, token?: string) => decide(id, "approve", undefined, token);
const held = (columns: Columns = {}): Columns => ({ status: "pending_approval", ...columns });
const work = () => ({ deps: life.harness.deps, teamId: life.member.teamId, by: null });
const CLIENT = { by: "client" } as const;

const contentHashOf = async (id: number) => {
  const row = await life.row(id);
  return contentHash({
    ...row,
    accountId: row.account_id,
    settings: JSON.parse(row.settings),
    media: JSON.parse(row.media),
  });
};
const versionOf = async (id: number): Promise<string> =>
  (await life.call("GET", `/upload/${id}`)).body.data.version;
const setAccount = (set: string) =>
  env.DB.prepare(`UPDATE accounts SET ${set} WHERE id = ?`).bind(life.accountId).run();

describe("an approval", () => {
  test("answers the post, names who approved what, and wakes the post", async () => {
    const id = await life.insert(held({ review_comment: "Shorter" }));
    const [hash, version] = [await contentHashOf(id), await versionOf(id)];
    const answer = await approve(id);
    expect(answer.body).toEqual({
      success: true,
      data: { uploadId: id, status: "pending", scheduledFor: null, version },
    });
    expect(await life.row(id)).toMatchObject({
      approved_hash: hash,
      approved_by: "team",
      approver_id: life.member.userId,
      review_comment: null,
      due_at: Date.now(),
      woken_at: Date.now(),
    });
    expect(life.harness.sent).toMatchObject([{ message: { uploadId: id }, at: Date.now() }]);
    await life.harness.drain();
    expect(await life.row(id)).toMatchObject({ status: "completed", error_message: null });
    expect((await life.events()).map(({ name }) => name)).toEqual([
      "upload.approved",
      "upload.completed",
    ]);
  });

  test.each([
    [60, true],
    [75, true],
    [76, false],
    [DAY, false],
  ])("of a post due in %i seconds plans it; wakes it by itself: %j", async (seconds, isWoken) => {
    const at = later(seconds);
    const id = await life.insert(held({ scheduled_for: at.getTime() }));
    expect((await approve(id)).body.data).toMatchObject({
      uploadId: id,
      status: "scheduled",
      scheduledFor: at.toISOString(),
    });
    await life.harness.settle();
    const woken = life.harness.sent.map(({ message, at: time }) => [message.uploadId, time]);
    expect(woken).toEqual(isWoken ? [[id, at.getTime()]] : []);
    expect(await life.row(id)).toMatchObject({ due_at: at.getTime(), sort_at: at.getTime() });
  });

  test("of a post whose date has passed sends it out now, and counts it for this month", async () => {
    const created = Date.parse("2026-10-01T00:00:00Z");
    const id = await life.insert(
      held({ scheduled_for: later(-60).getTime(), created_at: created, sort_at: created }),
    );
    expect((await approve(id)).body.data).toMatchObject({ status: "pending" });
    expect(await life.row(id)).toMatchObject({ sort_at: Date.now(), due_at: Date.now() });
  });

  test("begins afresh what an edit or the gate had held", async () => {
    const old = {
      ...{ bookmark: '{"container":"1"}', backoffs: 3, crashes: 2, restarts: 1, submits: 1 },
      ...{ progressed_at: later(-DAY).getTime(), error_message: "Busy.", sent_bytes: 5 },
    };
    const id = await life.insert(held(old));
    await approve(id);
    expect(await life.row(id)).toMatchObject({
      ...{ bookmark: null, backoffs: 0, crashes: 0, restarts: 0, submits: 0 },
      ...{ progressed_at: null, error_message: null, sent_bytes: null },
    });
  });

  test.each([
    ["the text", "title = 'Smuggled'"],
    ["the other text", "description = NULL"],
    ["the settings", `settings = '{"bluesky_langs":["de"]}'`],
    ["the files", "media = '[]'"],
    ["the account", "account_id = 'acc_other'"],
  ])("does not hold for another post: %s", async (what, set) => {
    const [file = ""] = await life.storeFiles(1);
    const id = await life.insert(held({ media: mediaOf(file) }));
    await approve(id);
    if (what === "the account") {
      const other = await life.call("POST", "/accounts", {
        ...{ platform: "bluesky", sandbox: true, name: "Other" },
      });
      set = `account_id = '${other.body.data.id}'`;
    }
    await env.DB.prepare(`UPDATE uploads SET ${set} WHERE id = ?`).bind(id).run();
    await life.harness.drain();
    expect(await life.row(id)).toMatchObject({
      ...{ status: "pending_approval", stage: "preparing" },
      ...{ approved_hash: null, approved_by: null, approver_id: null },
    });
  });
});

describe("is refused for", () => {
  const limited = (monthlyPosts: number) =>
    harnessWith({
      plans: {
        ...DEFAULT_PLANS,
        plans: { ...DEFAULT_PLANS.plans, owner: { ...DEFAULT_PLANS.plans.owner, monthlyPosts } },
      },
    });
  const many = (count: number, columns: Columns): Columns[] =>
    Array.from({ length: count }, () => ({
      status: "pending",
      due_at: later(DAY).getTime(),
      ...columns,
    }));

  test.each([
    ["an expired account", "status = 'expired'", "Reconnect"],
    ["a revoked account", "status = 'revoked'", "Reconnect"],
    ["a removed account", "deleted_at = 1", "Connect it again"],
  ])("%s (409 ACCOUNT_INACTIVE)", async (_, set, hint) => {
    const ids = await life.insertMany([{ status: "draft" }, held()]);
    await setAccount(set);
    for (const id of ids) {
      const before = await life.row(id);
      const answer = await approve(id);
      expect(answer).toMatchObject({ status: 409, body: { code: "ACCOUNT_INACTIVE" } });
      expect(answer.body.error).toContain(hint);
      expect(await life.row(id)).toEqual(before);
    }
    expect(await life.events()).toEqual([]);
  });

  test("an account of a sandbox that is switched off", async () => {
    const id = await life.insert(held());
    const off = harnessWith({ sandboxEnabled: false });
    const token = life.member.token;
    expect(await off.call("POST", `/upload/${id}/approve`, { token })).toMatchObject({
      status: 409,
      body: { code: "ACCOUNT_INACTIVE" },
    });
  });

  test("a capped account (409 DAILY_LIMIT), unless there is room by the post's date", async () => {
    const counted = later(-DAY / 2).getTime();
    const published = { status: "completed", counted_at: counted, uploaded_at: counted };
    await life.insertMany(Array.from({ length: 150 }, () => ({ ...published })));
    const room = later(DAY / 2);
    const [now = 0, soon = 0, then = 0] = await life.insertMany([
      held({ description: "Now" }),
      held({ description: "Soon", scheduled_for: room.getTime() - 1 }),
      held({ description: "Then", scheduled_for: room.getTime() }),
    ]);
    for (const id of [now, soon]) {
      const answer = await approve(id);
      expect(answer).toMatchObject({ status: 409, body: { code: "DAILY_LIMIT" } });
      expect(answer.body.error).toContain(room.toISOString());
    }
    expect(await approve(then)).toMatchObject({
      status: 200,
      body: { data: { status: "scheduled" } },
    });
  });

  test("a plan without room in the post's month (409 PLAN_LIMIT); drafts took none", async () => {
    life = await beginLife(limited(1));
    const next = Date.parse("2027-01-10T00:00:00Z");
    const ids = await life.insertMany([
      held({ description: "One" }),
      held({ description: "Two" }),
      held({ description: "Next month", scheduled_for: next }),
    ]);
    const answers = [];
    for (const id of ids) answers.push(await approve(id));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [409, "PLAN_LIMIT"],
      [200, undefined],
    ]);
  });

  test("a full queue (409 QUEUE_BUSY, QUEUE_FULL)", async () => {
    const id = await life.insert(held());
    await life.insertMany(many(100, { description: "Other words" }));
    expect(await approve(id)).toMatchObject({ status: 409, body: { code: "QUEUE_BUSY" } });
    await life.insertMany(many(900, { account_id: "acc_other" }));
    expect(await approve(id)).toMatchObject({ status: 409, body: { code: "QUEUE_FULL" } });
    expect(await life.row(id)).toMatchObject({ status: "pending_approval" });
  });

  test("too few credits (409 PLAN_LIMIT)", async () => {
    life = await beginLife(undefined, "x");
    await env.DB.prepare("UPDATE teams SET plan = 'basic' WHERE id = ?")
      .bind(life.member.teamId)
      .run();
    // 50 credits a month; a post with a link costs 15.
    const ids = await life.insertMany(
      Array.from({ length: 4 }, (_, i) => held({ title: `https://example.com/${i}` })),
    );
    const verdicts = await approveUploads(
      work(),
      ids.map((id) => ({ id })),
      CLIENT,
    );
    expect(verdicts.map((one) => "status" in one)).toEqual([true, true, true, false]);
    await life.harness.drain();
    const answer = await approve(ids[3] ?? 0);
    expect(answer).toMatchObject({ status: 409, body: { code: "PLAN_LIMIT" } });
    expect(answer.body.error).toContain("credits");
  });

  test("what creation refuses: a text too long, a missing file, a word on the blocklist, a repetition", async () => {
    await life.call("PATCH", "/settings", { blocklist: ["casino"] });
    const [long = 0, empty = 0, unsafe = 0, first = 0, again = 0] = await life.insertMany([
      { status: "draft", description: "x".repeat(301) },
      { status: "draft", title: null, description: null },
      { status: "draft", description: "Come to the casino" },
      held({ description: "The same words, said to everybody twice." }),
      held({ description: "The same words, said to everybody twice!" }),
    ]);
    const post = form({ accountId: life.accountId, description: "x".repeat(301) });
    const { token } = life.member;
    const created = await life.harness.call("POST", "/upload", { token, body: post });
    const refused = await approve(long);
    expect([refused.status, refused.body]).toEqual([400, created.body]);
    expect(await approve(empty)).toMatchObject({
      status: 400,
      body: { errors: expect.anything() },
    });
    expect((await approve(unsafe)).body.violations).toMatchObject([{ type: "unsafe_content" }]);
    expect((await approve(first)).status).toBe(200);
    expect((await approve(again)).body.violations).toMatchObject([{ type: "duplicate_content" }]);
    for (const id of [long, empty, unsafe, again]) {
      expect((await life.row(id)).approved_hash).toBeNull();
    }
  });

  test("who may not: FORBIDDEN by role, INSUFFICIENT_SCOPE by scope, 404 elsewhere", async () => {
    const id = await life.insert(held());
    const before = await life.row(id);
    const comment = { comment: "Shorter" };
    for (const action of ["approve", "request-changes"] as const) {
      const json = action === "approve" ? undefined : comment;
      const member = await decide(id, action, json, await life.colleague("MEMBER"));
      expect(member).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
      const writer = await decide(id, action, json, await life.colleague("OWNER", ["posts:write"]));
      expect(writer).toMatchObject({ status: 403, body: { requiredScope: "posts:publish" } });
      const stranger = await decide(id, action, json, (await createMember()).token);
      expect(stranger).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
      for (const wrong of ["abc", "0", "999999999", "1.5", "-1"]) {
        expect((await decide(wrong, action, json)).status).toBe(404);
      }
    }
    expect(await life.row(id)).toEqual(before);
    expect(await life.events()).toEqual([]);
  });

  test("a post that is deleted, sent back or approved already", async () => {
    const [gone = 0, back = 0, done = 0] = await life.insertMany([held(), held(), held()]);
    await life.call("DELETE", `/upload/${gone}`);
    expect(await approve(gone)).toMatchObject({ status: 404 });
    const comment = { comment: "Shorter" };
    expect((await decide(back, "request-changes", comment)).status).toBe(200);
    const again = await decide(back, "request-changes", comment);
    expect(again).toMatchObject({ status: 409, body: { code: "NOT_REVIEWABLE" } });
    expect((await approve(done)).status).toBe(200);
    expect(await approve(done)).toMatchObject({ status: 409, body: { code: "NOT_REVIEWABLE" } });
    expect((await life.events()).map(({ name }) => name).sort()).toEqual([
      "upload.approved",
      "upload.changes_requested",
    ]);
  });
});

describe("a comment", () => {
  test.each<[string, unknown]>([
    ["is missing", {}],
    ["is empty", { comment: "" }],
    ["is blank", { comment: " \r\n\t " }],
    ["is too long", { comment: "x".repeat(2_001) }],
    ["has 10,000 characters of HTML and bidi marks", { comment: "\u202e<b>".repeat(2_500) }],
    ["is broken", { comment: "\ud800" }],
    ["has a zero character", { comment: "a\0b" }],
    ["is a number", { comment: 1 }],
    ["is null", { comment: null }],
    ["comes with another field", { comment: "Shorter", status: "scheduled" }],
    ["is a list", ["Shorter"]],
    ["is no JSON", "{"],
  ])("that %s is refused, and nothing changes", async (_, json) => {
    const id = await life.insert(held());
    const before = await life.row(id);
    const answer = await decide(id, "request-changes", json);
    expect(answer).toMatchObject({ status: 400, body: { success: false } });
    expect(await life.row(id)).toEqual(before);
    expect(await life.events()).toEqual([]);
  });

  test.each([
    ["x".repeat(2_000), "x".repeat(2_000)],
    ["👨‍👩‍👧‍👦".repeat(250), "👨‍👩‍👧‍👦".repeat(250)],
    ["  One\r\ntwo ", "One\ntwo"],
    ["<script>alert(1)</script> \u202eolleh", "<script>alert(1)</script> \u202eolleh"],
  ])("is kept as it was meant", async (comment, kept) => {
    const id = await life.insert(held());
    const answer = await decide(id, "request-changes", { comment });
    const { reviewComment, version } = (await life.call("GET", `/upload/${id}`)).body.data;
    const data = { uploadId: id, status: "draft", scheduledFor: null, version };
    expect(answer.body.data).toEqual(data);
    expect(reviewComment).toBe(kept);
    expect((await life.events())[0]?.data.comment).toBe(kept);
    // It stays while the post is worked on, and goes with the approval.
    await decide(id, "submit");
    expect((await life.row(id)).review_comment).toBe(kept);
    await approve(id);
    expect((await life.row(id)).review_comment).toBeNull();
  });
});

describe("a submission", () => {
  test("may be made by a member, and by a token without posts:publish", async () => {
    for (const token of [
      await life.colleague("MEMBER"),
      await life.colleague("OWNER", ["posts:write"]),
    ]) {
      const id = await life.insert({ status: "draft", description: `By ${token.slice(-4)}` });
      const data = { uploadId: id, status: "pending_approval", scheduledFor: null };
      for (let i = 0; i < 2; i++) {
        expect(await decide(id, "submit", undefined, token)).toMatchObject({
          status: 200,
          body: { success: true, data },
        });
      }
    }
    expect(await life.events()).toEqual([]);
  });

  test("is refused as creation for approval is", async () => {
    await life.call("PATCH", "/settings", { blocklist: ["casino"] });
    const [unsafe = 0, long = 0] = await life.insertMany([
      { status: "draft", description: "Casino" },
      { status: "draft", description: "x".repeat(301) },
    ]);
    expect((await decide(unsafe, "submit")).body.violations).toMatchObject([{}]);
    expect(await decide(long, "submit")).toMatchObject({ status: 400 });
    const reader = await createToken(life.member.userId, { scopes: ["posts:read"] });
    expect(await decide(unsafe, "submit", undefined, reader)).toMatchObject({ status: 403 });
    expect((await life.row(unsafe)).status).toBe("draft");
  });
});

describe("a client", () => {
  test("decides on what was shown: another content or date is refused", async () => {
    const id = await life.insert(held());
    const seen = await versionOf(id);
    await life.call("PATCH", `/upload/${id}`, { description: "Else" });
    const changed = { status: 409, code: "POST_CHANGED" };
    await expect(approveUpload(work(), id, CLIENT, seen)).rejects.toMatchObject(changed);
    const request = requestChanges(work(), id, CLIENT, "Shorter", seen);
    await expect(request).rejects.toMatchObject(changed);
    expect(await life.row(id)).toMatchObject({ status: "pending_approval", review_comment: null });
    const again = await versionOf(id);
    await life.call("PATCH", `/upload/${id}`, { scheduledFor: later(DAY) });
    await expect(approveUpload(work(), id, CLIENT, again)).rejects.toMatchObject(changed);
    await approveUpload(work(), id, CLIENT, await versionOf(id));
    expect(await life.row(id)).toMatchObject({
      ...{ status: "scheduled", approved_by: "client", approver_id: null },
      approved_hash: await contentHashOf(id),
    });
    expect((await life.events()).at(-1)?.data).toMatchObject({ reviewedBy: "client" });
  });

  test("is asked again after an edit of the content, whoever makes it, and not after one of the date", async () => {
    for (const token of [undefined, await life.colleague("ADMIN")]) {
      const id = await life.insert(
        held({ description: `For ${token?.slice(-4)}`, scheduled_for: later(DAY).getTime() }),
      );
      await approveUpload(work(), id, CLIENT);
      const moved = { scheduledFor: later(2 * DAY) };
      const path = `/upload/${id}`;
      expect((await life.call("PATCH", path, moved, token)).body.data.status).toBe("scheduled");
      expect((await life.row(id)).approved_by).toBe("client");
      const edited = await life.call("PATCH", path, { title: "Else" }, token);
      expect(edited.body.data.status).toBe("pending_approval");
      expect(await life.row(id)).toMatchObject({ approved_hash: null, approved_by: null });
    }
  });

  test("is asked again about a failed post that was edited before its retry", async () => {
    const id = await life.insert(held());
    await approveUpload(work(), id, CLIENT);
    await env.DB.prepare(
      "UPDATE uploads SET status = 'failed', status_group = 'failed', due_at = NULL, failed_at = ?, failure_code = 'unknown' WHERE id = ?",
    )
      .bind(Date.now(), id)
      .run();
    await life.call("PATCH", `/upload/${id}`, { title: "Else" });
    const retried = await life.call("POST", `/upload/${id}/retry`);
    expect(retried.body.data.status).toBe("pending_approval");
  });

  test("of another team decides on nothing", async () => {
    const id = await life.insert(held());
    const { teamId } = await createMember();
    const elsewhere = { deps: life.harness.deps, teamId, by: null };
    await expect(approveUpload(elsewhere, id, CLIENT)).rejects.toMatchObject({ status: 404 });
    expect((await life.row(id)).status).toBe("pending_approval");
  });
});

describe("many at once", () => {
  const toldOf = (verdict: Verdict): [number, string | null] => [
    verdict.uploadId,
    "refusal" in verdict ? verdict.refusal.code : verdict.status,
  ];

  test("each has its own answer, in their order, each id once", async () => {
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = await life.insertMany([
      held({ description: "One" }),
      held({ description: "Two", scheduled_for: later(DAY).getTime() }),
      { status: "completed" },
      held({ description: "Four" }),
      held({ description: "One" }),
    ]);
    const posts = [{ id: d, seen: "other" }, { id: c }, { id: 999_999 }, { id: b }, { id: a }];
    const verdicts = await approveUploads(work(), [...posts, { id: e }, { id: a }], CLIENT);
    expect(verdicts.map(toldOf)).toEqual([
      [d, "POST_CHANGED"],
      [c, "NOT_REVIEWABLE"],
      [999_999, "NOT_FOUND"],
      [b, "scheduled"],
      [a, "pending"],
      // The same as another of this call.
      [e, null],
    ]);
    expect(life.harness.sent).toMatchObject([{ message: { uploadId: a } }]);
    expect((await life.events()).map(({ data }) => data.uploadId)).toEqual([b, a]);
    expect(await approveUploads(work(), [], CLIENT)).toEqual([]);
  });

  test("the plan's last places go to the first", async () => {
    const plans = {
      ...DEFAULT_PLANS,
      plans: { ...DEFAULT_PLANS.plans, owner: { ...DEFAULT_PLANS.plans.owner, monthlyPosts: 3 } },
    };
    life = await beginLife(harnessWith({ plans }));
    const ids = await life.insertMany(
      Array.from({ length: 5 }, (_, i) => held({ description: `Post ${i}` })),
    );
    const verdicts = await approveUploads(
      work(),
      ids.map((id) => ({ id })),
      CLIENT,
    );
    expect(verdicts.map((one) => toldOf(one)[1])).toEqual([
      ...["pending", "pending", "pending"],
      ...["PLAN_LIMIT", "PLAN_LIMIT"],
    ]);
  });

  test("drafts are submitted, and what waits already stays", async () => {
    const [a = 0, b = 0, c = 0] = await life.insertMany([
      { status: "draft", description: "One" },
      held({ description: "Two" }),
      { status: "failed" },
    ]);
    expect((await submitUploads(work(), [a, b, c])).map(toldOf)).toEqual([
      [a, "pending_approval"],
      [b, "pending_approval"],
      [c, "NOT_REVIEWABLE"],
    ]);
  });
});
