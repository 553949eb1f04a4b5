import { describe, expect, test } from "vitest";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import {
  FACTS,
  graphError,
  job,
  json,
  NOW,
  PAGE,
  scriptedFetch,
  status,
  VIDEO,
  video,
} from "./scripted.ts";

const reel = { media: [video()], settings: { media_type: "REELS" } };
const labelled = { media: [video()], settings: { media_type: "REELS", is_aigc: "true" } };
const UPLOAD = `https://rupload.facebook.com/video-upload/v26.0/${VIDEO}`;
const place = (asked: boolean) => ({
  stage: "reel",
  videoId: VIDEO,
  uploadUrl: UPLOAD,
  asked,
  since: NOW.getTime(),
});
const PROCESSING = {
  stage: "processing",
  videoId: VIDEO,
  isReel: true,
  isUnlabelled: false,
  since: NOW.getTime(),
};
const WAITING = { kind: "waiting", bookmark: place(true), checkAfterSeconds: 3 };
const EMPTY = () =>
  status("uploading", { uploading: { status: "in_progress", bytes_transfered: 0 } });
const COMPLETE = () =>
  status("upload_complete", {
    uploading: "complete",
    processing: "not_started",
    publishing: "not_started",
  });
const OK = () => json({ success: true });

describe("the upload", () => {
  test("begins with an id and an address", async () => {
    const { fetch, calls } = scriptedFetch(json({ video_id: VIDEO, upload_url: UPLOAD }));
    expect(await facebook.prepare(job(fetch, { post: reel }), null)).toEqual({
      kind: "next",
      bookmark: place(false),
    });
    expect(calls).toMatchObject([
      { origin: "https://graph.facebook.com", path: `/v26.0/${PAGE}/video_reels` },
    ]);
    expect(calls[0]?.form).toEqual({ upload_phase: "start" });
  });

  test("an address elsewhere gets no token of ours", async () => {
    const answer = { video_id: VIDEO, upload_url: "https://rupload.example.com/1" };
    const { fetch } = scriptedFetch(json(answer));
    expect(await facebook.prepare(job(fetch, { post: reel }), null)).toMatchObject({
      kind: "failed",
      failure: { code: "platform_unavailable" },
    });
  });

  test("a file against the rules ends the post before anything is sent", async () => {
    const { fetch, calls } = scriptedFetch();
    const facts = { ...FACTS, width: 1_920, height: 1_080 };
    expect(await facebook.prepare(job(fetch, { post: reel, facts }), null)).toMatchObject({
      failure: { code: "media_invalid", message: expect.stringContaining("9:16") },
      transient: false,
    });
    expect(calls).toEqual([]);
  });

  test("has the file fetched by a header", async () => {
    const { fetch, calls } = scriptedFetch(EMPTY(), OK());
    expect(await facebook.prepare(job(fetch, { post: reel }), place(false))).toEqual(WAITING);
    expect(calls[1]).toMatchObject({
      method: "POST",
      origin: "https://rupload.facebook.com",
      path: `/video-upload/v26.0/${VIDEO}`,
      form: {},
      redirect: "manual",
    });
    expect(calls[1]?.headers.get("authorization")).toBe("OAuth page-token");
    expect(calls[1]?.headers.get("file_url")).toBe("https://akimbo.test/media/cd/original");
  });

  test.each<[string, Response, boolean, object]>([
    ["is there already", COMPLETE(), false, { kind: "ready", bookmark: place(false) }],
    ["is there", COMPLETE(), true, { kind: "ready", bookmark: place(true) }],
    [
      "is coming already",
      status("uploading", { uploading: { status: "in_progress", bytes_transfered: 5 } }),
      false,
      WAITING,
    ],
    [
      "is coming already, by the other spelling",
      status("uploading", { uploading: { status: "in_progress", bytes_transferred: 5 } }),
      false,
      WAITING,
    ],
    [
      "cannot be had, without a word in its status",
      status("uploading", { uploading: { status: "in_progress", error: { message: "No" } } }),
      true,
      { kind: "failed", failure: { code: "media_unreachable", message: "No" } },
    ],
    ["is still to come", EMPTY(), true, WAITING],
    [
      "could not be had",
      status("upload_failed"),
      true,
      { kind: "failed", failure: { code: "media_unreachable" }, transient: false },
    ],
    ["came too late", status("expired"), true, { kind: "failed", restart: true }],
    ["is no video", status("error"), true, { failure: { code: "media_invalid" } }],
    ["is hidden from this token", graphError(190), false, { kind: "token_expired" }],
    ["cannot be seen for a moment", graphError(2), true, { kind: "failed", transient: true }],
    ["may be there already", graphError(2), false, { kind: "failed", transient: true }],
  ])("a file that %s", async (_, seen, asked, expected) => {
    const { fetch, calls } = scriptedFetch(seen);
    expect(await facebook.prepare(job(fetch, { post: reel }), place(asked))).toMatchObject(
      expected,
    );
    expect(calls).toHaveLength(1);
  });

  test("a reel that cannot be seen yet is asked for all the same", async () => {
    const { fetch } = scriptedFetch(graphError(100, 33), OK());
    expect(await facebook.prepare(job(fetch, { post: reel }), place(false))).toEqual(WAITING);
  });
});

const finishes = (calls: { form: Record<string, string> }[]) =>
  calls.map(({ form }) => form).filter(({ upload_phase }) => upload_phase === "finish");

