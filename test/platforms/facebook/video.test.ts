import { describe, expect, test } from "vitest";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { MAX_CHUNK_BYTES } from "../../../src/platforms/facebook/video.ts";
import {
  graphError,
  job,
  json,
  later,
  NOW,
  PAGE,
  scriptedFetch,
  status,
  VIDEO,
  video,
} from "./scripted.ts";

const post = { media: [video()], title: "T" };

const uploading = (start: number, end: number, realigned = 0) => ({
  stage: "uploading",
  sessionId: "44",
  videoId: VIDEO,
  start,
  end,
  realigned,
});
const DONE = uploading(10, 10);
const PROCESSING = {
  stage: "processing",
  videoId: VIDEO,
  isReel: false,
  isUnlabelled: false,
  since: NOW.getTime(),
};
const range = (start: number, end: number) => ({
  start_offset: String(start),
  end_offset: String(end),
});

describe("the upload", () => {
  test("begins with an id, by which the video can be asked for", async () => {
    // Ids that no number holds exactly.
    const body = `{"upload_session_id":44,"video_id":${VIDEO},"start_offset":"0","end_offset":"4"}`;
    const { fetch, calls } = scriptedFetch(new Response(body));
    expect(await facebook.prepare(job(fetch, { post }), null)).toEqual({
      kind: "next",
      bookmark: uploading(0, 4),
    });
    expect(calls).toMatchObject([
      {
        method: "POST",
        origin: "https://graph-video.facebook.com",
        path: `/v26.0/${PAGE}/videos`,
        form: { upload_phase: "start", file_size: "10" },
      },
    ]);
  });

  test("a file that cannot be read ends the post before anything is sent", async () => {
    const { fetch, calls } = scriptedFetch();
    expect(await facebook.prepare(job(fetch, { post, facts: null }), null)).toMatchObject({
      kind: "failed",
      failure: { code: "media_invalid" },
      transient: false,
    });
    expect(calls).toEqual([]);
  });

  test("sends the part that is asked for, byte for byte", async () => {
    const { fetch, calls } = scriptedFetch(json(range(7, 10)));
    expect(await facebook.prepare(job(fetch, { post }), uploading(4, 7))).toEqual({
      kind: "next",
      bookmark: uploading(7, 10),
    });
    expect(calls[0]).toMatchObject({ path: `/v26.0/${PAGE}/videos`, redirect: "manual" });
    expect(calls[0]?.form).toEqual({
      upload_phase: "transfer",
      upload_session_id: "44",
      start_offset: "4",
      video_file_chunk: "456",
    });
    expect(calls[0]?.headers.get("authorization")).toBe("Bearer page-token");
    expect(calls[0]?.headers.get("content-type")).toMatch(/^multipart\/form-data; boundary=/);
  });

  test("never sends more than fits into one call", async () => {
    const sizeBytes = MAX_CHUNK_BYTES * 2;
    const lengths: (number | undefined)[] = [];
    const { fetch } = scriptedFetch(new TypeError("Stop."));
    const large = job(fetch, { post: { media: [video({ sizeBytes })] } });
    large.readMedia = async (_, asked) => {
      lengths.push(asked?.length);
      throw new Error("Enough.");
    };
    await expect(facebook.prepare(large, uploading(0, sizeBytes))).rejects.toThrow("Enough.");
    expect(lengths).toEqual([MAX_CHUNK_BYTES]);
  });

  test("all of it there, only the finish is left", async () => {
    const { fetch } = scriptedFetch();
    expect(await facebook.prepare(job(fetch, { post }), DONE)).toEqual({
      kind: "ready",
      bookmark: DONE,
    });
  });

  test("part of it there and no more wanted, it begins anew", async () => {
    const { fetch } = scriptedFetch();
    expect(await facebook.prepare(job(fetch, { post }), uploading(7, 7))).toMatchObject({
      kind: "failed",
      failure: { code: "platform_unavailable" },
      transient: true,
      restart: true,
    });
  });

  const misplaced = (more: Record<string, unknown>) => graphError(6001, 1363037, more);
  test.each<[string, Response, object, object]>([
    [
      "goes on from where Facebook is",
      misplaced({ error_data: range(7, 10) }),
      uploading(4, 7),
      { kind: "next", bookmark: uploading(7, 10, 1) },
    ],
    [
      "begins anew where Facebook does not say",
      misplaced({}),
      uploading(4, 7),
      { kind: "failed", restart: true },
    ],
    [
      "begins anew after too many of these",
      misplaced({ error_data: range(7, 10) }),
      uploading(4, 7, 3),
      { kind: "failed", restart: true },
    ],
    [
      "does not go round in circles",
      json(range(4, 7)),
      uploading(4, 7, 3),
      { kind: "failed", restart: true },
    ],
  ])("out of step, it %s", async (_, answer, at, expected) => {
    const { fetch } = scriptedFetch(answer);
    expect(await facebook.prepare(job(fetch, { post }), { ...at })).toMatchObject(expected);
  });

  test.each<[string, Response, object]>([
    ["a dead token", graphError(190), { kind: "token_expired" }],
    ["a lost session", graphError(6000, 1363041), { kind: "failed", restart: true }],
    ["an interruption", graphError(6000, 1363021), { kind: "failed", transient: true }],
    ["an unreadable answer", json({ start_offset: null, end_offset: "x" }), { transient: true }],
    ["a bad file", graphError(6000, 1363024), { failure: { code: "media_invalid" } }],
  ])("a part refused as %s", async (_, answer, expected) => {
    const { fetch } = scriptedFetch(answer);
    expect(await facebook.prepare(job(fetch, { post }), uploading(4, 7))).toMatchObject(expected);
  });
});

