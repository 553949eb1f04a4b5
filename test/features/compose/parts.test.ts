import { describe, expect, test } from "vitest";
import { splitText } from "../../../src/features/compose/split.ts";
import { type Fields, form } from "../../support/harness.ts";
import { openStage, photo } from "../../support/stage.ts";

const bluesky = () => openStage("bluesky", { person: "ada" });
const list = (...parts: unknown[]) => JSON.stringify(parts);

describe("a long text", () => {
  const atMost = (max: number) => async (piece: string) => piece.length <= max;

  test.each<[what: string, text: string, max: number, pieces: string[] | null]>([
    ["that fits is one piece", "One. Two.", 20, ["One. Two."]],
    [
      "is split at paragraphs first",
      "One. Two.\n\nThree. Four.",
      18,
      ["One. Two.", "Three. Four."],
    ],
    ["is split at sentences", "One is here. Two is there.", 15, ["One is here.", "Two is there."]],
    ["is split at words last", "one two three four", 9, ["one two", "three", "four"]],
    [
      "is never split inside a link",
      "See https://example.com/a?b.c now",
      27,
      ["See", "https://example.com/a?b.c", "now"],
    ],
    ["is not split inside a word", "unbelievable", 5, null],
    ["is not split into too many pieces", "a b c d e f", 1, null],
  ])("%s", async (_, text, max, pieces) => {
    expect(await splitText(text, atMost(max), 5)).toEqual(pieces);
  });

  test("is published as a thread, with marks where they are wanted", async () => {
    const stage = await bluesky();
    const description = Array.from({ length: 90 }, (_, i) => `word${i}`).join(" ");
    const { upload, feed } = await stage.publish({
      description,
      thread: "auto",
      thread_marks: "true",
    });
    const texts = feed.map(({ text }) => text).reverse();
    expect(texts.every((text) => text.length <= 300)).toBe(true);
    expect(texts.map((text) => text.slice(-4))).toEqual([" 1/3", " 2/3", " 3/3"]);
    expect(texts.map((text) => text.slice(0, -4)).join(" ")).toBe(description);
    expect(upload).toMatchObject({ status: "completed", description: texts[0] });
  });
});

describe("what follows a post is refused", () => {
  test.each<[what: string, platform: string, fields: Fields, field: string, message: RegExp]>([
    ["a thread on TikTok", "tiktok", { thread: list("Two") }, "thread", /TikTok has no threads/],
    ["a comment on Pinterest", "pinterest", { first_comment: "Hi" }, "first_comment", /Pinterest/],
    ["no list", "bluesky", { thread: "Two" }, "thread", /JSON array/],
    ["an empty list", "bluesky", { thread: "[]" }, "thread", /JSON array/],
    ["an unknown field", "bluesky", { thread: list({ txt: "Two" }) }, "thread", /JSON array/],
    ["an empty part", "bluesky", { thread: list("Two", " ") }, "thread", /^Part 2: it is empty/],
    [
      "a part that shows nothing",
      "bluesky",
      { thread: list("\u200b\u2060\ufe0f ") },
      "thread",
      /^Part 1: it is empty/,
    ],
    [
      "a post that shows nothing",
      "bluesky",
      { description: "\u200b\u200d", thread: list("Two") },
      "description",
      /^Write a description/,
    ],
    ["a broken part", "bluesky", { thread: '["Two", "\\ud800"]' }, "thread", /^Part 2: .*Unicode/],
    ["a part with NUL", "bluesky", { thread: list("Two\0") }, "thread", /^Part 1: .*Unicode/],
    [
      "a part over its limit",
      "bluesky",
      { thread: list("Two", "a".repeat(301)) },
      "thread",
      /^Part 2: .*300/,
    ],
    [
      "26 parts",
      "bluesky",
      { thread: list(...Array.from({ length: 26 }, (_, i) => `Part ${i}`)) },
      "thread",
      /at most 25 posts/,
    ],
    [
      "a file that the call lacks",
      "bluesky",
      { thread: list({ text: "Two", media: [1] }), photo: photo() },
      "thread",
      /^Part 1: there is no file 1/,
    ],
    [
      "a text without a place to split",
      "bluesky",
      { thread: "auto", description: "a".repeat(400) },
      "thread",
      /cannot be split/,
    ],
    ["wrong marks", "bluesky", { thread: list("Two"), thread_marks: "x" }, "thread_marks", /true/],
    ["marks alone", "bluesky", { thread_marks: "true" }, "thread_marks", /with thread/],
    ["wrong marks alone", "bluesky", { thread_marks: "x" }, "thread_marks", /with thread/],
    [
      "a comment over its limit",
      "bluesky",
      { first_comment: "a".repeat(301) },
      "first_comment",
      /^The first comment: .*300/,
    ],
  ])("%s", async (_, platform, fields, field, message) => {
    const stage = await openStage(platform as "bluesky", { person: "ada" });
    const answer = await stage.send({ description: "One", ...fields });
    expect(answer.status).toBe(400);
    const errors: { field: string; message: string }[] = answer.body.errors;
    const own = errors.filter((error) => error.field === field);
    expect(own).toHaveLength(1);
    expect(own[0]?.message).toMatch(message);
    expect(stage.harness.sent).toEqual([]);
  });
});

