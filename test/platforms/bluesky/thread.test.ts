import { describe, expect, test } from "vitest";
import { dieBefore, openStage, photo, type Wrap } from "../../support/stage.ts";

const onStage = () => openStage("bluesky", { person: "ada" });

const THREAD = JSON.stringify(["Second", { text: "Third", media: [1] }, "Fourth"]);
const fields = () => ({
  description: "First",
  photo: [photo(), photo()],
  thread: THREAD,
  first_comment: "A remark",
});
/** Newest first. */
const TEXTS = ["A remark", "Fourth", "Third", "Second", "First"];

interface Shown {
  text: string;
  received: number;
  fields: { reply?: { root: { uri: string }; parent: { uri: string } } };
}

/** Loses the answer to the nth call that writes a post. */
function losing(nth: number): Wrap {
  let writes = 0;
  return async ({ request }, answer) => {
    const isWrite = request.url.endsWith("/xrpc/com.atproto.repo.putRecord");
    const response = await answer();
    if (!isWrite || ++writes !== nth) return response;
    await response.body?.cancel();
    throw new Error("The connection broke.");
  };
}

function expectWhole(
  upload: { parts: { platformPostId: string }[]; metadata: { videoId: string } },
  feed: Shown[],
) {
  expect(feed.map(({ text }) => text)).toEqual(TEXTS);
  expect(feed.every(({ received }) => received >= 1)).toBe(true);
  const ids = upload.parts.map(({ platformPostId }) => platformPostId);
  const head = upload.metadata.videoId;
  const replies = feed.map(({ fields: { reply } }) => reply && [reply.root.uri, reply.parent.uri]);
  expect(replies).toEqual([[head, head], [head, ids[1]], [head, ids[0]], [head, head], undefined]);
}

test("handles that Bluesky does not know stay text, with a warning by post and part", async () => {
  const stage = await onStage();
  const { upload, feed } = await stage.publish({
    description: "Hi @grace.bsky.social and @who.example.com",
    thread: JSON.stringify(["And @else.example.com, @else.example.com"]),
  });
  expect(upload.metadata.warnings).toEqual([
    "@who.example.com stayed text: Bluesky found no account of that name.",
    "Part 1: @else.example.com stayed text: Bluesky found no account of that name.",
  ]);
  expect(feed.map(({ fields }) => fields.facets?.length)).toEqual([undefined, 1]);
});

test("a thread goes out in its order, each post as a reply to the one before", async () => {
  const stage = await onStage();
  const { upload, feed } = await stage.publish(fields());
  expect(upload).toMatchObject({
    status: "completed",
    parts: [
      { position: 1, kind: "post", status: "completed", text: "Second", failure: null },
      { position: 2, kind: "post", status: "completed", text: "Third", failure: null },
      { position: 3, kind: "post", status: "completed", text: "Fourth", failure: null },
      { position: 4, kind: "comment", status: "completed", text: "A remark", failure: null },
    ],
  });
  expectWhole(upload, feed);
  expect(feed.map(({ media }) => media.length)).toEqual([0, 0, 1, 0, 1]);
  expect(await stage.events()).toContain("upload.completed");
});

describe.each([1, 2, 3, 4, 5])("post %i of a thread", (nth) => {
  test("goes out once although its answer is lost", async () => {
    const stage = await onStage();
    const { upload, feed } = await stage.publish(fields(), losing(nth));
    expect(upload).toMatchObject({ status: "completed" });
    expectWhole(upload, feed);
  });

  test("goes out once although its run dies before the outcome is stored", async () => {
    const stage = await onStage();
    const id = await stage.post(fields());
    const [written, times] = nth === 5 ? ["status = 'completed'", 1] : [" part = ", nth];
    const deaths = dieBefore(stage, written, times);
    const upload = await stage.end(id);
    expect(deaths()).toBe(1);
    expectWhole(upload, await stage.feed());
  });
});

describe("a part that the platform refuses", () => {
  const refused = {
    ...fields(),
    thread: JSON.stringify(["Second", "No [sandbox:content_flagged]", "Fourth"]),
  };

  test("ends the thread; the post stays published, and says so", async () => {
    const stage = await onStage();
    const { upload, feed } = await stage.publish(refused);
    const failure = { code: "content_flagged", retryable: false };
    expect(upload).toMatchObject({
      status: "completed",
      failure: null,
      metadata: { warnings: [expect.stringMatching(/^Part 2: /)] },
      parts: [
        { status: "completed" },
        { status: "failed", failure },
        {
          status: "failed",
          failure,
          errorMessage: "Part 2 is not out, so this part was not sent.",
        },
        { status: "failed", failure },
      ],
    });
    expect(feed.map(({ text }) => text)).toEqual(["Second", "First"]);
    expect((await stage.events()).slice(1)).toEqual(["upload.completed", "upload.part_failed"]);
    const path = `/upload/${upload.id}/retry`;
    const { token } = stage.member;
    const answer = await stage.harness.call("POST", path, { token, json: {} });
    expect(answer).toMatchObject({ status: 409, body: { code: "NOT_RETRYABLE" } });
  });

  test("has no warning any more once a retry has sent it", async () => {
    const stage = await onStage();
    let isBusy = true;
    const { upload } = await stage.publish(fields(), async ({ request }, answer) => {
      const isThird =
        isBusy && request.method === "POST" && (await request.clone().text()).includes("Third");
      return isThird ? new Response("{}", { status: 503 }) : answer();
    });
    expect(upload.metadata.warnings).toEqual([expect.stringMatching(/^Part 2: /)]);
    isBusy = false;
    const { token } = stage.member;
    await stage.harness.call("POST", `/upload/${upload.id}/retry`, {
      token,
      json: { force: true },
    });
    const again = await stage.end(upload.id);
    expect(again.metadata.warnings).toBeUndefined();
    expectWhole(again, await stage.feed());
  });

  test("a retry goes on at it, and never repeats what is out", async () => {
    const stage = await onStage();
    const thread = JSON.stringify(["Second", "Later [sandbox:rate_limited]", "Fourth"]);
    const { upload } = await stage.publish({ ...fields(), thread });
    expect(upload.parts.map(({ status }: { status: string }) => status)).toEqual([
      "completed",
      "failed",
      "failed",
      "failed",
    ]);
    const { token } = stage.member;
    const answer = await stage.harness.call("POST", `/upload/${upload.id}/retry`, {
      token,
      json: {},
    });
    expect(answer).toMatchObject({ status: 200, body: { data: { status: "processing" } } });
    const again = await stage.end(upload.id);
    const feed = await stage.feed();
    expect(again).toMatchObject({ status: "completed" });
    expect(feed.map(({ text }) => text).slice(-2)).toEqual(["Second", "First"]);
    expect(feed.every(({ received }) => received === 1)).toBe(true);
  });
});

test("a thread is taken down from its end", async () => {
  const stage = await onStage();
  const { upload } = await stage.publish(fields());
  const { token } = stage.member;
  const { result, calls } = await stage.watch(() =>
    stage.harness.call("POST", `/upload/${upload.id}/unpublish`, { token, json: {} }),
  );
  expect(result).toMatchObject({ status: 200 });
  expect(calls.filter((call) => call.includes("deleteRecord"))).toHaveLength(5);
  expect(await stage.feed()).toEqual([]);
  expect(await stage.read(upload.id)).toMatchObject({ status: "completed" });
});
