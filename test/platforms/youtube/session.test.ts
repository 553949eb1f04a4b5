import { describe, expect, test } from "vitest";
import type { Bookmark } from "../../../src/platforms/connector.ts";
import { youtube } from "../../../src/platforms/youtube/index.ts";
import {
  type Answer,
  CHANNELS,
  error,
  FACTS,
  finished,
  image,
  incomplete,
  type JobChange,
  job,
  NOW,
  OPEN,
  opened,
  PLAYLIST,
  SESSION,
  scriptedFetch,
  video,
} from "./scripted.ts";

const CHUNK = 16_777_216;
const SIZE = 2 * CHUNK + 1_000;
const long = video({ sizeBytes: SIZE });
const AT = NOW.getTime();

const UPLOADING = {
  stage: "uploading",
  sessionUri: SESSION,
  offset: 0,
  storedAt: AT,
  sessions: 1,
  setbacks: 0,
  warnings: [],
};
const LAST = { ...UPLOADING, offset: 2 * CHUNK, readyAt: AT };
const PROCESSING = {
  stage: "processing",
  videoId: "vid-1",
  since: AT,
  privacyStatus: "public",
  thumbnailTries: 0,
  warnings: [],
};
/** Old enough that another run may have sent more. */
const OLD = AT - 25_000;

const FIRST_CHUNK = `bytes 0-${CHUNK - 1}/${SIZE}`;
const SECOND_CHUNK = `bytes ${CHUNK}-${2 * CHUNK - 1}/${SIZE}`;
const LAST_CHUNK = `bytes ${2 * CHUNK}-${SIZE - 1}/${SIZE}`;
const PROBE = `bytes */${SIZE}`;

async function step(
  name: "prepare" | "submit" | "reconcile",
  script: Record<string, Answer[]>,
  bookmark: Bookmark | null,
  change: JobChange = {},
) {
  const { fetch, calls } = scriptedFetch(script);
  const publishJob = job(fetch, { media: [long], ...change });
  const stored = bookmark && (JSON.parse(JSON.stringify(bookmark)) as Bookmark);
  const result =
    name === "prepare"
      ? await youtube.prepare(publishJob, stored)
      : await youtube[name](publishJob, stored ?? {});
  return { result, calls, reads: publishJob.reads };
}

const open = (change: JobChange = {}, answers: Answer[] = [opened()]) =>
  step("prepare", { [OPEN]: answers }, null, change);

const failed = (code: string, transient = false) => ({
  kind: "failed",
  failure: { code },
  transient,
});

