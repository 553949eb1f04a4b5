import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { contentHash } from "../../../src/features/content/version.ts";
import { claimUpload } from "../../../src/features/publishing/claim.ts";
import { createMember } from "../../support/harness.ts";
import { beginLife, type Columns, type Life, lag, later, mediaOf } from "../../support/life.ts";

const DAY = 86_400;
/** The posts are on Bluesky, which shows no title. */
const TITLE_WARNING = ["Bluesky: The title, which is for the team alone, is not published."];
let life: Life;
beforeEach(async () => {
  life = await beginLife();
});

const edit = (id: number | string, json: unknown, token?: string) =>
  life.call("PATCH", `/upload/${id}`, json, token);
const planned = (seconds = DAY): Columns => ({
  status: "scheduled",
  scheduled_for: later(seconds).getTime(),
});
const hashOf = async (id: number) => {
  const row = await life.row(id);
  return contentHash({
    accountId: row.account_id,
    title: row.title,
    description: row.description,
    settings: JSON.parse(row.settings),
    media: JSON.parse(row.media),
    parts: null,
  });
};

describe("by status", () => {
  test.each(["draft", "pending_approval", "scheduled", "pending", "failed"])(
    "the text of a post that is %s is edited, and it stays so",
    async (status) => {
      const id = await life.insert(status === "scheduled" ? planned() : { status });
      const before = await life.row(id);
      const answer = await edit(id, { title: " New title", description: "New text" });
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
      const scheduledFor = status === "scheduled" ? later(DAY).toISOString() : null;
      const data = { id, title: " New title", status, scheduledFor, warnings: TITLE_WARNING };
      expect(answer.body.data).toEqual({ ...data, version: expect.any(String) });
      expect(await life.row(id)).toEqual({
        ...before,
        title: " New title",
        description: "New text",
        text_digest: expect.stringContaining("hash"),
      });
      expect(life.harness.sent).toEqual([]);
      expect(await life.events()).toEqual([]);
    },
  );

  test.each(["processing", "completed"])("a post that is %s is locked", async (status) => {
    const id = await life.insert({ status });
    const before = await life.row(id);
    for (const json of [{ title: "New" }, { scheduledFor: later(DAY) }, { status }, {}]) {
      expect(await edit(id, json)).toMatchObject({ status: 409, body: { code: "UPLOAD_LOCKED" } });
    }
    expect(await life.row(id)).toEqual(before);
  });

  test.each(["draft", "pending_approval", "scheduled", "pending", "failed", "completed"])(
    "no other status is taken of a post that is %s",
    async (status) => {
      const id = await life.insert(status === "scheduled" ? planned() : { status });
      const before = await life.row(id);
      const all = ["draft", "pending_approval", "scheduled", "pending", "processing", "failed"];
      for (const other of [...all, "completed", "cancelled", ""].filter((s) => s !== status)) {
        expect(await edit(id, { status: other, title: "New" })).toMatchObject({
          status: 400,
          body: { success: false, code: "USE_APPROVAL_ACTIONS" },
        });
      }
      expect(await life.row(id)).toEqual(before);
    },
  );

  test("the status that a post has may be sent along", async () => {
    const id = await life.insert({ status: "draft" });
    expect(await edit(id, { status: "draft", title: "New" })).toMatchObject({ status: 200 });
    expect(await life.row(id)).toMatchObject({ title: "New" });
  });

  test("fields that are left out stay, blank text is no text, and nothing at all is no change", async () => {
    const id = await life.insert({ status: "draft" });
    await edit(id, { description: "Only this" });
    expect(await life.row(id)).toMatchObject({ title: "Old title", description: "Only this" });
    await edit(id, { title: "  " });
    expect(await life.row(id)).toMatchObject({ title: null, description: "Only this" });
    await edit(id, { title: "T", description: null });
    expect(await life.row(id)).toMatchObject({ title: "T", description: null });
    const before = await life.row(id);
    expect(await edit(id, {})).toMatchObject({ status: 200, body: { data: { title: "T" } } });
    expect(await life.row(id)).toEqual(before);
  });

  test("what was prepared with the old text is not gone on with", async () => {
    const waiting = { backoffs: 1, bookmark: '{"container":"1"}', due_at: later(30).getTime() };
    const id = await life.insert(waiting);
    await edit(id, { title: "New" });
    expect(await life.row(id)).toMatchObject({
      status: "pending",
      bookmark: null,
      backoffs: 1,
      due_at: later(30).getTime(),
    });
  });
});

