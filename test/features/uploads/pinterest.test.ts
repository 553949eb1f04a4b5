import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { boardsOf } from "../../../src/sandbox/pinterest/boards.ts";
import { pinterestSimulator } from "../../../src/sandbox/pinterest/index.ts";
import type { SimulatedCall } from "../../../src/sandbox/simulator.ts";
import { createMember, form, Harness, type Member } from "../../support/harness.ts";
import { shortMp4, testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

type Fields = Parameters<typeof form>[0];

interface Stage {
  harness: Harness;
  member: Member;
  accountId: string;
  boardId: string;
  post(fields?: Fields): Promise<number>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the record holds
  read(id: number): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the feed holds
  feed(): Promise<any[]>;
}

const video = () => new Blob([verticalMp4], { type: "video/mp4" });
const photo = () => new Blob([testJpeg], { type: "image/jpeg" });
const png = () => new Blob([testPng], { type: "image/png" });

async function onStage(): Promise<Stage> {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const name = `Ada ${member.teamId}`;
  const connected = await harness.call("POST", "/accounts", {
    token,
    json: { platform: "pinterest", sandbox: true, name },
  });
  expect(connected.body).toMatchObject({ success: true });
  const accountId: string = connected.body.data.id;
  const [board] = await boardsOf(name);
  const boardId = board?.id ?? "";
  return {
    harness,
    member,
    accountId,
    boardId,
    post: async (fields = {}) => {
      const media: Fields = "video" in fields ? {} : { photo: photo() };
      const body = form({
        accountId,
        title: "Look",
        pinterest_board_id: boardId,
        ...media,
        ...fields,
      });
      const answer = await harness.call("POST", "/upload", { token, body });
      expect(answer.body).toMatchObject({ success: true });
      return answer.body.data.uploadId;
    },
    read: async (id) => (await harness.call("GET", `/upload/${id}`, { token })).body.data,
    feed: async () => {
      const answer = await harness.request(`/sandbox/api/posts?accountId=${accountId}`);
      return ((await answer.json()) as { posts: [] }).posts;
    },
  };
}

/** Has every call to the simulated network pass by until the work is done; verbs and paths in order. */
async function watching(
  work: () => Promise<unknown>,
  wrap: (call: SimulatedCall, answer: () => Promise<Response>) => Promise<Response> = (_, answer) =>
    answer(),
): Promise<string[]> {
  const original = pinterestSimulator.handle;
  const calls: string[] = [];
  pinterestSimulator.handle = (call, store) => {
    const path = call.url.pathname.replace("/v5/", "").replace(/\d{17,}/, "ID");
    calls.push(`${call.request.method} ${path}`);
    return wrap(call, () => original(call, store));
  };
  try {
    await work();
    return calls;
  } finally {
    pinterestSimulator.handle = original;
  }
}

/** Until nothing is left to do: what is due in more than a moment waits for the cron trigger. */
async function finish({ harness }: Stage): Promise<void> {
  for (let minute = 0; minute < 20; minute++) {
    await harness.drain();
    harness.advance(60);
    await harness.tick();
  }
  await harness.drain();
}

const count = (calls: string[], call: string) => calls.filter((one) => one === call).length;

test("an image is pulled from us as it is and becomes a pin with all its fields", async () => {
  const stage = await onStage();
  const id = await stage.post({
    description: "More of it",
    link: "https://example.com/shop?a=1",
    alt_text: "A square",
  });
  const calls = await watching(() => stage.harness.drain());
  expect(calls).toEqual(["POST pins"]);
  const record = await stage.read(id);
  expect(record).toMatchObject({ status: "completed", errorMessage: null });
  expect(record.metadata.shareUrl).toBe(
    `https://www.pinterest.com/pin/${record.metadata.videoId}/`,
  );
  expect(await stage.feed()).toMatchObject([
    {
      uploadId: id,
      received: 1,
      text: "Look\nMore of it",
      url: record.metadata.shareUrl,
      media: [{ kind: "image", mime: "image/jpeg", sha256: await sha256Hex(testJpeg) }],
      fields: {
        board_id: stage.boardId,
        title: "Look",
        description: "More of it",
        link: "https://example.com/shop?a=1",
        alt_text: "A square",
        media_source: { source_type: "image_url" },
      },
    },
  ]);
});

test("a pin without a title is Untitled, and board_id names the board as well", async () => {
  const stage = await onStage();
  const id = await stage.post({
    title: [],
    pinterest_board_id: [],
    board_id: stage.boardId,
    photo: png(),
  });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([
    { fields: { title: "Untitled", board_id: stage.boardId }, media: [{ mime: "image/png" }] },
  ]);
});

test("2 to 5 images become a carousel in their order", async () => {
  const stage = await onStage();
  const id = await stage.post({ photo: [photo(), png(), photo(), png(), photo()] });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  const [post] = await stage.feed();
  expect(post.media.map(({ mime }: { mime: string }) => mime)).toEqual([
    "image/jpeg",
    "image/png",
    "image/jpeg",
    "image/png",
    "image/jpeg",
  ]);
  expect(post.fields.media_source).toMatchObject({ source_type: "multiple_image_urls", index: 0 });
});

test("a video goes up whole in one form, is waited for, and becomes a pin with its cover", async () => {
  const stage = await onStage();
  const id = await stage.post({ video: video(), pinterest_cover_time_ms: "1600" });
  const lengths: (string | null)[] = [];
  const calls = await watching(
    () => stage.harness.drain(),
    (call, answer) => {
      if (call.url.pathname === "/") lengths.push(call.request.headers.get("content-length"));
      return answer();
    },
  );
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(calls).toEqual(["POST media", "POST /", "GET media/ID", "GET media/ID", "POST pins"]);
  expect(Number(lengths[0])).toBeGreaterThan(verticalMp4.byteLength);
  expect(await stage.feed()).toMatchObject([
    {
      received: 1,
      media: [
        {
          kind: "video",
          mime: "video/mp4",
          sizeBytes: verticalMp4.byteLength,
          sha256: await sha256Hex(verticalMp4),
        },
      ],
      fields: { media_source: { source_type: "video_id", cover_image_key_frame_time: 2 } },
    },
  ]);
}, 30_000);

const LARGE_BYTES = 60_000_001;

test("a video of 60 MB arrives byte for byte", async () => {
  const stage = await onStage();
  const bytes = new Uint8Array(LARGE_BYTES);
  bytes.set(verticalMp4);
  const id = await stage.post({ video: new Blob([bytes]) });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed", errorMessage: null });
  expect(await stage.feed()).toMatchObject([
    { media: [{ sizeBytes: LARGE_BYTES, sha256: await sha256Hex(bytes) }] },
  ]);
}, 60_000);

const MEDIA: [string, () => Fields][] = [
  ["image", () => ({ photo: photo() })],
  ["carousel", () => ({ photo: [photo(), photo()] })],
  ["video", () => ({ video: video() })],
];

test.each(MEDIA)("%s: steering words end the post with each failure", async (_, media) => {
  const stage = await onStage();
  const codes = [
    "rate_limited",
    "account_disconnected",
    "content_flagged",
    "media_invalid",
    "media_unreachable",
    "unknown",
    "platform_unavailable",
    "platform_processing_timeout",
  ];
  for (const code of codes) {
    const id = await stage.post({ ...media(), title: `${code} [sandbox:${code}]` });
    await stage.harness.drain();
    expect(await stage.read(id)).toMatchObject({ status: "failed", failure: { code } });
  }
  expect(await stage.feed()).toEqual([]);
});

test.each(MEDIA)("%s: a lost answer is looked up, never repeated", async (_, media) => {
  const stage = await onStage();
  const id = await stage.post({
    ...media(),
    title: "Lost [sandbox:lost_reply]",
    link: "https://example.com",
    description: "One\r\n\r\ntwo ",
  });
  const calls = await watching(() => finish(stage));
  expect(count(calls, "POST pins")).toBe(1);
  const record = await stage.read(id);
  expect(record).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1, url: record.metadata.shareUrl }]);
});

