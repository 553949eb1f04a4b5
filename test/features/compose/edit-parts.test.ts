import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { contentHash } from "../../../src/features/content/version.ts";
import { createMember, createToken, type Fields, joinTeam } from "../../support/harness.ts";
import { openStage, photo, type Stage } from "../../support/stage.ts";

const TOMORROW = () => new Date(Date.now() + 86_400_000).toISOString();

async function planned(fields: Fields = {}, platform: Parameters<typeof openStage>[0] = "bluesky") {
  const stage = await openStage(platform, { person: "ada" });
  const id = await stage.post({ description: "One", schedule_date: TOMORROW(), ...fields });
  return { stage, id, edit: edit(stage, id), row: row(id) };
}

const edit =
  ({ harness, member }: Stage, id: number) =>
  (json: object, token = member.token) =>
    harness.call("PATCH", `/upload/${id}`, { token, json });

const row = (id: number) => () =>
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the row holds
  env.DB.prepare("SELECT * FROM uploads WHERE id = ?").bind(id).first<any>();

async function textsOf({ read }: Stage, id: number): Promise<string[]> {
  const { description, title, parts = [] } = await read(id);
  const texts = parts.map(({ kind, text }: { kind: string; text: string }) => `${kind}: ${text}`);
  return [title ?? description, ...texts];
}

const list = (...parts: unknown[]) => JSON.stringify(parts);

describe("an edit", () => {
  test.each<[what: string, before: Fields, json: object, after: string[]]>([
    [
      "adds a thread",
      {},
      { thread: ["Two", { text: "Three" }] },
      ["One", "post: Two", "post: Three"],
    ],
    ["takes a thread as text too", {}, { thread: list("Two") }, ["One", "post: Two"]],
    ["adds a first comment", {}, { first_comment: "Hi" }, ["One", "comment: Hi"]],
    [
      "keeps the thread that it leaves out",
      { thread: list("Two", "Three") },
      { first_comment: "Hi" },
      ["One", "post: Two", "post: Three", "comment: Hi"],
    ],
    [
      "keeps the comment that it leaves out",
      { first_comment: "Hi" },
      { thread: ["Two"] },
      ["One", "post: Two", "comment: Hi"],
    ],
    [
      "keeps both when it changes the text",
      { thread: list("Two"), first_comment: "Hi" },
      { description: "New" },
      ["New", "post: Two", "comment: Hi"],
    ],
    ["takes a thread off", { thread: list("Two") }, { thread: null }, ["One"]],
    ["takes a thread off by an empty list", { thread: list("Two") }, { thread: [] }, ["One"]],
    ["takes a comment off", { first_comment: "Hi" }, { first_comment: "" }, ["One"]],
    [
      "numbers a thread",
      {},
      { thread: ["Two", "Three"], thread_marks: true },
      ["One 1/3", "post: Two 2/3", "post: Three 3/3"],
    ],
    [
      "numbers a thread anew",
      { thread: list("Two"), thread_marks: "true" },
      { thread: ["Two", "Three"], thread_marks: true },
      ["One 1/3", "post: Two 2/3", "post: Three 3/3"],
    ],
    [
      "takes the number off with the thread",
      { thread: list("Two"), thread_marks: "true" },
      { thread: null },
      ["One"],
    ],
    [
      "splits a text",
      {},
      { description: `${"a".repeat(290)}.\n\n${"b".repeat(100)}.`, thread: "auto" },
      [`${"a".repeat(290)}.`, `post: ${"b".repeat(100)}.`],
    ],
  ])("%s", async (_, before, json, after) => {
    const { stage, id, edit } = await planned(before);
    const answer = await edit(json);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
    expect(await textsOf(stage, id)).toEqual(after);
    stage.harness.advance(86_400);
    const upload = await stage.end(id);
    expect(upload.status).toBe("completed");
    const shown = (await stage.feed()).map(({ text }) => text).reverse();
    expect(shown).toEqual(after.map((text) => text.replace(/^(?:post|comment): /, "")));
  });

  test("counts the posts of the thread, and changes version, digest and approval with it", async () => {
    const { stage, id, edit, row } = await planned();
    const [before, { version }] = [await row(), await stage.read(id)];
    const answer = await edit({ thread: ["Two", "Three"], first_comment: "Hi" });
    const after = await row();
    expect(answer.body.data.version).not.toBe(version);
    expect((await stage.read(id)).version).toBe(answer.body.data.version);
    expect([before.posts, after.posts]).toEqual([1, 3]);
    expect(JSON.parse(after.text_digest).hash).not.toBe(JSON.parse(before.text_digest).hash);
    await edit({ thread: null, first_comment: null });
    expect(await row()).toEqual({ ...before, title: null });
  });

  test("gives files of the post to its thread, by their numbers", async () => {
    const { stage, id, edit } = await planned({ photo: [photo(), photo()] });
    await edit({ thread: [{ text: "Two", media: [1] }] });
    await edit({ first_comment: "Hi" });
    stage.harness.advance(86_400);
    await stage.end(id);
    const feed = (await stage.feed()).reverse();
    expect(feed.map(({ text, media }) => [text, media.length])).toEqual([
      ["One", 1],
      ["Two", 1],
      ["Hi", 0],
    ]);
  });

  test.each<[what: string, json: object, shown: [text: string, files: number][]]>([
    ["off", { thread: null }, [["One", 2]]],
    [
      "without files",
      { thread: ["Three"] },
      [
        ["One", 2],
        ["Three", 0],
      ],
    ],
  ])("gives files back to the post when the thread is taken %s", async (_, json, shown) => {
    const { stage, id, edit } = await planned({ photo: [photo(), photo()] });
    await edit({ thread: [{ text: "Two", media: [1] }] });
    await edit(json);
    stage.harness.advance(86_400);
    await stage.end(id);
    const feed = (await stage.feed()).reverse();
    expect(feed.map(({ text, media }) => [text, media.length])).toEqual(shown);
  });
});