describe("the date", () => {
  test.each(["draft", "pending_approval"])("of a post that is %s is planned", async (status) => {
    const id = await life.insert({ status });
    const answer = await edit(id, { scheduledFor: "2026-12-24T12:00:00+02:00" });
    const at = Date.parse("2026-12-24T10:00:00Z");
    expect(answer.body.data).toEqual({
      id,
      title: "Old title",
      status,
      scheduledFor: "2026-12-24T10:00:00.000Z",
      warnings: TITLE_WARNING,
      version: expect.any(String),
    });
    expect(await life.row(id)).toMatchObject({ scheduled_for: at, sort_at: at, due_at: null });
  });

  test("of a scheduled post is moved", async () => {
    const id = await life.insert({ ...planned(60), woken_at: later(60).getTime() });
    const at = later(2 * DAY);
    expect((await edit(id, { scheduledFor: at })).status).toBe(200);
    expect(await life.row(id)).toMatchObject({
      status: "scheduled",
      scheduled_for: at.getTime(),
      sort_at: at.getTime(),
      due_at: at.getTime(),
      woken_at: null,
    });
    expect(life.harness.sent).toEqual([]);
    await life.harness.consume([{ kind: "publish", uploadId: id }]);
    life.harness.advance(61);
    await life.harness.consume([{ kind: "publish", uploadId: id }]);
    expect(await life.row(id)).toMatchObject({ status: "scheduled" });
    life.harness.advance(2 * DAY - 61 - 30);
    await life.harness.tick();
    const own = life.harness.sent.filter(({ message }) => message.uploadId === id);
    expect(own).toMatchObject([{ at: at.getTime() }]);
  });

  test.each([1, 74, 75])("that is %i seconds away wakes the post by itself", async (seconds) => {
    const id = await life.insert(planned());
    const at = later(seconds);
    await edit(id, { scheduledFor: at });
    await life.harness.settle();
    expect(life.harness.sent).toMatchObject([{ message: { uploadId: id }, at: at.getTime() }]);
    expect(await life.row(id)).toMatchObject({ woken_at: at.getTime(), due_at: at.getTime() });
    await life.harness.tick();
    const own = life.harness.sent.filter(({ message }) => message.uploadId === id);
    expect(own).toHaveLength(1);
    await life.harness.drain();
    expect(await life.row(id)).toMatchObject({ status: "completed", uploaded_at: at.getTime() });
  });

  test("that is 76 seconds away is left to the tick", async () => {
    const id = await life.insert(planned());
    await edit(id, { scheduledFor: later(76) });
    await life.harness.settle();
    expect(life.harness.sent).toEqual([]);
    expect(await life.row(id)).toMatchObject({ woken_at: null });
  });

  test("makes a pending post scheduled, and says so once", async () => {
    const id = await life.insert({ backoffs: 2, error_message: "It broke." });
    const at = later(DAY);
    expect(await edit(id, { scheduledFor: at })).toMatchObject({
      body: { data: { status: "scheduled", scheduledFor: at.toISOString() } },
    });
    expect(await life.row(id)).toMatchObject({
      status: "scheduled",
      status_group: "scheduled",
      due_at: at.getTime(),
      sort_at: at.getTime(),
      woken_at: null,
      backoffs: 0,
      error_message: null,
    });
    expect(await life.events()).toEqual([
      {
        name: "upload.scheduled",
        data: {
          uploadId: id,
          platform: "bluesky",
          accountId: life.accountId,
          scheduledFor: at.toISOString(),
        },
      },
    ]);
  });

  test("of a failed post cannot be edited, its text can", async () => {
    const id = await life.insert({ status: "failed" });
    const answer = await edit(id, { scheduledFor: later(DAY), title: "New" });
    expect(answer).toMatchObject({ status: 409, body: { code: "UPLOAD_LOCKED" } });
    expect(answer.body.error).toContain("date");
    expect(await life.row(id)).toMatchObject({ title: "Old title", scheduled_for: null });
  });

  test("that a post had already is no new one, though it has passed", async () => {
    const at = later(-5);
    const id = await life.insert({ status: "draft", scheduled_for: at.getTime() });
    expect((await edit(id, { scheduledFor: at, title: "New" })).status).toBe(200);
  });
});

