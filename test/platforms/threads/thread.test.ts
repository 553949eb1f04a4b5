import { describe, expect, test } from "vitest";
import { count, dieBefore, jpeg, mp4, openStage, photo, type Wrap } from "../../support/stage.ts";
import { PUBLISH, threads } from "./row.ts";

const onStage = () => openStage("threads", threads);

/** Newest first. */
const TEXTS = ["A remark", "Fifth", "Fourth", "Third", "Second", "First"];

const fields = (third = "Third") => ({
  title: "First",
  photo: [jpeg(), photo(), photo(), mp4(), photo()],
  thread: JSON.stringify([
    { text: "Second", media: [1, 2] },
    { text: third, media: [3] },
    "Fourth",
    { text: "Fifth", media: [4] },
  ]),
  first_comment: "A remark",
  threads_reply_control: "mentioned_only",
});

/** Answers the nth call to publish, whether or not it took effect. */
function atPublish(
  nth: number,
  reply: (answer: () => Promise<Response>) => Promise<Response>,
): Wrap {
  let posts = 0;
  return (call, answer) =>
    threads.nameOf(call) === PUBLISH && ++posts === nth ? reply(answer) : answer();
}

async function lost(answer: () => Promise<Response>): Promise<Response> {
  await (await answer()).body?.cancel();
  throw new Error("The connection broke.");
}

const graphError = (error: object) => async () => Response.json({ error }, { status: 400 });

const NO_PERMISSION = { message: "(#10) No permission", code: 10 };

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
  parts: { platformPostId: string; shareUrl: string; status: string; errorMessage: string }[];
}

function expectWhole({ metadata, parts }: Uploaded, feed: Shown[]) {
  expect(feed.map(({ text }) => text)).toEqual(TEXTS);
  expect(feed.every(({ received }) => received === 1)).toBe(true);
  const ids = feed.map(({ id }) => id);
  // The comment is the newest, and replies to the oldest.
  expect(feed.map(({ replyTo }) => replyTo)).toEqual([ids.at(-1), ...ids.slice(2), null]);
  const [remark, fifth, fourth, third, second] = feed.map((post) => post.fields.reply_to_id);
  const head = metadata.videoId;
  const keys = parts.map(({ platformPostId }) => platformPostId);
  expect([second, third, fourth, fifth]).toEqual([head, ...keys.slice(0, 3)]);
  expect(remark).toBe(head);
  expect(parts.map(({ shareUrl }) => shareUrl)).toEqual(
    feed
      .toReversed()
      .slice(1)
      .map(({ url }) => url),
  );
}

const statusesOf = ({ parts }: Uploaded) => parts.map(({ status }) => status);

test("a thread goes out in its order, with its media, and the comment below the first post", async () => {
  const stage = await onStage();
  const { upload, calls, feed } = await stage.publish(fields());
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect(upload.metadata).not.toHaveProperty("warnings");
  expectWhole(upload, feed);
  expect(feed.map(({ fields }) => fields.media_type)).toEqual([
    "TEXT",
    "IMAGE",
    "TEXT",
    "VIDEO",
    "CAROUSEL",
    "IMAGE",
  ]);
  expect(feed.map(({ fields }) => fields.reply_control)).toEqual([
    ...Array(5).fill(undefined),
    "mentioned_only",
  ]);
  expect(count(calls, PUBLISH)).toBe(6);
  expect(count(calls, "GET replies")).toBe(0);
});