describe("the finish", () => {
  test("publishes the reel", async () => {
    const { fetch, calls } = scriptedFetch(OK());
    expect(await facebook.submit(job(fetch, { post: reel }), place(true))).toEqual({
      kind: "waiting",
      bookmark: PROCESSING,
      checkAfterSeconds: 3,
    });
    expect(calls.map(({ form }) => form)).toEqual([
      {
        upload_phase: "finish",
        video_id: VIDEO,
        video_state: "PUBLISHED",
        description: "Some words",
      },
    ]);
  });

  test("carries the label where it is taken", async () => {
    const { fetch, calls } = scriptedFetch(OK());
    expect(await facebook.submit(job(fetch, { post: labelled }), place(true))).toMatchObject({
      bookmark: PROCESSING,
    });
    expect(finishes(calls)).toMatchObject([{ is_ai_generated: "true" }]);
  });

  const unknownLabel = () =>
    graphError(100, undefined, { message: "(#100) Param is_ai_generated is not allowed here" });

  test("goes out without the label where that is refused by its name, and says so", async () => {
    const { fetch, calls } = scriptedFetch(unknownLabel(), OK());
    const step = await facebook.submit(job(fetch, { post: labelled }), place(true));
    const bookmark = { ...PROCESSING, isUnlabelled: true };
    expect(step).toMatchObject({ kind: "waiting", bookmark });
    expect(finishes(calls)).toHaveLength(2);
    expect(calls[1]?.form).not.toHaveProperty("is_ai_generated");
    const done = scriptedFetch(status("ready", { publishing: "complete" })).fetch;
    expect(await facebook.settle?.(job(done, { post: labelled }), bookmark)).toMatchObject({
      kind: "published",
      warnings: [expect.stringContaining("AI label was left out")],
    });
  });

  test.each<[string, Response | Error]>([
    ["another parameter", graphError(100, undefined, { message: "(#100) Param place is wrong" })],
    ["a 500 that names it", graphError(100, undefined, { message: "is_ai_generated" }, 500)],
  ])("is not repeated after %s", async (_, refusal) => {
    const { fetch, calls } = scriptedFetch(refusal, COMPLETE());
    await facebook.submit(job(fetch, { post: labelled }), place(true));
    expect(finishes(calls)).toHaveLength(1);
  });

  test("a second call without an answer is the runner's to judge", async () => {
    const { fetch } = scriptedFetch(unknownLabel(), new TypeError("Network connection lost."));
    const step = facebook.submit(job(fetch, { post: labelled }), place(true));
    await expect(step).rejects.toThrow("Network connection lost.");
  });

  test("a refusal stands only where an earlier one was not accepted", async () => {
    const submit = (seen: Response) =>
      facebook.submit(
        job(scriptedFetch(graphError(6000, 1363040), seen).fetch, { post: reel }),
        place(true),
      );
    expect(await submit(COMPLETE())).toMatchObject({ failure: { code: "media_invalid" } });
    expect(await submit(status("ready", { publishing: "in_progress" }))).toMatchObject({
      kind: "waiting",
      bookmark: PROCESSING,
    });
    expect(await submit(status("processing", { processing: "in_progress" }))).toMatchObject({
      kind: "unknown",
    });
  });
});

describe("a finish without an answer", () => {
  const reconcile = (seen: Response) =>
    facebook.reconcile(job(scriptedFetch(seen).fetch, { post: reel }), place(true));

  test.each<[string, Response, object]>([
    ["never arrived", COMPLETE(), { kind: "absent" }],
    [
      "never arrived, though the file is processed",
      status("ready", { processing: "complete", publishing: "not_started" }),
      { kind: "absent" },
    ],
    [
      "never arrived, though the reel is to be published",
      status("upload_complete", {
        uploading: "complete",
        publishing: { status: "not_started", publish_status: "published" },
      }),
      { kind: "absent" },
    ],
    ["is on its way", status("ready", { publishing: "in_progress" }), { kind: "waiting" }],
    [
      "is out",
      status("ready", { publishing: { status: "complete", publish_status: "published" } }),
      {
        kind: "published",
        platformPostId: VIDEO,
        shareUrl: `https://www.facebook.com/reel/${VIDEO}`,
      },
    ],
    ["failed", status("error"), { kind: "waiting", bookmark: PROCESSING }],
    ["cannot be asked for", graphError(100, 33), { kind: "unknowable" }],
  ])("%s", async (_, seen, expected) => {
    expect(await reconcile(seen)).toMatchObject(expected);
  });

  test("cannot be told while the file is processed", async () => {
    await expect(reconcile(status("processing", { processing: "in_progress" }))).rejects.toThrow();
  });
});

const PUBLIC = { status: "not_started", publish_status: "published" };
const ERROR = { status: "not_started", error: { message: "Resolution too low." } };
const REFUSED = {
  kind: "failed",
  failure: { code: "media_invalid", message: "Resolution too low." },
  transient: false,
};

test.each<[string, Response, object]>([
  ["ready", status("ready", { publishing: "not_started" }), { kind: "waiting" }],
  [
    "only to be published",
    status("processing", { processing: "in_progress", publishing: PUBLIC }),
    { kind: "waiting" },
  ],
  ["ready and published", status("ready", { publishing: PUBLIC }), { kind: "published" }],
  [
    "complete",
    status("processing", { publishing: { status: "complete" } }),
    { kind: "published", platformPostId: VIDEO },
  ],
  [
    "refused by the error of a phase",
    status("processing", { uploading: "complete", processing: ERROR, publishing: PUBLIC }),
    REFUSED,
  ],
  [
    "refused by the errors of a phase",
    status("processing", {
      processing: { status: "in_progress", errors: [{ message: "Resolution too low." }] },
    }),
    REFUSED,
  ],
  [
    "refused as it is published",
    status("processing", { processing: "complete", publishing: ERROR }),
    REFUSED,
  ],
])("a finished reel that is %s", async (_, seen, expected) => {
  const { fetch } = scriptedFetch(seen);
  expect(await facebook.settle?.(job(fetch, { post: reel }), PROCESSING)).toMatchObject(expected);
});