test("a batch gives each platform its own thread by overrides", async () => {
  const stage = await bluesky();
  const { token } = stage.member;
  const body = new FormData();
  body.set("accounts", JSON.stringify([stage.accountId]));
  body.set("caption", "One");
  body.set("overrides", JSON.stringify({ bluesky: { thread: ["Two"], first_comment: "Hi" } }));
  const answer = await stage.harness.call("POST", "/upload/bulk", { token, body });
  expect(answer.body.results).toMatchObject([{ success: true }]);
  const upload = await stage.end(answer.body.results[0].uploadId);
  expect(upload.parts).toMatchObject([
    { kind: "post", text: "Two", status: "completed" },
    { kind: "comment", text: "Hi", status: "completed" },
  ]);
});

test.each([
  ["no thread", {}, {}, /^thread_marks: send it with thread/],
  ["no thread, marks that say no", { thread_marks: "false" }, {}, null],
  ["a thread that an override leaves out", { thread: list("Two") }, { thread: null }, null],
  ["a thread in an override", {}, { thread: ["Two"] }, null],
])("marks of a batch with %s", async (_, fields, override, error) => {
  const stage = await bluesky();
  const { token } = stage.member;
  const body = form({
    ...{ accounts: JSON.stringify([stage.accountId]), caption: "One", thread_marks: "true" },
    ...{ overrides: JSON.stringify({ bluesky: override }), ...fields },
  });
  const answer = await stage.harness.call("POST", "/upload/validate", { token, body });
  expect(answer.body.errors).toEqual(
    error ? [expect.objectContaining({ error: expect.stringMatching(error) })] : [],
  );
});

test("a thread takes as many places of the day as it has posts; a comment takes none", async () => {
  const stage = await bluesky();
  await stage.publish({ description: "One", thread: list("Two", "Three"), first_comment: "Hi" });
  const { token } = stage.member;
  const path = `/limits/${stage.accountId}`;
  const answer = await stage.harness.call("GET", path, { token });
  expect(answer.body.data ?? answer.body).toMatchObject({ remaining: 147 });
});

test("a thread is approved as it was read", async () => {
  const stage = await bluesky();
  const { token } = stage.member;
  const { status, body } = await stage.send({
    description: "One",
    thread: list("Two"),
    status: "pending_approval",
  });
  expect(status).toBe(200);
  const id = body.data.uploadId;
  const read = await stage.read(id);
  expect(read.parts).toMatchObject([{ status: "pending_approval", text: "Two" }]);
  const other = await stage.send({
    description: "One more",
    thread: list("Three"),
    status: "pending_approval",
  });
  const otherRead = await stage.read(other.body.data.uploadId);
  expect(read.version).not.toBe(otherRead.version);
  const answer = await stage.harness.call("POST", `/upload/${id}/approve`, {
    token,
    json: { version: read.version },
  });
  expect(answer.status).toBe(200);
  expect(await stage.end(id)).toMatchObject({
    status: "completed",
    parts: [{ status: "completed" }],
  });
});