describe.each([1, 2, 3, 4, 5, 6])("post %i of a thread", (nth) => {
  test("goes out once although its answer is lost", async () => {
    const stage = await onStage();
    const { upload, calls, feed } = await stage.publish(fields(), atPublish(nth, lost));
    expect(upload).toMatchObject({ status: "completed" });
    expectWhole(upload, feed);
    expect(count(calls, PUBLISH)).toBe(6);
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

test("without threads_read_replies, a lost part is out without address, and the thread ends", async () => {
  const stage = await onStage();
  const lose = atPublish(3, lost);
  const { upload, feed } = await stage.publish(fields(), (call, answer) =>
    threads.nameOf(call) === "GET replies" ? graphError(NO_PERMISSION)() : lose(call, answer),
  );
  expect(upload).toMatchObject({ status: "completed" });
  expect(statusesOf(upload)).toEqual(["completed", "completed", "failed", "failed", "failed"]);
  expect(upload.parts[1].shareUrl).toBeNull();
  expect(upload.parts[1].platformPostId).toMatch(/^container:\d+$/);
  expect(upload.parts[2].errorMessage).toMatch(/^Threads has not said which id the post has/);
  expect(feed.map(({ text }) => text)).toEqual(["Third", "Second", "First"]);
});

test("a token that ends in the middle is renewed", async () => {
  const stage = await onStage();
  const third = "Third [sandbox:token_expired]";
  const { upload, calls, feed } = await stage.publish(fields(third));
  expect(statusesOf(upload)).toEqual(Array(5).fill("completed"));
  expect(feed.map(({ text }) => text)).toEqual(TEXTS.with(3, third));
  expect(feed.every(({ received }) => received === 1)).toBe(true);
  expect(count(calls, "GET refresh_access_token")).toBe(1);
});

test("a container that publishing does not find yet is published after a back-off", async () => {
  const stage = await onStage();
  const missing = graphError({ message: "Media Not Found", code: 24, error_subcode: 4279009 });
  const { upload, calls, feed } = await stage.publish(fields(), atPublish(4, missing));
  expectWhole(upload, feed);
  expect(count(calls, PUBLISH)).toBe(7);
});

test("a part whose container is lost is made anew, and the thread goes on", async () => {
  const stage = await onStage();
  const third = "Third [sandbox:lost_container]";
  const { upload, feed } = await stage.publish(fields(third));
  expect(statusesOf(upload)).toEqual(Array(5).fill("completed"));
  expect(feed.map(({ text }) => text)).toEqual(TEXTS.with(3, third));
  expect(feed.every(({ received }) => received === 1)).toBe(true);
});

test("a part waits until Threads shows the post before it", async () => {
  const stage = await onStage();
  const early = { message: "Object does not exist", code: 100, error_subcode: 33 };
  let looks = 0;
  const { upload, feed } = await stage.publish(fields(), (call, answer) => {
    const asked = call.url.searchParams.get("fields");
    const isLook = asked?.startsWith("id,permalink") && !asked.endsWith(",is_reply");
    // The first look finds the address of the first post.
    return isLook && [2, 3].includes(++looks) ? graphError(early)() : answer();
  });
  expectWhole(upload, feed);
});

test("a part that became a post of its own is a warning", async () => {
  const stage = await onStage();
  let dropped = 0;
  const { upload } = await stage.publish(fields(), async (call, answer) => {
    const reply = await answer();
    if (!call.url.searchParams.get("fields")?.endsWith(",is_reply") || ++dropped > 1) return reply;
    return Response.json({ ...(await reply.json<object>()), is_reply: false });
  });
  expect(upload.metadata.warnings).toEqual([
    "Part 1: Threads published it as a post of its own, not as a reply.",
  ]);
  expect(statusesOf(upload)).toEqual(Array(5).fill("completed"));
});

test.each([
  ["is refused by Threads", "Third [sandbox:content_flagged]", "content_flagged"],
  ["is refused with the account", "Third [sandbox:account_disconnected]", "account_disconnected"],
])("a part that %s ends the thread", async (_, third, code) => {
  const stage = await onStage();
  const { upload, feed } = await stage.publish(fields(third));
  expect(upload).toMatchObject({
    status: "completed",
    failure: null,
    metadata: { warnings: [expect.stringMatching(/^Part 2: /)] },
  });
  expect(statusesOf(upload)).toEqual(["completed", ...Array(4).fill("failed")]);
  expect(upload.parts[1].failure.code).toBe(code);
  expect(feed.map(({ text }) => text)).toEqual(["Second", "First"]);
});

test("without threads_manage_replies, the post goes out alone, and says what is missing", async () => {
  const stage = await onStage();
  const { upload, feed } = await stage.publish(fields(), async (call, answer) => {
    const form = await call.request.clone().text();
    return form.includes("reply_to_id=") ? graphError(NO_PERMISSION)() : answer();
  });
  expect(statusesOf(upload)).toEqual(Array(5).fill("failed"));
  expect(upload.parts[0].errorMessage).toMatch(/threads_manage_replies/);
  expect((await stage.readAccount()).status).toBe("active");
  expect(feed.map(({ text }) => text)).toEqual(["First"]);
});
