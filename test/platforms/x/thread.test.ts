import { describe, expect, test } from "vitest";
import { count, dieBefore, mp4, openStage, photo, type Wrap } from "../../support/stage.ts";
import { LOOK, POST, x } from "./row.ts";

const onStage = () => openStage("x", x);

const FOLLOWING = ["Second", "Third", "Fourth", "Fifth"];
/** Newest first. */
const TEXTS = ["A remark", "Fifth", "Fourth", "Third", "Second", "First"];

const fields = (third = "Third") => ({
  title: "First",
  photo: [photo(), photo(), photo()],
  video: mp4(),
  thread: JSON.stringify([
    { text: "Second", media: [1, 2] },
    { text: third, media: [3] },
    "Fourth",
    "Fifth",
  ]),
  first_comment: "A remark",
  x_made_with_ai: "true",
  x_reply_settings: "following",
});

/** Answers the nth call that makes a post, whether or not it took effect. */
function atPost(nth: number, reply: (answer: () => Promise<Response>) => Promise<Response>): Wrap {
  let posts = 0;
  return (call, answer) => (x.nameOf(call) === POST && ++posts === nth ? reply(answer) : answer());
}

async function lost(answer: () => Promise<Response>): Promise<Response> {
  await (await answer()).body?.cancel();
  throw new Error("The connection broke.");
}

const problem = (status: number, detail: string) => async () =>
  Response.json({ title: "Forbidden", detail, type: "about:blank", status }, { status });

test.each([
  ["goes on when the limit of calls ends within 15 minutes", 880, 5],
  ["ends there when the limit lasts longer", 930, 1],
])("a thread %s", async (_, seconds, out) => {
  const stage = await onStage();
  const limited = async () =>
    Response.json(
      { title: "Too Many Requests", detail: "Too Many Requests", status: 429 },
      {
        status: 429,
        headers: { "x-rate-limit-reset": String(Math.ceil(Date.now() / 1_000) + seconds) },
      },
    );
  const { upload, feed } = await stage.publish(fields(), atPost(3, limited));
  const statuses = upload.parts.map(({ status }: { status: string }) => status);
  expect(statuses.filter((status: string) => status === "completed")).toHaveLength(out);
  expect(feed).toHaveLength(out + 1);
});

interface Shown {
  id: number;
  text: string;
  url: string;
  received: number;
  replyTo: number | null;
  fields: Record<string, unknown>;
}

interface Uploaded {
  metadata: { videoId: string };
  parts: { platformPostId: string; shareUrl: string }[];
}

function expectWhole({ metadata, parts }: Uploaded, feed: Shown[]) {
  expect(feed.map(({ text }) => text)).toEqual(TEXTS);
  expect(feed.every(({ received }) => received === 1)).toBe(true);
  const ids = feed.map(({ id }) => id);
  const before = ids.slice(1);
  // The comment is the newest, and replies to the oldest.
  expect(feed.map(({ replyTo }) => replyTo)).toEqual([ids.at(-1), ...before.slice(1), null]);
  const keys = feed.toReversed().map(({ url }) => url.split("/").at(-1));
  expect([metadata.videoId, ...parts.map(({ platformPostId }) => platformPostId)]).toEqual(keys);
  expect(parts.map(({ shareUrl }) => shareUrl)).toEqual(
    feed
      .toReversed()
      .slice(1)
      .map(({ url }) => url),
  );
}

test("a thread goes out in its order, with its media, and the comment below the first post", async () => {
  const stage = await onStage();
  const { upload, calls, feed } = await stage.publish(fields());
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expectWhole(upload, feed);
  expect(feed.map(({ media }) => media.length)).toEqual([0, 0, 0, 1, 2, 1]);
  expect(count(calls, POST)).toBe(6);
  expect(count(calls, LOOK)).toBe(0);
  expect(feed.map(({ fields }) => fields.made_with_ai)).toEqual(Array(6).fill(true));
  expect(feed.map(({ fields }) => fields.reply_settings)).toEqual([
    ...Array(5).fill(undefined),
    "following",
  ]);
});

describe.each([1, 2, 3, 4, 5, 6])("post %i of a thread", (nth) => {
  test("goes out once although its answer is lost", async () => {
    const stage = await onStage();
    const { upload, calls, feed } = await stage.publish(fields(), atPost(nth, lost));
    expect(upload).toMatchObject({ status: "completed" });
    expectWhole(upload, feed);
    expect(count(calls, POST)).toBe(6);
  });

  test("goes out once although its run dies before the outcome is stored", async () => {
    const stage = await onStage();
    const id = await stage.post(fields());
    const [written, times] = nth === 6 ? ["status = 'completed'", 1] : [" part = ", nth];
    const deaths = dieBefore(stage, written, times);
    const upload = await stage.end(id);
    expect(deaths()).toBe(1);
    expectWhole(upload, await stage.feed());
  });
});

test("a part like an earlier post is not mistaken for it, and X refuses it", async () => {
  const stage = await onStage();
  const thread = JSON.stringify(["Second", "First"]);
  const { upload, feed } = await stage.publish({ title: "First", thread }, atPost(3, lost));
  expect(upload).toMatchObject({ parts: [{ status: "completed" }, { status: "failed" }] });
  expect(feed.map(({ text }) => text)).toEqual(["Second", "First"]);
});

test("a token that ends in the middle is renewed", async () => {
  const stage = await onStage();
  const { upload, calls, feed } = await stage.publish(
    fields(),
    atPost(3, problem(401, "Unauthorized")),
  );
  expectWhole(upload, feed);
  expect(count(calls, "POST /2/oauth2/token")).toBe(1);
});

test("a parent that X does not show yet is tried again", async () => {
  const stage = await onStage();
  const hidden = problem(
    403,
    "You attempted to reply to a Tweet that is deleted or not visible to you.",
  );
  const { upload, feed } = await stage.publish(fields(), atPost(3, hidden));
  expectWhole(upload, feed);
});

test.each([
  ["is refused by X", "Third [sandbox:content_flagged]", "content_flagged"],
  ["is refused with the account", "Third [sandbox:account_disconnected]", "account_disconnected"],
])("a part that %s ends the thread", async (_, third, code) => {
  const stage = await onStage();
  const { upload, feed } = await stage.publish(fields(third));
  expect(upload).toMatchObject({
    status: "completed",
    failure: null,
    metadata: { warnings: [expect.stringMatching(/^Part 2: /)] },
  });
  expect(upload.parts.map(({ status }: { status: string }) => status)).toEqual([
    "completed",
    ...Array(FOLLOWING.length).fill("failed"),
  ]);
  expect(upload.parts[1].failure.code).toBe(code);
  expect(feed.map(({ text }) => text)).toEqual(["Second", "First"]);
});

test("a part whose parent was deleted fails, and the post stays published", async () => {
  const stage = await onStage();
  let posts = 0;
  const { upload, feed } = await stage.publish(fields(), async (call, answer) => {
    if (x.nameOf(call) !== POST || ++posts < 3) return answer();
    return problem(
      403,
      "You attempted to reply to a Tweet that is deleted or not visible to you.",
    )();
  });
  expect(upload).toMatchObject({
    status: "completed",
    parts: [{}, { status: "failed" }, {}, {}, {}],
  });
  expect(upload.parts[1].errorMessage).toMatch(/deleted or not visible/);
  expect(feed.map(({ text }) => text)).toEqual(["Second", "First"]);
});