describe("what was approved", () => {
  const approved = async (status: string): Promise<number> => {
    const id = await life.insert(status === "scheduled" ? planned() : { status });
    await env.DB.prepare("UPDATE uploads SET approved_hash = ? WHERE id = ?")
      .bind(await hashOf(id), id)
      .run();
    return id;
  };

  test.each(["scheduled", "pending", "failed"])(
    "is what an owner or admin made of a post that is %s",
    async (status) => {
      for (const token of [undefined, await life.colleague("ADMIN")]) {
        const id = await approved(status);
        expect((await edit(id, { title: "New" }, token)).status).toBe(200);
        const row = await life.row(id);
        expect(row).toMatchObject({ status, title: "New" });
        expect(row.approved_hash).toBe(await hashOf(id));
      }
    },
  );

  test("stays approved when its date is moved", async () => {
    const id = await approved("scheduled");
    await edit(id, { scheduledFor: later(2 * DAY) });
    expect((await life.row(id)).approved_hash).toBe(await hashOf(id));
  });

  test.each([
    ["a member", "MEMBER", ["*"]],
    ["an owner's token without posts:publish", "OWNER", ["posts:write"]],
    ["an admin's token without posts:publish", "ADMIN", ["posts:write"]],
  ] as const)("is to be approved again after an edit by %s", async (_, role, scopes) => {
    const token = await life.colleague(role, [...scopes]);
    for (const status of ["scheduled", "pending"]) {
      for (const json of [{ title: "New" }, { scheduledFor: later(10) }]) {
        const id = await approved(status);
        const answer = await edit(id, json, token);
        expect(answer.body.data).toMatchObject({ id, status: "pending_approval" });
        expect(await life.row(id)).toMatchObject({
          status: "pending_approval",
          status_group: "pending_approval",
          approved_hash: null,
          due_at: null,
          woken_at: null,
        });
        await life.harness.consume([{ kind: "publish", uploadId: id }]);
        expect(await life.row(id)).toMatchObject({ status: "pending_approval", fence: 0 });
      }
    }
    expect(life.harness.sent).toEqual([]);
    expect(await life.events()).toEqual([]);
  });

  test("an edit that changes nothing takes no approval away", async () => {
    const id = await approved("scheduled");
    const before = await life.row(id);
    const token = await life.colleague("MEMBER");
    expect((await edit(id, { title: "Old title" }, token)).status).toBe(200);
    expect(await life.row(id)).toEqual(before);
  });

  test.each([true, false])(
    "a failed post edited by who may not approve is held at its retry (approved: %j)",
    async (isApproved) => {
      const id = isApproved ? await approved("failed") : await life.insert({ status: "failed" });
      const token = await life.colleague("MEMBER", ["posts:write"]);
      expect((await edit(id, { title: "Smuggled" }, token)).status).toBe(200);
      expect(await life.row(id)).toMatchObject({ status: "failed", title: "Smuggled" });
      const retried = await life.call("POST", `/upload/${id}/retry`);
      expect(retried.body.data).toEqual({ uploadId: id, status: "pending_approval" });
      expect(await life.row(id)).toMatchObject({ status: "pending_approval", due_at: null });
    },
  );
});