describe("opening an upload", () => {
  test("says what the file and the video are, and stores the session before any byte", async () => {
    const { result, calls, reads } = await open({ description: " More \n" });
    expect(result).toEqual({ kind: "next", bookmark: UPLOADING });
    expect(reads).toEqual([]);
    expect(calls).toEqual([
      {
        method: "POST",
        url: "https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status&notifySubscribers=true",
        path: "/upload/youtube/v3/videos",
        headers: {
          authorization: "Bearer at.1",
          "content-type": "application/json; charset=UTF-8",
          "x-upload-content-length": String(SIZE),
          "x-upload-content-type": "video/mp4",
        },
        redirect: "manual",
        text: '{"snippet":{"title":"Look","description":"More","categoryId":"22"},"status":{"privacyStatus":"public","embeddable":true,"license":"youtube","publicStatsViewable":true,"containsSyntheticMedia":false}}',
        bytes: expect.any(Number),
      },
    ]);
  });

  test("sends every field in its part", async () => {
    const { calls } = await open({
      settings: {
        youtube_title: "Other",
        tags: "one,two words",
        categoryId: "10",
        privacyStatus: "unlisted",
        scheduledDate: "2026-12-24T18:00:00+01:00",
        selfDeclaredMadeForKids: "true",
        madeForKids: "true",
        containsSyntheticMedia: "1",
        hasPaidProductPlacement: "1",
        defaultLanguage: "en",
        defaultAudioLanguage: "de",
        allowedCountries: "DE,AT",
        recordingDate: "2026-11-01",
        notifySubscribers: "0",
      },
    });
    expect(new URL(calls[0]?.url ?? "").search).toBe(
      "?uploadType=resumable&part=snippet,status,recordingDetails,paidProductPlacementDetails,contentDetails&notifySubscribers=false",
    );
    expect(JSON.parse(calls[0]?.text ?? "")).toEqual({
      snippet: {
        title: "Other",
        tags: ["one", "two words"],
        categoryId: "10",
        defaultLanguage: "en",
        defaultAudioLanguage: "de",
      },
      status: {
        privacyStatus: "private",
        publishAt: "2026-12-24T17:00:00.000Z",
        embeddable: true,
        license: "youtube",
        publicStatsViewable: true,
        selfDeclaredMadeForKids: true,
        containsSyntheticMedia: true,
      },
      recordingDetails: { recordingDate: "2026-11-01T00:00:00.000Z" },
      paidProductPlacementDetails: { hasPaidProductPlacement: true },
      contentDetails: { regionRestriction: { allowed: ["DE", "AT"] } },
    });
  });

  const OPTIONAL = { hasPaidProductPlacement: "1", blockedCountries: "DE" };

  test.each<[string, Answer[], string, string[]]>([
    [
      "the part that YouTube names",
      [error(400, "unexpectedPart", { message: "contentDetails" }), opened()],
      "snippet,status,paidProductPlacementDetails",
      ["restrict countries"],
    ],
    [
      "one part after the other",
      [
        error(403, "forbidden", { message: "Not you", location: "body.contentDetails" }),
        error(400, "unexpectedPart", { message: "paidProductPlacementDetails" }),
        opened(),
      ],
      "snippet,status",
      ["restrict countries", "hasPaidProductPlacement"],
    ],
    [
      "both parts of metadata that YouTube calls invalid",
      [
        error(400, "invalidVideoMetadata", { message: "The request metadata is invalid." }),
        opened(),
      ],
      "snippet,status",
      ["hasPaidProductPlacement", "restrict countries"],
    ],
    [
      "both parts where YouTube names none",
      [error(400, "badRequest"), opened()],
      "snippet,status",
      ["hasPaidProductPlacement", "restrict countries"],
    ],
  ])("goes on without %s, and says so", async (_, answers, parts, warnings) => {
    const { result, calls } = await open({ settings: OPTIONAL }, answers);
    expect(new URL(calls.at(-1)?.url ?? "").searchParams.get("part")).toBe(parts);
    expect(result).toMatchObject({
      kind: "next",
      bookmark: { warnings: warnings.map((text) => expect.stringContaining(text)) },
    });
  });

  test.each<[string, Answer, JobChange]>([
    ["another field", error(400, "invalidTitle"), { settings: OPTIONAL }],
    ["metadata without an optional part", error(400, "invalidVideoMetadata"), {}],
    ["what was not sent", error(400, "unexpectedPart", { message: "contentDetails" }), {}],
    ["the account", error(403, "forbidden"), { settings: OPTIONAL }],
  ])("does not repeat a refusal about %s", async (_, answer, change) => {
    const { result, calls } = await open(change, [answer]);
    expect(calls).toHaveLength(1);
    expect(result).toMatchObject(failed("unknown"));
  });

  test("says how many tags were left out", async () => {
    const { result } = await open({ settings: { tags: `a,${"x".repeat(500)},b` } });
    expect(result).toMatchObject({
      bookmark: { warnings: ["2 tags were left out: YouTube takes 500 characters of tags."] },
    });
  });

  test.each([
    "http://www.googleapis.com/upload",
    "https://www.googleapis.com.example.com/upload",
    "https://example.com/?x=.googleapis.com",
    "",
  ])("sends nothing to %j", async (location) => {
    const { result } = await open({}, [opened(location)]);
    expect(result).toMatchObject(failed("platform_unavailable", true));
  });

  test.each<[string, JobChange, string]>([
    ["no readable video", { facts: null }, "not a readable video"],
    ["12 hours and a second", { facts: { ...FACTS, durationSeconds: 43_201 } }, "12 hours"],
    ["no video at all", { media: [image()] }, "without a video"],
  ])("refuses %s before any call", async (_, change, wording) => {
    const { result, calls } = await step("prepare", {}, null, change);
    expect(result).toMatchObject({
      ...failed("media_invalid"),
      failure: { message: expect.stringContaining(wording) },
    });
    expect(calls).toEqual([]);
  });

  test.each<[string, Answer, object]>([
    ["may not upload it", channelStatus("disallowed"), failed("media_invalid")],
    ["could be allowed to, and is not", channelStatus("eligible"), failed("media_invalid")],
    ["may upload it", channelStatus("allowed"), { kind: "next" }],
    ["is not told of", error(403, "forbidden"), { kind: "next" }],
  ])("a video of over 15 minutes for a channel that %s", async (_, answer, expected) => {
    const script = { [CHANNELS]: [answer], [OPEN]: [opened()] };
    const facts = { ...FACTS, durationSeconds: 901 };
    const { result, calls } = await step("prepare", script, null, { facts });
    expect(result).toMatchObject(expected);
    expect(calls[0]?.url).toMatch(/channels\?part=status&mine=true$/);
  });

  test.each<[Answer, object]>([
    [error(401, "authError"), { kind: "token_expired" }],
    [error(400, "uploadLimitExceeded"), failed("rate_limited")],
    [error(503, "backendError"), failed("platform_unavailable", true)],
  ])("reads a refusal", async (answer, expected) => {
    expect((await open({}, [answer])).result).toMatchObject(expected);
  });
});

