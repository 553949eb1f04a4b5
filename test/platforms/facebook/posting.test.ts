import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { FAILURE_CODES } from "../../../src/core/failures.ts";
import { sha256Hex } from "../../../src/core/signature.ts";
import { facebookSimulator } from "../../../src/sandbox/facebook/index.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import type { SimulatedCall } from "../../../src/sandbox/kit/simulator.ts";
import {
  count,
  dieBefore,
  type Fields,
  jpeg,
  mp4,
  openStage,
  passing,
  png,
} from "../../support/stage.ts";
import { shortMp4, testJpeg, testPng, verticalMp4 } from "../../support/videos.ts";

async function onStage(pageId?: string) {
  const pageOf = pageId ? async () => pageId : undefined;
  const stage = await openStage("facebook", { person: "Page", pageOf });
  const { harness, member, name, accountId } = stage;
  return {
    ...stage,
    /** A post that somebody else makes on the same Page. */
    postElsewhere: async (message: string) => {
      const origin = { teamId: member.teamId, accountId, uploadId: 0 };
      const fetch = createSandboxFetch(env.SANDBOX_STATE, origin);
      const { accessToken } = sandboxCredentials("facebook", name);
      const reply = await fetch("https://graph.facebook.com/v26.0/me/feed", {
        method: "POST",
        headers: { authorization: `Bearer ${accessToken}` },
        body: new URLSearchParams({ message }),
      });
      expect(await reply.json()).toHaveProperty("id");
    },
    readAccount: async () => {
      const { token } = member;
      return (await harness.call("GET", `/accounts/${accountId}`, { token })).body.data;
    },
  };
}

/** Such as `POST videos start`. */
async function nameOf({ request, url }: SimulatedCall): Promise<string> {
  const body = new TextDecoder().decode(await request.clone().arrayBuffer());
  const phase = /upload_phase"?(?:=|\s+)(start|transfer|finish)/.exec(body)?.[1];
  const edge = url.pathname
    .split("/")
    .at(-1)
    ?.replace(/^[\d_]+$/, "node");
  return [request.method, edge, phase].filter(Boolean).join(" ");
}

/** What comes of the work, and the calls to the simulated network until it is done. */
async function watching<T>(work: () => Promise<T>): Promise<{ result: T; calls: string[] }> {
  const calls: string[] = [];
  const see = async (call: SimulatedCall, answer: () => Promise<Response>) => {
    calls.push(await nameOf(call));
    return answer();
  };
  return { result: await passing(facebookSimulator, see, work), calls };
}

test("connects a Page by its own token, and another one by its id", async () => {
  const stage = await onStage();
  expect(stage.account).toMatchObject({ platform: "facebook", profileImageUrl: null });
  const other = await onStage("123456789");
  const upload = await other.publish({ description: "As the other Page" });
  expect(upload.metadata.videoId).toMatch(/^123456789_\d{15}$/);
});

test("a text goes out with its link", async () => {
  const stage = await onStage();
  const upload = await stage.publish({
    description: "Read this\nand that",
    title: "Not sent",
    link: "https://example.com/a?b=1",
    is_aigc: "true",
  });
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  const [post] = await stage.feed();
  expect(post).toMatchObject({
    received: 1,
    text: "Read this\nand that",
    media: [],
    fields: {
      message: "Read this\nand that",
      link: "https://example.com/a?b=1",
      published: "true",
    },
    url: expect.stringMatching(/^https:\/\/www\.facebook\.com\/\d+\/posts\/\d+$/),
  });
  expect(upload.metadata.shareUrl).toBe(post.url);
});

test.each(["invalid", "unreachable"])(
  "a link that Facebook calls %s is flagged, at once",
  async (site) => {
    const stage = await onStage();
    const upload = await stage.publish({
      description: "Read this",
      link: `https://${site}.example.com/`,
    });
    expect(upload).toMatchObject({ status: "failed", failure: { code: "content_flagged" } });
    expect(await stage.feed()).toEqual([]);
  },
);