const NOT_STARTED = status("upload_complete", {
  uploading: "complete",
  processing: "not_started",
  publishing: "not_started",
});
const BUSY = status("processing", { processing: "in_progress", publishing: "not_started" });

describe("the finish", () => {
  test("publishes with title and description", async () => {
    const { fetch, calls } = scriptedFetch(json({ success: true }));
    expect(await facebook.submit(job(fetch, { post }), DONE)).toEqual({
      kind: "waiting",
      bookmark: PROCESSING,
      checkAfterSeconds: 3,
    });
    expect(calls).toHaveLength(1);
    expect(calls[0]?.form).toEqual({
      upload_phase: "finish",
      upload_session_id: "44",
      title: "T",
      description: "Some words",
      published: "true",
    });
  });

  test.each([
    ["a 500", graphError(2, undefined, {}, 500)],
    ["no success", json({ success: false })],
  ])("%s leaves it open", async (_, answer) => {
    const { fetch } = scriptedFetch(answer);
    expect(await facebook.submit(job(fetch, { post }), DONE)).toMatchObject({ kind: "unknown" });
  });

  test.each<[string, Response, Response | Error, object]>([
    [
      "stands where the video shows nothing of it",
      graphError(368),
      NOT_STARTED.clone(),
      { kind: "failed", failure: { code: "content_flagged" }, transient: false },
    ],
    [
      "does not where an earlier one was accepted",
      graphError(6000, 1363041),
      BUSY.clone(),
      { kind: "waiting", bookmark: PROCESSING },
    ],
    [
      "does not where the video is out",
      graphError(100),
      status("ready", {}, { permalink_url: `/${PAGE}/videos/${VIDEO}/` }),
      {
        kind: "published",
        platformPostId: VIDEO,
        shareUrl: `https://www.facebook.com/${PAGE}/videos/${VIDEO}/`,
      },
    ],
    [
      "is not believed where nobody can tell",
      graphError(368),
      new TypeError("Lost."),
      { kind: "unknown" },
    ],
    [
      "never makes it begin anew by itself",
      graphError(6000, 1363041),
      NOT_STARTED.clone(),
      { kind: "failed", transient: false, restart: false },
    ],
    [
      "may be repeated where it was only too early",
      graphError(4),
      NOT_STARTED.clone(),
      { kind: "failed", transient: true },
    ],
  ])("a refusal %s", async (_, refusal, seen, expected) => {
    const { fetch } = scriptedFetch(refusal, seen);
    expect(await facebook.submit(job(fetch, { post }), DONE)).toMatchObject(expected);
  });

  test("a dead token is nothing else", async () => {
    const { fetch } = scriptedFetch(graphError(190));
    expect(await facebook.submit(job(fetch, { post }), DONE)).toEqual({ kind: "token_expired" });
  });
});