function channelStatus(longUploadsStatus: string): Response {
  return Response.json({ items: [{ id: "UC1", status: { longUploadsStatus } }] });
}

describe("sending chunks", () => {
  test("sends 16 MiB by a ranged read, and stores how far YouTube is", async () => {
    const { result, calls, reads } = await step(
      "prepare",
      { [FIRST_CHUNK]: [incomplete(CHUNK)] },
      UPLOADING,
    );
    expect(result).toEqual({ kind: "next", bookmark: { ...UPLOADING, offset: CHUNK } });
    expect(reads).toEqual([{ sha256: long.sha256, offset: 0, length: CHUNK }]);
    expect(calls).toMatchObject([
      {
        method: "PUT",
        url: SESSION,
        headers: {
          authorization: "Bearer at.1",
          "content-type": "video/mp4",
        },
        bytes: CHUNK,
        redirect: "manual",
      },
    ]);
  });

  test("goes on from where YouTube is, when that is less than was sent", async () => {
    const { result } = await step("prepare", { [FIRST_CHUNK]: [incomplete(262_144)] }, UPLOADING);
    expect(result).toMatchObject({ kind: "next", bookmark: { offset: 262_144 } });
  });

  test("leaves the last chunk to the call that makes the video", async () => {
    const { result, calls } = await step("prepare", {}, { ...UPLOADING, offset: 2 * CHUNK });
    expect(result).toEqual({ kind: "ready", bookmark: LAST });
    expect(calls).toEqual([]);
  });

  test("a video of one chunk is ready at once", async () => {
    const { result } = await step("prepare", {}, UPLOADING, {
      media: [video({ sizeBytes: CHUNK })],
    });
    expect(result).toMatchObject({ kind: "ready", bookmark: { offset: 0 } });
  });

  test("asks first in another run, and goes on from there", async () => {
    const { result, calls } = await step(
      "prepare",
      { [PROBE]: [incomplete(CHUNK)], [SECOND_CHUNK]: [incomplete(2 * CHUNK)] },
      { ...UPLOADING, storedAt: OLD },
    );
    expect(result).toMatchObject({
      kind: "next",
      bookmark: { offset: 2 * CHUNK, storedAt: AT, setbacks: 0 },
    });
    expect(calls[0]).toMatchObject({ method: "PUT", url: SESSION, bytes: 0 });
    expect(calls[0]?.headers).toEqual({ authorization: "Bearer at.1", "content-range": PROBE });
  });

  test("what YouTube has lost is sent again, a few times", async () => {
    const at = { ...UPLOADING, offset: CHUNK, storedAt: OLD };
    const script = () => ({ [PROBE]: [incomplete()], [FIRST_CHUNK]: [incomplete(CHUNK)] });
    const { result } = await step("prepare", script(), at);
    expect(result).toMatchObject({ kind: "next", bookmark: { offset: CHUNK, setbacks: 1 } });
    const often = await step("prepare", script(), { ...at, setbacks: 3 });
    expect(often.result).toMatchObject(failed("platform_unavailable"));
  });

  test.each<[string, Answer, object]>([
    ["nothing of it stored", incomplete(), failed("platform_unavailable", true)],
    ["an unreadable Range", unreadableRange(), failed("platform_unavailable", true)],
    ["503", error(503, "backendError"), failed("platform_unavailable", true)],
    ["429", error(429, "rateLimitExceeded"), failed("rate_limited", true)],
    ["401", error(401, "authError"), { kind: "token_expired" }],
    ["403", error(403, "forbidden"), failed("unknown")],
    ["400", error(400, "mediaBodyRequired"), failed("media_invalid")],
  ])("a chunk answered with %s", async (_, answer, expected) => {
    const { result } = await step("prepare", { [FIRST_CHUNK]: [answer] }, UPLOADING);
    expect(result).toMatchObject(expected);
    expect(result).not.toHaveProperty("restart");
  });

  test("a Retry-After is told", async () => {
    const answer = error(503, null, { headers: { "retry-after": "40" } });
    const { result } = await step("prepare", { [FIRST_CHUNK]: [answer] }, UPLOADING);
    expect(result).toMatchObject({ failure: { retryAfterSeconds: 40 }, transient: true });
  });

  test.each([404, 410])(
    "a session that is gone (%i) gives way to another, twice",
    async (status) => {
      const script = () => ({ [SECOND_CHUNK]: [error(status, null)], [OPEN]: [opened()] });
      const at = { ...UPLOADING, offset: CHUNK };
      const { result } = await step("prepare", script(), at);
      expect(result).toEqual({ kind: "next", bookmark: { ...UPLOADING, sessions: 2 } });
      const third = await step("prepare", script(), { ...at, sessions: 3 });
      expect(third.result).toMatchObject(failed("platform_unavailable"));
    },
  );

  test("a video that turns out to be finished is not sent again", async () => {
    const at = { ...LAST, storedAt: OLD };
    const { result } = await step("prepare", { [PROBE]: [finished()] }, at);
    expect(result).toEqual({ kind: "ready", bookmark: PROCESSING });
    const { result: submitted } = await step("submit", {}, PROCESSING);
    expect(submitted).toEqual({ kind: "waiting", bookmark: PROCESSING, checkAfterSeconds: 0 });
  });
});