test("a photo goes out byte for byte, under its title where it has no description", async () => {
  const stage = await onStage();
  const upload = await stage.publish({ photo: png(), title: "A red square" });
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect(await stage.feed()).toMatchObject([
    {
      received: 1,
      text: "A red square",
      media: [{ kind: "image", mime: "image/png", sha256: await sha256Hex(testPng) }],
    },
  ]);
});

test("a photo made by AI goes out as a JPEG that says so", async () => {
  const stage = await onStage();
  expect(
    await stage.publish({ photo: png(), description: "Made up", is_aigc: "true" }),
  ).toMatchObject({ status: "completed" });
  const [post] = await stage.feed();
  expect(post).toMatchObject({ media: [{ mime: "image/jpeg" }] });
  expect(post.fields.url).toContain("/labelled");
});

test("an album keeps its order, and its photos are staged one by one", async () => {
  const stage = await onStage();
  const { result: upload, calls } = await watching(() =>
    stage.publish({ photo: [jpeg(), png(), jpeg()], description: "Three" }),
  );
  expect(upload).toMatchObject({ status: "completed" });
  expect(calls.slice(0, 4)).toEqual(["POST photos", "POST photos", "POST photos", "POST feed"]);
  expect(await stage.feed()).toMatchObject([
    {
      received: 1,
      text: "Three",
      media: [
        { sha256: await sha256Hex(testJpeg) },
        { sha256: await sha256Hex(testPng) },
        { sha256: await sha256Hex(testJpeg) },
      ],
    },
  ]);
});

test("a video is pushed whole and stands in the feed byte for byte", async () => {
  const stage = await onStage();
  const { result: upload, calls } = await watching(() =>
    // Too short for a reel, and no reel.
    stage.publish({ video: mp4(shortMp4), title: "Blink", description: "Of an eye" }),
  );
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect(calls.slice(0, 3)).toEqual([
    "POST videos start",
    "POST videos transfer",
    "POST videos finish",
  ]);
  const [post] = await stage.feed();
  expect(post).toMatchObject({
    received: 1,
    text: "Of an eye",
    media: [{ kind: "video", mime: "video/mp4", sha256: await sha256Hex(shortMp4) }],
    fields: { title: "Blink", description: "Of an eye", published: "true" },
  });
  expect(upload.metadata.shareUrl).toMatch(/^https:\/\/www\.facebook\.com\/\d+\/videos\/\d+\/$/);
});

test("a long video goes up in the parts that Facebook asks for", async () => {
  const stage = await onStage();
  const bytes = new Uint8Array(20_000_000);
  bytes.set(verticalMp4);
  const { result: upload, calls } = await watching(() =>
    stage.publish({ video: mp4(bytes), description: "Long" }),
  );
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect(count(calls, "POST videos transfer")).toBe(3);
  expect(await stage.feed()).toMatchObject([
    { received: 1, media: [{ sizeBytes: 20_000_000, sha256: await sha256Hex(bytes) }] },
  ]);
}, 60_000);

test("a reel is pulled from us; the label that its API refuses is left out", async () => {
  const stage = await onStage();
  const { result: upload, calls } = await watching(() =>
    stage.publish({
      video: mp4(),
      media_type: "reels",
      title: "T",
      description: "Look",
      is_aigc: "true",
    }),
  );
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect(count(calls, "POST video_reels start")).toBe(1);
  expect(count(calls, "POST node")).toBe(1);
  expect(count(calls, "POST video_reels finish")).toBe(2);
  const [post] = await stage.feed();
  expect(post).toMatchObject({
    received: 1,
    text: "Look",
    media: [{ kind: "video", sha256: await sha256Hex(verticalMp4) }],
    fields: { video_state: "PUBLISHED", description: "Look", title: "T" },
  });
  expect(upload.metadata.shareUrl).toMatch(/^https:\/\/www\.facebook\.com\/reel\/\d+\/$/);
});

test("a reel that is too short fails for good, with the rule in words", async () => {
  const stage = await onStage();
  const upload = await stage.publish({
    video: mp4(shortMp4),
    media_type: "REELS",
    description: "Blink",
  });
  expect(upload).toMatchObject({
    status: "failed",
    failure: { code: "media_invalid", retryable: false },
    errorMessage: expect.stringMatching(/lasts 1.* s; a Facebook reel lasts 3 to 90 s/),
  });
  expect(await stage.feed()).toEqual([]);
});