test.each(MEDIA)("%s: a refused token is refreshed once", async (_, media) => {
  const stage = await onStage();
  const id = await stage.post({ ...media(), title: "Late [sandbox:token_expired]" });
  const calls = await watching(() => finish(stage));
  expect(count(calls, "POST oauth/token")).toBe(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toHaveLength(1);
});

test.each(MEDIA)(
  "%s: what Pinterest failed to make is asked after, then made",
  async (_, media) => {
    const stage = await onStage();
    const id = await stage.post({ ...media(), title: "Rough [sandbox:5xx=2]" });
    const calls = await watching(() => finish(stage));
    expect(count(calls, "POST pins")).toBe(3);
    expect(count(calls, "GET boards/ID/pins")).toBe(2);
    expect(await stage.read(id)).toMatchObject({ status: "completed" });
    expect(await stage.feed()).toMatchObject([{ received: 1 }]);
  },
);

test("a lost answer beside an equal pin is not decided, and nothing is made again", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Twice [sandbox:lost_reply]" });
  await stage.harness.deliver();
  const again = form({
    accountId: stage.accountId,
    title: "Twice [sandbox:lost_reply]",
    pinterest_board_id: stage.boardId,
    photo: png(),
  });
  const { token } = stage.member;
  expect((await stage.harness.call("POST", "/upload", { token, body: again })).status).toBe(200);
  await finish(stage);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "platform_processing_timeout" },
  });
  expect(await stage.feed()).toHaveLength(2);
});