function unreadableRange(): Response {
  return new Response(null, { status: 308, headers: { range: "all of it" } });
}

describe("the last chunk", () => {
  test.each([200, 201])("makes the video (%i)", async (status) => {
    const answer = finished("public", status);
    const { result, calls, reads } = await step("submit", { [LAST_CHUNK]: [answer] }, LAST);
    expect(result).toEqual({ kind: "waiting", bookmark: PROCESSING, checkAfterSeconds: 5 });
    expect(calls).toHaveLength(1);
    expect(reads).toEqual([{ sha256: long.sha256, offset: 2 * CHUNK, length: 1_000 }]);
  });

  test.each<[string, Answer, object]>([
    ["500", error(500, "internalError"), { kind: "unknown" }],
    ["503", error(503, "backendError"), { kind: "unknown" }],
    ["408", error(408, null), { kind: "unknown" }],
    ["no id", Response.json({}), { kind: "unknown" }],
    ["an id that is none", Response.json({ id: "../x" }), { kind: "unknown" }],
    ["308", incomplete(2 * CHUNK), failed("platform_unavailable", true)],
    ["404", error(404, null), failed("platform_unavailable", true)],
    ["410", error(410, null), failed("platform_unavailable", true)],
    ["401", error(401, "authError"), { kind: "token_expired" }],
    ["403", error(403, "quotaExceeded"), failed("rate_limited")],
    ["400", error(400, "invalidVideoMetadata"), failed("unknown")],
  ])("answered with %s", async (_, answer, expected) => {
    const { result } = await step("submit", { [LAST_CHUNK]: [answer] }, LAST);
    expect(result).toMatchObject(expected);
  });

  test("an answer that never comes is the runner's to judge", async () => {
    const script = { [LAST_CHUNK]: [new Error("Timeout")] };
    await expect(step("submit", script, LAST)).rejects.toThrow("Timeout");
  });

  test("asks first when it is sent again, and sends what is missing", async () => {
    const rest = `bytes ${2 * CHUNK + 400}-${SIZE - 1}/${SIZE}`;
    const script = { [PROBE]: [incomplete(2 * CHUNK + 400)], [rest]: [finished()] };
    const { result } = await step("submit", script, { ...LAST, storedAt: OLD });
    expect(result).toMatchObject({ kind: "waiting", bookmark: { videoId: "vid-1" } });
  });

  test("sends nothing again when the video is there by now", async () => {
    const { result, calls } = await step(
      "submit",
      { [PROBE]: [finished()] },
      { ...LAST, storedAt: OLD },
    );
    expect(result).toMatchObject({ kind: "waiting", bookmark: { videoId: "vid-1" } });
    expect(calls).toHaveLength(1);
  });

  test("goes back to sending chunks when YouTube has lost some", async () => {
    const { result } = await step(
      "submit",
      { [PROBE]: [incomplete(CHUNK)] },
      { ...LAST, storedAt: OLD },
    );
    expect(result).toMatchObject(failed("platform_unavailable", true));
  });
});

