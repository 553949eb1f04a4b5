import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config.ts";
import type { Platform } from "../../src/core/platforms.ts";
import { createFetch } from "../../src/deps.ts";
import type { Bookmark, MediaItem, PublishJob, VideoFacts } from "../../src/platforms/connector.ts";
import { pack } from "../../src/platforms/linkedin/packing.ts";
import { connectorOf } from "../../src/platforms/registry.ts";

const KIB = 1_024;
const MIB = 1_024 * KIB;
const NOW = new Date("2026-12-01T09:00:00.000Z");

/** Bytes per read from storage. */
const SLICE = 64 * KIB;
/** Bytes in the pipes between storage and network. */
const IN_PIPES = 4 * SLICE;
/** The platform pauses whenever it has taken this many bytes. */
const PAUSE_EVERY = 512 * KIB;

const settle = () => new Promise((resolve) => setTimeout(resolve));

/** A fast storage and a slow platform. */
class Line {
  read = 0;
  taken = 0;
  /** The most bytes read but not yet taken. */
  heldBytes = 0;

  readonly storage = (length: number): ReadableStream => {
    let remaining = length;
    return new ReadableStream(
      {
        pull: (controller) => {
          const bytes = Math.min(SLICE, remaining);
          remaining -= bytes;
          this.read += bytes;
          this.heldBytes = Math.max(this.heldBytes, this.read - this.taken);
          if (bytes > 0) controller.enqueue(new Uint8Array(bytes));
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  };

  /** Waits until storage is idle. */
  private async pause(): Promise<void> {
    let before: number;
    do {
      before = this.read;
      await settle();
    } while (this.read > before);
  }

  async take({ body }: Request): Promise<void> {
    if (!body) return;
    await this.pause();
    let sincePause = 0;
    for await (const chunk of body) {
      this.taken += chunk.length;
      sincePause += chunk.length;
      if (sincePause < PAUSE_EVERY) continue;
      sincePause = 0;
      await this.pause();
    }
  }
}

const FACTS: VideoFacts = {
  container: "mp4",
  videoCodec: "avc",
  audioCodec: "aac",
  durationSeconds: 12,
  framesPerSecond: 30,
  width: 720,
  height: 1_280,
};

const file = (kind: MediaItem["kind"], mime: string, sizeBytes: number): MediaItem => ({
  kind,
  mime,
  sizeBytes,
  sha256: "cd".repeat(32),
  width: 100,
  height: 100,
});

const video = (sizeBytes: number) => file("video", "video/mp4", sizeBytes);
const image = (sizeBytes: number) => file("image", "image/jpeg", sizeBytes);

interface Scene {
  media: MediaItem[];
  thumbnail?: MediaItem;
  bookmark: Bookmark | null;
  /** Bytes of files that the step sends. */
  sent: number;
  /** Answers a call by its method and path. */
  answer(call: string): object | Response | undefined;
  step?: "prepare" | "submit" | "settle";
}

/** Runs one step and returns how many bytes it held. */
async function heldBy(platform: Platform, scene: Scene): Promise<Line> {
  const line = new Line();
  const connector = connectorOf(platform);
  const config = { isDevelopment: false, platformOrigins: {} } as Config;
  const fetch = createFetch(config, async (input, init) => {
    const request = new Request(input, init);
    const call = `${request.method} ${new URL(request.url).pathname}`;
    const answer = scene.answer(call);
    if (!answer) throw new Error(`Nobody expected ${call}`);
    if (isFile(request)) await line.take(request);
    return answer instanceof Response ? answer : Response.json(answer);
  });
  const job: PublishJob = {
    post: {
      title: "Look",
      description: null,
      media: scene.media,
      thumbnail: scene.thumbnail ?? null,
      settings: connector.settings.read({}).values,
    },
    account: { platformAccountId: "1", handle: "ada", service: "https://pds.example.com" },
    accessToken: "token",
    uploadId: 41,
    attempt: 1,
    fetch,
    now: () => NOW,
    readMedia: async (item, range) => line.storage(range?.length ?? item.sizeBytes),
    transfer: async (item, toRequest) => fetch(toRequest(line.storage(item.sizeBytes))),
    mediaUrl: async () => "https://akimbo.test/media",
    inspectVideo: async () => FACTS,
  };
  const { step = "prepare" } = scene;
  const result = await connector[step]?.(job, scene.bookmark ?? (null as unknown as Bookmark));
  expect(result?.kind).toMatch(/^(next|waiting|ready|published)$/);
  expect(line.read).toBe(scene.sent);
  expect(line.taken).toBeGreaterThanOrEqual(scene.sent);
  return line;
}

/** Only calls with files have a stream as body. */
const isFile = ({ headers }: Request) =>
  /^(video|image)\/|octet-stream|multipart|pdf/.test(headers.get("content-type") ?? "");

const X_ID = "1995400000000000007";
const X_BEGUN = {
  stage: "preparing",
  taggedIds: [],
  subtitles: { state: "done" },
  mediaIds: [],
  upload: null,
  described: 0,
  warnings: [],
};
const LINKEDIN_URL = "https://www.linkedin.com/dms-uploads/1";

const STREAMED: [string, Platform, () => Scene | Promise<Scene>][] = [
  [
    "a chunk of a video to TikTok",
    "tiktok",
    () => ({
      media: [video(60_000_000)],
      bookmark: {
        stage: "uploading",
        publishId: "v_pub_1",
        username: "ada",
        isForInbox: false,
        uploadUrl: "https://open-upload.tiktokapis.com/video/",
        realigned: 0,
        chunkSize: 10_000_000,
        count: 6,
        next: 0,
      },
      sent: 10_000_000,
      answer: () =>
        new Response(null, {
          status: 206,
          headers: { "content-range": "bytes 0-9999999/60000000" },
        }),
    }),
  ],
  [
    "four segments of a video to X",
    "x",
    () => ({
      media: [video(9 * MIB)],
      bookmark: { ...X_BEGUN, upload: { mediaId: X_ID, segmentIndex: 0, processed: null } },
      sent: 4 * MIB,
      answer: () => ({ data: {} }),
    }),
  ],
  [
    "an image to X",
    "x",
    () => ({
      media: [image(5_000_000), image(3_000)],
      bookmark: X_BEGUN,
      sent: 5_000_000,
      answer: () => ({ data: { id: X_ID } }),
    }),
  ],
  [
    "a chunk of a video to YouTube",
    "youtube",
    () => ({
      media: [video(60 * MIB)],
      bookmark: {
        stage: "uploading",
        offset: 0,
        sessions: 1,
        setbacks: 0,
        warnings: [],
        sessionUri: "https://www.googleapis.com/upload/youtube/v3/videos?upload_id=u1",
        storedAt: NOW.getTime(),
      },
      sent: 16 * MIB,
      answer: () =>
        new Response(null, { status: 308, headers: { range: `bytes=0-${16 * MIB - 1}` } }),
    }),
  ],
  [
    "a thumbnail to YouTube",
    "youtube",
    () => ({
      media: [video(2_500)],
      thumbnail: image(2 * MIB),
      bookmark: {
        stage: "processing",
        videoId: "vid-1",
        since: NOW.getTime(),
        privacyStatus: "public",
        thumbnailTries: 0,
        warnings: [],
      },
      step: "settle",
      sent: 2 * MIB,
      answer: (call) =>
        call.startsWith("GET")
          ? { items: [{ status: { uploadStatus: "processed", privacyStatus: "public" } }] }
          : { items: [] },
    }),
  ],
  [
    "a part of a video to LinkedIn",
    "linkedin",
    async () => {
      const part = (index: number) => ({
        uploadUrl: LINKEDIN_URL,
        firstByte: index * 4 * MIB,
        lastByte: (index + 1) * 4 * MIB - 1,
      });
      return {
        media: [video(8 * MIB)],
        bookmark: {
          stage: "video",
          video: "urn:li:video:1",
          uploadToken: "",
          progress: await pack({ parts: [part(0), part(1)], etags: [] }),
        },
        sent: 4 * MIB,
        answer: () => new Response(null, { headers: { etag: "etag-1" } }),
      };
    },
  ],
  [
    "a document to LinkedIn",
    "linkedin",
    () => ({
      media: [file("document", "application/pdf", 20_000_000)],
      bookmark: { stage: "files", assets: [] },
      sent: 20_000_000,
      answer: (call) =>
        call.startsWith("POST")
          ? { value: { uploadUrl: LINKEDIN_URL, document: "urn:li:document:1" } }
          : new Response(null, { status: 201 }),
    }),
  ],
  [
    "a chunk of a video to Facebook",
    "facebook",
    () => ({
      media: [video(60_000_000)],
      bookmark: {
        stage: "uploading",
        sessionId: "44",
        videoId: "55",
        realigned: 0,
        start: 0,
        end: 52_428_800,
      },
      sent: 52_428_800,
      answer: () => ({ start_offset: "52428800", end_offset: "60000000" }),
    }),
  ],
  [
    "a part of a video to Bluesky",
    "bluesky",
    () => ({
      media: [video(24 * MIB)],
      bookmark: {
        stage: "uploading",
        jobId: "upload-1",
        recoveries: 0,
        partSizeBytes: 8 * MIB,
        partCount: 3,
        missing: [1, 2, 3],
      },
      sent: 8 * MIB,
      answer: (call) => (call.startsWith("GET") ? { token: "token" } : { sizeBytes: 8 * MIB }),
    }),
  ],
  [
    "a whole video to Bluesky",
    "bluesky",
    () => ({
      media: [video(24 * MIB)],
      bookmark: { stage: "single_shot" },
      sent: 24 * MIB,
      answer: (call) =>
        call.startsWith("GET")
          ? { token: "token", canUpload: true }
          : { jobStatus: { jobId: "job-1", state: "JOB_STATE_CREATED" } },
    }),
  ],
  [
    "an album to Telegram",
    "telegram",
    () => ({
      media: [video(24 * MIB), image(5_000_000), video(24 * MIB)],
      bookmark: { sizes: [{}, {}, {}] },
      step: "submit",
      sent: 48 * MIB + 5_000_000,
      answer: () => ({ ok: true, result: [{ message_id: 1, chat: { id: -1, type: "group" } }] }),
    }),
  ],
  [
    "a video to Pinterest",
    "pinterest",
    () => ({
      media: [video(24 * MIB)],
      bookmark: { stage: "checked" },
      sent: 24 * MIB,
      answer: (call) =>
        call.endsWith("/media")
          ? {
              media_id: "5",
              media_type: "video",
              upload_url: "https://pinterest-media-upload.s3-accelerate.amazonaws.com/",
              upload_parameters: { key: "uploads/5" },
            }
          : new Response(null, { status: 204 }),
    }),
  ],
];

describe("is passed on as it is read, however slow the platform is", () => {
  test.each(STREAMED)("%s", async (_, platform, scene) => {
    const line = await heldBy(platform, await scene());
    expect(line.heldBytes).toBeLessThanOrEqual(IN_PIPES);
  });
});

test("of the images of a post to Bluesky one is held at a time", async () => {
  const size = 2_000_000;
  const { heldBytes } = await heldBy("bluesky", {
    media: [image(size), image(size), image(size), image(size)],
    bookmark: null,
    sent: 4 * size,
    answer: () => ({
      blob: { $type: "blob", ref: { $link: "bafk" }, mimeType: "image/jpeg", size },
    }),
  });
  // Proves that held bytes show.
  expect(heldBytes).toBe(size);
});