describe("an edit is refused, and nothing changes, with", () => {
  test.each<
    [what: string, platform: string, before: Fields, json: object, field: string, says: RegExp]
  >([
    [
      "a thread on TikTok",
      "instagram",
      { photo: photo() },
      { thread: ["Two"] },
      "thread",
      /no threads/,
    ],
    ["an empty part", "bluesky", {}, { thread: ["Two", " "] }, "thread", /^Part 2: it is empty/],
    ["a long part", "bluesky", {}, { thread: ["a".repeat(301)] }, "thread", /^Part 1: .*300/],
    ["an item that is no post", "bluesky", {}, { thread: [1] }, "thread", /JSON array/],
    ["26 parts", "bluesky", {}, { thread: Array(26).fill("Two") }, "thread", /at most 25/],
    [
      "a file that it lacks",
      "bluesky",
      {},
      { thread: [{ text: "", media: [0] }] },
      "thread",
      /no file 0/,
    ],
    ["a long comment", "bluesky", {}, { first_comment: "a".repeat(301) }, "first_comment", /300/],
    ["marks alone", "bluesky", {}, { thread_marks: true }, "thread_marks", /with thread/],
    ["wrong marks", "bluesky", {}, { thread: ["Two"], thread_marks: "x" }, "thread_marks", /true/],
    [
      "auto of a thread whose text is not sent",
      "bluesky",
      { thread: list("Two") },
      { thread: "auto" },
      "thread",
      /whole text/,
    ],
    ["a number", "bluesky", {}, { thread: 5 }, "thread", /array/],
  ])("%s", async (_, platform, before, json, field, says) => {
    const { edit, row } = await planned(before, platform as "bluesky");
    const old = await row();
    const answer = await edit(json);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.any(String)]);
    const own = answer.body.errors.find((error: { field: string }) => error.field === field);
    expect(own?.message).toMatch(says);
    expect(await row()).toEqual(old);
  });

  test("a word of a part that is on the blocklist", async () => {
    const { stage, edit } = await planned();
    await env.DB.prepare(`UPDATE teams SET blocklist = '["verboten"]' WHERE id = ?`)
      .bind(stage.member.teamId)
      .run();
    const answer = await edit({ thread: ["verboten"] });
    expect(answer).toMatchObject({
      status: 400,
      body: { violations: [{ type: "unsafe_content" }] },
    });
  });
});