const CHANNEL = Response.json({
  items: [{ id: "UC1", contentDetails: { relatedPlaylists: { uploads: "UU1" } } }],
});
const listed = (title: string, publishedAt: string, videoId = "vid-9") => ({
  snippet: { title, publishedAt },
  contentDetails: { videoId, videoPublishedAt: publishedAt },
});
const SOON_AFTER = "2026-12-01T09:00:30Z";

describe("a last chunk without an answer", () => {
  test("is absent while the session waits for bytes", async () => {
    const { result, calls } = await step("reconcile", { [PROBE]: [incomplete(2 * CHUNK)] }, LAST);
    expect(result).toEqual({ kind: "absent" });
    expect(calls).toHaveLength(1);
  });

  test("is found by its session", async () => {
    const { result } = await step("reconcile", { [PROBE]: [finished("private")] }, LAST);
    expect(result).toEqual({
      kind: "waiting",
      bookmark: { ...PROCESSING, privacyStatus: "private" },
      checkAfterSeconds: 5,
    });
  });

  test.each<[string, object[], object]>([
    [
      "found by title and time",
      [listed("Other", SOON_AFTER), listed(" Look ", SOON_AFTER)],
      { kind: "waiting", bookmark: { videoId: "vid-9", privacyStatus: null } },
    ],
    [
      "found within the slack of clocks",
      [listed("Look", "2026-12-01T08:59:00Z")],
      { kind: "waiting" },
    ],
    ["unknowable without a match", [listed("Other", SOON_AFTER)], { kind: "unknowable" }],
    [
      "unknowable where only an older video fits",
      [listed("Look", "2026-12-01T08:58:59Z")],
      { kind: "unknowable" },
    ],
    [
      "unknowable where two fit",
      [listed("Look", SOON_AFTER), listed("Look", SOON_AFTER, "vid-8")],
      { kind: "unknowable" },
    ],
  ])("whose session is gone is %s", async (_, items, expected) => {
    const { result, calls } = await step(
      "reconcile",
      {
        [PROBE]: [error(404, null)],
        [CHANNELS]: [CHANNEL.clone()],
        [PLAYLIST]: [Response.json({ items })],
      },
      LAST,
    );
    expect(result).toMatchObject(expected);
    expect(calls.map(({ url }) => url).slice(1)).toEqual([
      "https://www.googleapis.com/youtube/v3/channels?part=contentDetails&mine=true",
      "https://www.googleapis.com/youtube/v3/playlistItems?part=contentDetails,snippet&playlistId=UU1&maxResults=50",
    ]);
  });

  test.each<[string, Record<string, Answer[]>, object | "throws"]>([
    ["the session does not answer", { [PROBE]: [error(503, null)] }, "throws"],
    ["the session wants another token", { [PROBE]: [error(401, null)] }, { kind: "token_expired" }],
    [
      "the channel is not shown now",
      { [PROBE]: [error(410, null)], [CHANNELS]: [error(500, null)] },
      "throws",
    ],
    [
      "the login may not read the channel",
      { [PROBE]: [error(410, null)], [CHANNELS]: [error(403, "insufficientPermissions")] },
      { kind: "unknowable" },
    ],
    [
      "there is no channel",
      { [PROBE]: [error(410, null)], [CHANNELS]: [Response.json({ items: [] })] },
      { kind: "unknowable" },
    ],
    [
      "the list is refused",
      {
        [PROBE]: [error(400, null)],
        [CHANNELS]: [CHANNEL.clone()],
        [PLAYLIST]: [error(404, "playlistNotFound")],
      },
      { kind: "unknowable" },
    ],
  ])("%s", async (_, script, expected) => {
    const looking = step("reconcile", script, LAST);
    if (expected === "throws") await expect(looking).rejects.toThrow("In its words");
    else expect((await looking).result).toMatchObject(expected);
  });

  test("a video that is known already is only looked after", async () => {
    const { result } = await step("reconcile", {}, PROCESSING);
    expect(result).toEqual({ kind: "waiting", bookmark: PROCESSING, checkAfterSeconds: 0 });
  });
});