describe("is refused", () => {
  test.each<[string, unknown, string[]]>([
    ["a naive date", { scheduledFor: "2026-12-24T10:00:00" }, ["scheduledFor"]],
    ["a day", { scheduledFor: "2026-12-24" }, ["scheduledFor"]],
    ["a day that is none", { scheduledFor: "2027-02-30T10:00:00Z" }, ["scheduledFor"]],
    ["a number as date", { scheduledFor: 1_800_000_000 }, ["scheduledFor"]],
    ["no date", { scheduledFor: null }, ["scheduledFor"]],
    ["a date that has passed", { scheduledFor: "2026-12-01T08:59:59Z" }, ["scheduledFor"]],
    ["this moment", { scheduledFor: "2026-12-01T09:00:00Z" }, ["scheduledFor"]],
    ["a date beyond 6 months", { scheduledFor: "2027-06-01T09:00:01Z" }, ["scheduledFor"]],
    ["a title that is a number", { title: 1 }, ["title"]],
    ["a description that is a list", { description: ["a"] }, ["description"]],
    ["a status that is a number", { status: 1 }, ["status"]],
    ["an unknown field", { titel: "New" }, ["titel"]],
    ["a field that is not the caller's", { approvedHash: "x" }, ["approvedHash"]],
    ["half a surrogate pair", { title: "\ud800" }, ["title"]],
    ["a zero character", { description: "a\0b" }, ["description"]],
    ["301 graphemes", { description: "x".repeat(301) }, ["description"]],
    ["3,001 bytes", { description: "👨‍👩‍👧‍👦".repeat(121) }, ["description"]],
    ["no text at all", { title: "", description: "" }, ["description"]],
    [
      "all of it at once",
      { description: "x".repeat(301), scheduledFor: "2026-11-01T00:00:00Z" },
      ["description", "scheduledFor"],
    ],
    ["a list", [], []],
    ["a string", '"text"', []],
  ])("%s", async (_, json, fields) => {
    const id = await life.insert({ status: "draft" });
    const before = await life.row(id);
    const answer = await edit(id, json);
    expect(answer).toMatchObject({ status: 400, body: { success: false } });
    const refused = (answer.body.errors ?? []).map(({ field }: { field: string }) => field);
    expect([...new Set(refused)].filter(Boolean).sort()).toEqual(fields);
    expect(await life.row(id)).toEqual(before);
  });

  test("the date by its name in a form, and says what it is called here", async () => {
    const id = await life.insert({ status: "draft" });
    const { body } = await edit(id, { schedule_date: "2026-12-25T10:00:00Z" });
    const message =
      "schedule_date: cannot be edited; send title, description, media, thread, thread_marks, first_comment, scheduledFor, status";
    expect(body.errors).toEqual([{ field: "schedule_date", message }]);
  });

  test("a body that is no JSON, or none by its type", async () => {
    const id = await life.insert({ status: "draft" });
    expect(await edit(id, "{")).toMatchObject({ status: 400, body: { code: "INVALID_JSON" } });
    const { token } = life.member;
    const form = { token, body: "title=New" };
    expect((await life.harness.call("PATCH", `/upload/${id}`, form)).status).toBe(415);
  });

  test("more than 20 mentions, and a word of the blocklist; of a draft neither", async () => {
    await env.DB.prepare(`UPDATE teams SET blocklist = '["casino"]' WHERE id = ?`)
      .bind(life.member.teamId)
      .run();
    const mentions = Array.from({ length: 21 }, (_, i) => `@a${i}`).join(" ");
    for (const [description, type] of [
      ["Our CASINO", "unsafe_content"],
      [mentions, "mention_spam"],
    ]) {
      const id = await life.insert(planned());
      const answer = await edit(id, { description });
      expect(answer).toMatchObject({ status: 400, body: { violations: [{ type }] } });
      expect(answer.body.message).toBe(answer.body.error);
      const draft = await life.insert({ status: "draft" });
      expect((await edit(draft, { description })).status).toBe(200);
    }
  });

  test("a hashtag that the platform does not show, of a draft too", async () => {
    life = await beginLife(undefined, "instagram");
    const [hash = ""] = await life.storeFiles(1);
    for (const columns of [planned(), { status: "draft" }]) {
      const id = await life.insert({ ...columns, media: mediaOf(hash) });
      expect(await edit(id, { title: "Words #ProAnorexia" })).toMatchObject({
        status: 400,
        body: { errors: [{ field: "title", message: expect.stringContaining("#") }] },
      });
      expect((await edit(id, { title: "Words" })).status).toBe(200);
    }
  });

  test.each(["abc", "0", "999999999", "1e3"])("the id %s, as not found", async (id) => {
    expect(await edit(id, { title: "New" })).toMatchObject({
      status: 404,
      body: { code: "NOT_FOUND" },
    });
  });

  test("a post of another team, and a removed one, as not found", async () => {
    const id = await life.insert({ status: "draft" });
    const stranger = await createMember();
    expect((await edit(id, { title: "New" }, stranger.token)).status).toBe(404);
    const removed = await life.insert({ status: "draft", deleted_at: Date.now() });
    expect((await edit(removed, { title: "New" })).status).toBe(404);
    expect(await life.row(id)).toMatchObject({ title: "Old title" });
  });

  test("a token that may only read", async () => {
    const id = await life.insert({ status: "draft" });
    const token = await life.colleague("OWNER", ["posts:read"]);
    expect(await edit(id, { title: "New" }, token)).toMatchObject({
      status: 403,
      body: { requiredScope: "posts:write" },
    });
  });
});