test("a member's edit of a part sends the post back, and an approved part is what goes out", async () => {
  const { stage, id, edit, row } = await planned({
    thread: list("Two"),
    status: "pending_approval",
  });
  const approve = () =>
    stage.harness.call("POST", `/upload/${id}/approve`, { token: stage.member.token, json: {} });
  expect((await approve()).status).toBe(200);
  const { userId } = await createMember();
  await joinTeam(stage.member.teamId, userId, "MEMBER");
  const token = await createToken(userId, { teamId: stage.member.teamId });
  const held = await edit({ thread: ["Changed"] }, token);
  expect(held.body.data.status).toBe("pending_approval");
  expect(await row()).toMatchObject({ approved_hash: null });
  expect((await edit({ first_comment: "More" }, token)).status).toBe(200);
  const unread = await approve();
  expect(unread.status === 200 || unread.body.code === "VERSION_REQUIRED").toBe(true);
  const { version } = await stage.read(id);
  await stage.harness.call("POST", `/upload/${id}/approve`, {
    token: stage.member.token,
    json: { version },
  });
  const stored = await row();
  const content = { ...stored, accountId: stored.account_id };
  for (const name of ["settings", "media", "parts"]) content[name] = JSON.parse(stored[name]);
  expect(stored.approved_hash).toBe(await contentHash(content));
});

test("of edits at once, each keeps what the other did or is told that the post has changed", async () => {
  const { stage, id, edit } = await planned();
  const answers = await Promise.all(
    ["Two", "Three", "Four", "Five"].map((text) => edit({ thread: [text] })),
  );
  const taken = answers.filter(({ status }) => status === 200);
  expect(taken.length).toBeGreaterThanOrEqual(1);
  for (const { status, body } of answers) {
    if (status !== 200) expect([status, body.code]).toEqual([409, "UPLOAD_LOCKED"]);
  }
  const versions = taken.map(({ body }) => body.data.version);
  expect(versions).toContain((await stage.read(id)).version);
});

test("the parts of a published post are not edited", async () => {
  const stage = await openStage("bluesky", { person: "ada" });
  const { upload } = await stage.publish({ description: "One", thread: list("Two") });
  const answer = await edit(stage, upload.id)({ thread: ["New"] });
  expect(answer).toMatchObject({ status: 409, body: { code: "UPLOAD_LOCKED" } });
});

test("marks make no warning about a title that is the text", async () => {
  const same = { title: "One", description: "One", thread: list("Two") };
  const stage = await openStage("bluesky", { person: "ada" });
  const warningsOf = async (fields: Fields) => (await stage.send(fields)).body.data.warnings;
  expect(await warningsOf({ ...same, thread_marks: "true" })).toBeUndefined();
});

