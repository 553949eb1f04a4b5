import { expect, test } from "vitest";
import type { PublishJob } from "../../../src/platforms/connector.ts";
import { findComment, type ListedComment } from "../../../src/platforms/kit/comments.ts";

const READY_AT = Date.parse("2026-11-27T09:00:00Z");
const place = { objectId: "1", readyAt: READY_AT };
const post = { title: null, description: "Below  it", media: [], settings: {} };
const LATER = READY_AT + 600_000;
const job = { post, now: () => new Date(LATER) } as unknown as PublishJob;

const listed = (change: Partial<ListedComment> = {}): ListedComment => ({
  id: "c1",
  text: "Below it",
  isOwn: true,
  at: READY_AT + 1_000,
  shareUrl: null,
  ...change,
});

const OLD = READY_AT - 61_000;

test.each<[string, ListedComment[], boolean, string]>([
  ["the account's comment with this text is the one", [listed()], true, "published"],
  ["it is found among others", [listed({ id: "c0", isOwn: false }), listed()], true, "published"],
  ["two like it leave open which is the one", [listed(), listed({ id: "c2" })], true, "unknowable"],
  ["another text of the account may be the one", [listed({ text: "Other" })], true, "unknowable"],
  ["a comment without author may be the one", [listed({ isOwn: null })], true, "unknowable"],
  ["this text by a renamed account may be the one", [listed({ isOwn: false })], true, "unknowable"],
  ["a comment without date counts as new", [listed({ at: Number.NaN })], true, "published"],
  ["an older comment is not the one", [listed({ at: OLD })], true, "absent"],
  [
    "other people's comments are not the one",
    [listed({ isOwn: false, text: "Hi" })],
    true,
    "absent",
  ],
  ["an empty list has none", [], true, "absent"],
  ["a list without an end tells nothing", [], false, "unknowable"],
])("%s", (_name, comments, isWhole, kind) => {
  expect(findComment(job, place, { comments, isWhole }).kind).toBe(kind);
});

test.each<[string, Partial<PublishJob>, boolean]>([
  ["early", { now: () => new Date(LATER - 1_000) }, true],
  ["early in a list without an end", { now: () => new Date(LATER - 1_000) }, false],
  ["after another call", { submittedAt: new Date(READY_AT + 1_000) }, true],
])("a list that lacks the comment proves nothing %s", (_name, change, isWhole) => {
  const lists = { comments: [], isWhole };
  expect(() => findComment({ ...job, ...change }, place, lists)).toThrow(/may still lack/);
  expect(
    findComment({ ...job, ...change }, place, { comments: [listed()], isWhole }),
  ).toMatchObject({
    kind: "published",
  });
});