test("a transfer that breaks off is begun anew, and the pin is made once", async () => {
  const stage = await onStage();
  const id = await stage.post({ video: video() });
  let broken = 0;
  const calls = await watching(
    () => finish(stage),
    async (call, answer) => {
      if (call.url.pathname !== "/" || broken > 0) return answer();
      broken++;
      await call.request.body?.cancel();
      return new Response("<Error><Code>RequestTimeout</Code></Error>", { status: 400 });
    },
  );
  expect(count(calls, "POST media")).toBe(2);
  expect(count(calls, "POST /")).toBe(2);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toHaveLength(1);
});

test.each([
  ["the video's arrival", '\\"stage\\":\\"processing\\"', { registrations: 2, transfers: 2 }],
  ["that the pin is to be made", '\\"stage\\":\\"ready\\"', { registrations: 1, transfers: 1 }],
])("a run killed before it could store %s makes no second pin", async (_, written, expected) => {
  const stage = await onStage();
  const id = await stage.post({ video: video() });
  const { db } = stage.harness.deps;
  let deaths = 0;
  const runAll: typeof db.runAll = async (queries) => {
    if (deaths > 0 || !JSON.stringify(queries).includes(written)) return db.runAll(queries);
    deaths++;
    throw new Error("The worker was killed.");
  };
  Object.assign(stage.harness.deps, { db: { ...db, runAll } });
  const calls = await watching(() => finish(stage));
  expect(deaths).toBe(1);
  expect({
    registrations: count(calls, "POST media"),
    transfers: count(calls, "POST /"),
  }).toEqual(expected);
  expect(count(calls, "POST pins")).toBe(1);
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test("an answer that takes a second is waited for", async () => {
  const stage = await onStage();
  const id = await stage.post({ title: "Slow [sandbox:slow=1]" });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({ status: "completed" });
});

test("a board that is gone is told in Pinterest's words", async () => {
  const stage = await onStage();
  const id = await stage.post({ pinterest_board_id: "123456" });
  await stage.harness.drain();
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "unknown" },
    errorMessage: "Board not found.",
  });
});

test("a video that is too short ends the post before anything goes out", async () => {
  const stage = await onStage();
  const id = await stage.post({ video: new Blob([shortMp4]) });
  const calls = await watching(() => stage.harness.drain());
  expect(calls).toEqual([]);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    failure: { code: "media_invalid" },
    errorMessage: "The video lasts 1 seconds; Pinterest takes 4 to 900.",
  });
});

test.each<[string, Fields, string[]]>([
  ["no board", { pinterest_board_id: [] }, ["pinterest_board_id"]],
  ["a board that is no number", { pinterest_board_id: "ideas" }, ["pinterest_board_id"]],
  ["a bad link and nothing else", { link: "ftp://example.com" }, ["link"]],
  ["a title of 101", { title: "x".repeat(101) }, ["title"]],
  ["no media", { photo: [] }, ["photo"]],
  ["6 images", { photo: Array.from({ length: 6 }, photo) }, ["photo"]],
  ["an image beside a video", { video: video() }, ["video"]],
  ["a cover time with an image", { pinterest_cover_time_ms: "0" }, ["pinterest_cover_time_ms"]],
  ["a GIF", { photo: new Blob(["GIF89a..........."]) }, ["photo"]],
])("refuses %s (400)", async (_, fields, named) => {
  const stage = await onStage();
  const { accountId, boardId, member, harness } = stage;
  const body = form({ accountId, pinterest_board_id: boardId, photo: photo(), ...fields });
  const answer = await harness.call("POST", "/upload", { token: member.token, body });
  expect(answer.status).toBe(400);
  expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(named);
  expect(harness.sent).toEqual([]);
});