describe("a part that is not out", () => {
  const FLAGGED = "Three [sandbox:content_flagged]";

  async function stopped(fields: Fields = {}, platform: "bluesky" | "x" = "bluesky") {
    const stage = await openStage(platform, { person: "ada" });
    const thread = list("Two", FLAGGED, "Four");
    const { upload } = await stage.publish({ description: "One", thread, ...fields });
    expect(upload.parts.map(({ status }: { status: string }) => status)).toEqual([
      ...["completed", "failed", "failed"],
      ...(fields.first_comment === undefined ? [] : ["failed"]),
    ]);
    const { id } = upload;
    const retry = (token = stage.member.token) =>
      stage.harness.call("POST", `/upload/${id}/retry`, { token, json: {} });
    return { stage, id, edit: edit(stage, id), retry, row: row(id) };
  }

  test("gets another text, and a retry sends it without force", async () => {
    const { stage, id, edit, retry } = await stopped({ first_comment: "Hi" });
    expect((await retry()).body.code).toBe("NOT_RETRYABLE");
    const answer = await edit({ thread: ["Two", "Three", "Four"], first_comment: "Hello" });
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 });
    const { version, parts } = await stage.read(id);
    expect(version).toBe(answer.body.data.version);
    expect(parts[1]).toMatchObject({ status: "failed", text: "Three", failure: null });
    expect((await retry()).status).toBe(200);
    expect(await stage.end(id)).toMatchObject({ status: "completed" });
    const feed = (await stage.feed()).reverse();
    expect(feed.map(({ text }) => text)).toEqual(["One", "Two", "Three", "Four", "Hello"]);
    expect(feed.every(({ received }) => received === 1)).toBe(true);
    expect((await edit({ thread: ["Two", "3", "4"] })).body.code).toBe("UPLOAD_LOCKED");
  });

  test.each<[what: string, json: object, status: number, message: RegExp]>([
    ["a part that is out", { thread: ["2", "Three", "Four"] }, 409, /^Part 1 is out/],
    ["fewer parts", { thread: ["Two", "Three"] }, 409, /texts of all 3 parts/],
    ["no thread", { thread: null }, 409, /texts of all 3 parts/],
    ["auto", { thread: "auto" }, 409, /texts of all 3 parts/],
    ["files", { thread: ["Two", { text: "3", media: [0] }, "4"] }, 409, /texts of all 3 parts/],
    ["a comment that was none", { first_comment: "Hi" }, 409, /gets none any more/],
    [
      "the text of the post too",
      { description: "1", thread: ["Two", "Three", "Four"] },
      409,
      /description cannot be changed with its parts/,
    ],
    [
      "marks",
      { thread: ["Two", "Three", "Four"], thread_marks: true },
      409,
      /thread_marks cannot be changed/,
    ],
    ["an empty part", { thread: ["Two", " ", "Four"] }, 400, /Part 2: it is empty/],
    ["a long part", { thread: ["Two", "Three", "x".repeat(301)] }, 400, /Part 3: .*300 characters/],
  ])("is refused with %s, and nothing changes", async (_, json, status, message) => {
    const { edit, row } = await stopped();
    const before = await row();
    const answer = await edit(json);
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringMatching(message)]);
    expect(await row()).toEqual(before);
  });

  test("is not changed by a member of a post that an owner approved, nor where a client did", async () => {
    const { stage, id, edit } = await stopped();
    const { userId } = await createMember();
    await joinTeam(stage.member.teamId, userId, "MEMBER");
    const token = await createToken(userId, { teamId: stage.member.teamId });
    const json = { thread: ["Two", "Three", "Four"] };
    expect((await edit(json, token)).status).toBe(403);
    await env.DB.prepare(
      "UPDATE uploads SET approved_hash = 'a', approved_by = 'client' WHERE id = ?",
    )
      .bind(id)
      .run();
    expect((await edit(json)).body.error).toMatch(/A client approved the post/);
  });

  test("is approved by the edit of an owner, as it then is", async () => {
    const { stage, id, edit, row } = await stopped();
    await env.DB.prepare(
      "UPDATE uploads SET approved_hash = 'a', approved_by = 'team' WHERE id = ?",
    )
      .bind(id)
      .run();
    expect((await edit({ thread: ["Two", "Three", "Four"] })).status).toBe(200);
    const { account_id: accountId, approved_hash, ...rest } = await row();
    const [settings, media, parts] = [rest.settings, rest.media, rest.parts].map((json) =>
      JSON.parse(json),
    );
    const { title, description } = rest;
    const content = { accountId, title, description, settings, media, parts };
    expect(approved_hash).toBe(await contentHash(content));
    expect((await stage.read(id)).status).toBe("completed");
  });

  test("takes no link on X that nothing was paid for", async () => {
    const { edit, row } = await stopped({}, "x");
    const before = await row();
    const { body } = await edit({ thread: ["Two", "See https://example.com", "Four"] });
    expect(body.error).toMatch(/costs 18 X credits, and 4 were taken/);
    expect(await row()).toEqual(before);
  });
});