const KINDS: [string, () => Fields][] = [
  ["text", () => ({})],
  ["photo", () => ({ photo: jpeg() })],
  ["album", () => ({ photo: [jpeg(), png()] })],
  ["video", () => ({ video: mp4() })],
  ["reel", () => ({ video: mp4(), media_type: "REELS" })],
];

test.each(KINDS)(
  "%s: steering words end the post with each failure",
  async (_, fields) => {
    const stage = await onStage();
    for (const code of FAILURE_CODES) {
      const upload = await stage.publish({ ...fields(), description: `Steered [sandbox:${code}]` });
      expect(upload).toMatchObject({ status: "failed", failure: { code } });
      if (code === "account_disconnected") await stage.connect();
    }
    expect(await stage.feed()).toEqual([]);
  },
  30_000,
);

test.each(KINDS)(
  "%s: whatever happens on the way, one post comes of it",
  async (_, fields) => {
    const stage = await onStage();
    for (const word of ["lost_reply", "token_expired", "5xx=2"]) {
      const upload = await stage.publish({ ...fields(), description: `Steered [sandbox:${word}]` });
      expect(upload).toMatchObject({ status: "completed" });
      const [post] = await stage.feed();
      expect(post).toMatchObject({ received: 1, text: `Steered [sandbox:${word}]` });
      expect(upload.metadata.shareUrl).toBe(post.url);
    }
    expect(await stage.feed()).toHaveLength(3);
    expect(await stage.readAccount()).toMatchObject({ status: "active" });
  },
  30_000,
);

test.each(KINDS.slice(3))("%s: slow processing is waited for", async (_, fields) => {
  const stage = await onStage();
  const { result: upload, calls } = await watching(() =>
    stage.publish({ ...fields(), description: "Slow [sandbox:slow=90]" }),
  );
  expect(upload).toMatchObject({ status: "completed" });
  expect(count(calls, "GET node")).toBeGreaterThan(6);
});

test("the words of another post are refused as flagged, not taken for ours", async () => {
  const stage = await onStage();
  await stage.postElsewhere("Twice the same");
  stage.harness.advance(300);
  const upload = await stage.publish({ description: "Twice the same" });
  expect(upload).toMatchObject({ status: "failed", failure: { code: "content_flagged" } });
  expect(await stage.feed()).toHaveLength(1);
});

test("a run killed before it could store the finish makes no second video", async () => {
  const stage = await onStage();
  const deaths = dieBefore(stage, '\\"stage\\":\\"processing\\"');
  const { result: upload, calls } = await watching(() =>
    stage.publish({ video: mp4(), description: "Once" }),
  );
  expect(deaths()).toBe(1);
  expect(count(calls, "POST videos finish")).toBe(1);
  expect(upload).toMatchObject({ status: "completed" });
  expect(await stage.feed()).toMatchObject([{ received: 1 }]);
});

test.each<[string, () => Fields, string]>([
  ["a text post without a description", () => ({ title: "Only a title" }), "description"],
  ["an album of 11", () => ({ photo: Array.from({ length: 11 }, jpeg) }), "photo"],
  ["a video in an album", () => ({ photo: [jpeg(), mp4()] }), "photo"],
  ["a photo as a reel", () => ({ photo: jpeg(), media_type: "REELS" }), "media_type"],
  ["a story", () => ({ photo: jpeg(), media_type: "STORIES" }), "media_type"],
  ["a long title", () => ({ photo: jpeg(), title: "x".repeat(256) }), "title"],
  ["a broken link", () => ({ description: "x", link: "example" }), "link"],
])("refuses %s at once (400)", async (_, fields, field) => {
  const stage = await onStage();
  const answer = await stage.send(fields());
  expect(answer.status).toBe(400);
  expect(answer.body.errors).toMatchObject([{ field }]);
  expect(stage.harness.sent).toEqual([]);
});