describe("the platform's own check", () => {
  test("knows the stored files and settings: an image needs no text", async () => {
    const [sha = ""] = await life.storeFiles(1);
    const id = await life.insert({ status: "draft", media: mediaOf(sha) });
    expect((await edit(id, { title: "", description: "" })).status).toBe(200);
  });

  test("does not guess what is behind a URL", async () => {
    const media = JSON.stringify([{ url: "https://cdn.example.com/a" }]);
    const id = await life.insert({ status: "draft", media });
    expect((await edit(id, { title: "", description: "" })).status).toBe(200);
    const long = await edit(id, { description: "x".repeat(301) });
    expect(long).toMatchObject({ status: 400, body: { errors: [{ field: "description" }] } });
  });

  test("is that of the post's platform", async () => {
    const onX = await beginLife(undefined, "x");
    const id = await onX.insert({ status: "draft" });
    const answer = await onX.call("PATCH", `/upload/${id}`, { title: "x".repeat(281) });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "title" }] } });
  });
});

test("of 50 edits that race with the publishing claim, each is in what is published or is refused", async () => {
  const [first = 0, ...ids] = await life.insertMany(Array.from({ length: 51 }, () => ({})));
  // The first edit loads modules, so that the others are as fast as the claims.
  await edit(first, { title: "New" });
  const outcomes = await Promise.all(
    ids.map(async (id, i) => {
      const [answer, outcome] = await Promise.all([
        edit(id, { title: "New" }),
        lag(i % 12).then(() => claimUpload(life.harness.deps, id)),
      ]);
      if (outcome.kind !== "claimed") throw new Error(outcome.kind);
      const row = await life.row(id);
      expect(row.status).toBe("processing");
      expect(row.title).toBe(outcome.claim.upload.title);
      expect([answer.status, row.title]).toEqual(
        answer.status === 200 ? [200, "New"] : [409, "Old title"],
      );
      if (answer.status === 409) expect(answer.body.code).toBe("UPLOAD_LOCKED");
      return answer.status;
    }),
  );
  // Which of the two is faster depends on the machine.
  expect([200, 409]).toEqual(expect.arrayContaining([...new Set(outcomes)]));
});

test("of two edits at the same moment, none is half in: one wins or both follow each other", async () => {
  const ids = await life.insertMany(Array.from({ length: 50 }, () => ({ status: "draft" })));
  await Promise.all(
    ids.map(async (id) => {
      const answers = await Promise.all([
        edit(id, { title: "A", description: "A" }),
        edit(id, { title: "B", description: "B" }),
      ]);
      const row = await life.row(id);
      expect(row.title).toBe(row.description);
      expect(answers.map(({ status }) => status)).toContain(200);
      for (const { status } of answers) expect([200, 409]).toContain(status);
    }),
  );
});