describe("a finish without an answer", () => {
  test.each<[string, Response, object]>([
    ["never arrived", NOT_STARTED.clone(), { kind: "absent" }],
    ["is being worked on", BUSY.clone(), { kind: "waiting", bookmark: PROCESSING }],
    ["is out", status("ready"), { kind: "published", platformPostId: VIDEO }],
    ["failed afterwards", status("error"), { kind: "waiting", bookmark: PROCESSING }],
    ["cannot be asked for", graphError(100, 33), { kind: "unknowable" }],
    ["needs another token", graphError(190), { kind: "token_expired" }],
  ])("%s", async (_, seen, expected) => {
    const { fetch, calls } = scriptedFetch(seen);
    expect(await facebook.reconcile(job(fetch, { post }), DONE)).toMatchObject(expected);
    expect(calls).toMatchObject([
      { path: `/v26.0/${VIDEO}`, query: { fields: "status,permalink_url" } },
    ]);
  });

  test("is asked for again where Facebook is busy", async () => {
    const { fetch } = scriptedFetch(graphError(2, undefined, {}, 500));
    await expect(facebook.reconcile(job(fetch, { post }), DONE)).rejects.toThrow();
  });
});

describe("settle", () => {
  const settle = (answer: Response, now = NOW) =>
    facebook.settle?.(job(scriptedFetch(answer).fetch, { post, now }), PROCESSING);

  test.each<[string, Response, object]>([
    [
      "ready",
      status("ready"),
      { kind: "published", shareUrl: `https://www.facebook.com/${PAGE}/videos/${VIDEO}` },
    ],
    [
      "only to be published",
      status("processing", { publishing: { publish_status: "published" } }),
      { kind: "waiting" },
    ],
    [
      "published before it is ready",
      status("processing", { publishing: { status: "complete", publish_status: "published" } }),
      { kind: "published" },
    ],
    [
      "broken, though its status is silent",
      status("processing", { processing: { status: "in_progress", errors: [{}] } }),
      { kind: "failed", failure: { code: "media_invalid" }, transient: false },
    ],
    ["processing", BUSY.clone(), { kind: "waiting", bookmark: PROCESSING, checkAfterSeconds: 3 }],
    [
      "broken",
      status("error", { processing: { status: "error", errors: [{ message: "Bad codec." }] } }),
      {
        kind: "failed",
        failure: { code: "media_invalid", message: "Bad codec." },
        transient: false,
      },
    ],
    ["expired", status("expired"), { failure: { code: "platform_unavailable" }, transient: false }],
    ["seen by another token only", graphError(190), { kind: "token_expired" }],
  ])("a video that is %s", async (_, answer, expected) => {
    expect(await settle(answer)).toMatchObject(expected);
  });

  test("looks less often after a while", async () => {
    expect(await settle(BUSY.clone(), later(60))).toMatchObject({ checkAfterSeconds: 9 });
    expect(await settle(BUSY.clone(), later(900))).toMatchObject({ checkAfterSeconds: 15 });
  });

  test("no answer about it is never an answer that it is not there", async () => {
    await expect(settle(graphError(100, 33))).rejects.toThrow();
  });
});
