import { describe, expect, test } from "vitest";
import { randomHex } from "../../../src/core/ids.ts";
import type { Bookmark } from "../../../src/platforms/connector.ts";
import { linkedin } from "../../../src/platforms/linkedin/index.ts";
import { pack, unpack } from "../../../src/platforms/linkedin/packing.ts";
import {
  type Answer,
  error,
  type JobChange,
  job,
  NOW,
  PAGE,
  PERSON,
  POST,
  pdf,
  photo,
  scriptedFetch,
  UPLOAD_URL,
  video,
} from "./scripted.ts";

type Script = [name: string, answer: Answer][];

async function step(
  name: "prepare" | "submit" | "reconcile",
  script: Script,
  bookmark: Bookmark | null,
  change: JobChange = {},
) {
  const { fetch, calls, remaining } = scriptedFetch(script);
  const publishJob = job(fetch, change);
  const stored = bookmark && (JSON.parse(JSON.stringify(bookmark)) as Bookmark);
  const result =
    name === "prepare"
      ? await linkedin.prepare(publishJob, stored)
      : await linkedin[name](publishJob, stored ?? {});
  expect(remaining).toEqual([]);
  return { result, calls, ranges: publishJob.ranges };
}

const prepare = (script: Script, bookmark: Bookmark | null, change: JobChange = {}) =>
  step("prepare", script, bookmark, change);

const API_HEADERS = {
  authorization: "Bearer AQX1",
  "linkedin-version": "202609",
  "x-restli-protocol-version": "2.0.0",
};
const READY = { stage: "ready", assets: [] as string[], readyAt: NOW.getTime() };
const IMAGE = "urn:li:image:D4E1";
const VIDEO = "urn:li:video:D4E1";
const PROCESSING = { stage: "processing", assets: [IMAGE], available: 0, since: NOW.getTime() };

test("a text is ready at once", async () => {
  const { result } = await prepare([], null);
  expect(result).toEqual({ kind: "ready", bookmark: READY });
});

test("a page's post for connections is refused before any call", async () => {
  const settings = { visibility: "CONNECTIONS" };
  const { result } = await prepare([], null, { author: PAGE, settings, media: [photo()] });
  expect(result).toMatchObject({
    kind: "failed",
    failure: { code: "unknown", message: expect.stringContaining("PUBLIC") },
    transient: false,
  });
});

describe.each([
  ["image", "images", photo, "image/jpeg"],
  ["document", "documents", pdf, "application/pdf"],
] as const)("%s", (kind, resource, file, mime) => {
  const urn = `urn:li:${kind}:D4E1`;
  const INIT = `POST ${resource}?action=initializeUpload`;
  const PUT = `PUT ${UPLOAD_URL}`;
  const opened = () => Response.json({ value: { uploadUrl: UPLOAD_URL, [kind]: urn } });

  test("is opened and sent whole to the address as it was given", async () => {
    const script: Script = [
      [INIT, opened()],
      [PUT, new Response(null, { status: 201 })],
    ];
    const { result, calls } = await prepare(script, null, { media: [file()] });
    expect(result).toEqual({
      kind: "waiting",
      bookmark: { ...PROCESSING, assets: [urn] },
      checkAfterSeconds: 2,
    });
    expect(calls).toMatchObject([
      {
        headers: { ...API_HEADERS, "content-type": "application/json" },
        redirect: "manual",
        json: { initializeUploadRequest: { owner: PERSON } },
      },
      {
        url: UPLOAD_URL,
        headers: { authorization: "Bearer AQX1", "content-type": mime },
        redirect: "manual",
        bytes: 2_500,
      },
    ]);
  });

  test("shows no token to a stranger", async () => {
    const uploadUrl = "https://uploads.example.com/linkedin.com";
    const { calls } = await prepare(
      [
        [INIT, Response.json({ value: { uploadUrl, [kind]: urn } })],
        [`PUT ${uploadUrl}`, new Response(null, { status: 201 })],
      ],
      null,
      { media: [file()] },
    );
    expect(calls[1]?.headers).not.toHaveProperty("authorization");
  });

  test("is sent again where its address is refused, and nothing else with it", async () => {
    const script: Script = [
      [INIT, opened()],
      [PUT, error(401, "EXPIRED_UPLOAD_URL")],
    ];
    const { result } = await prepare(script, null, { media: [file()] });
    expect(result).toMatchObject({ failure: { code: "platform_unavailable" }, transient: true });
    expect(result).not.toHaveProperty("restart");
  });

  test.each<[string, Answer, object]>([
    ["a refused token", error(401, "EXPIRED_ACCESS_TOKEN"), { kind: "token_expired" }],
    ["a lost role", error(403, "ACCESS_DENIED"), { failure: { code: "account_disconnected" } }],
    ["an odd answer", Response.json({ value: {} }), { failure: { code: "unknown" } }],
  ])("stops at %s", async (name, answer, expected) => {
    const { result } = await prepare([[INIT, answer]], null, { media: [file()] });
    if (name !== "an odd answer") expect(result).toMatchObject(expected);
    else expect(result).toMatchObject({ transient: true });
  });

  test("of a person is not looked at: it is ready after a moment", async () => {
    const place = { ...PROCESSING, assets: [urn] };
    const { result } = await prepare([], place, { media: [file()] });
    expect(result).toEqual({ kind: "ready", bookmark: { ...READY, assets: [urn] } });
  });

  const LOOK = `GET ${resource}/urn%3Ali%3A${kind}%3AD4E1`;
  const ofPage = { author: PAGE, media: [file()] };

  test.each(["WAITING_UPLOAD", "PROCESSING"])("of a page is waited for at %s", async (status) => {
    const place = { ...PROCESSING, assets: [urn] };
    const { result, calls } = await prepare([[LOOK, Response.json({ status })]], place, ofPage);
    expect(result).toEqual({ kind: "waiting", bookmark: place, checkAfterSeconds: 2 });
    expect(calls[0]?.headers).toMatchObject(API_HEADERS);
  });

  test.each<[string, Answer]>([
    ["it is available", Response.json({ status: "AVAILABLE" })],
    ["it may not be read", error(403, "ACCESS_DENIED")],
  ])("of a page is ready when %s", async (_, answer) => {
    const { result } = await prepare([[LOOK, answer]], { ...PROCESSING, assets: [urn] }, ofPage);
    expect(result).toEqual({ kind: "ready", bookmark: { ...READY, assets: [urn] } });
  });

  test("that cannot be processed ends the post", async () => {
    const answer = Response.json({ status: "PROCESSING_FAILED" });
    const { result } = await prepare([[LOOK, answer]], { ...PROCESSING, assets: [urn] }, ofPage);
    expect(result).toMatchObject({ failure: { code: "media_invalid" }, transient: false });
  });
});

test("several images go out one a step, in their order", async () => {
  const media = [photo(), photo(), photo()];
  const script = (id: string): Script => [
    [
      "POST images?action=initializeUpload",
      Response.json({ value: { uploadUrl: UPLOAD_URL, image: id } }),
    ],
    [`PUT ${UPLOAD_URL}`, new Response(null, { status: 201 })],
  ];
  const first = await prepare(script("urn:li:image:1"), null, { media });
  const one = { stage: "files", assets: ["urn:li:image:1"] };
  expect(first.result).toEqual({ kind: "next", bookmark: one });
  const two = { stage: "files", assets: ["urn:li:image:1", "urn:li:image:2"] };
  expect((await prepare(script("urn:li:image:2"), one, { media })).result).toEqual({
    kind: "next",
    bookmark: two,
  });
  expect((await prepare(script("urn:li:image:3"), two, { media })).result).toMatchObject({
    kind: "waiting",
    bookmark: { assets: [...two.assets, "urn:li:image:3"] },
  });
});

test("of many images five are looked at in a step", async () => {
  const assets = Array.from({ length: 7 }, (_, index) => `urn:li:image:${index}`);
  const media = assets.map(() => photo());
  const look = (index: number): Script[number] => [
    `GET images/urn%3Ali%3Aimage%3A${index}`,
    Response.json({ status: "AVAILABLE" }),
  ];
  const place = { ...PROCESSING, assets };
  const change = { author: PAGE, media };
  const first = await prepare([0, 1, 2, 3, 4].map(look), place, change);
  expect(first.result).toEqual({ kind: "next", bookmark: { ...place, available: 5 } });
  const second = await prepare([5, 6].map(look), { ...place, available: 5 }, change);
  expect(second.result).toMatchObject({ kind: "ready", bookmark: { assets } });
});

describe("a video", () => {
  const INIT = "POST videos?action=initializeUpload";
  const FINALIZE = "POST videos?action=finalizeUpload";
  const LOOK = "GET videos/urn%3Ali%3Avideo%3AD4E1";
  const PARTS = [
    { uploadUrl: `${UPLOAD_URL}&p=0`, firstByte: 0, lastByte: 59_999 },
    { uploadUrl: `${UPLOAD_URL}&p=1`, firstByte: 60_000, lastByte: 99_999 },
  ];
  const opened = (parts: object[] = PARTS) =>
    Response.json({ value: { video: VIDEO, uploadToken: "", uploadInstructions: parts } });
  const at = async (parts: typeof PARTS, etags: string[] = []) => ({
    stage: "video",
    video: VIDEO,
    uploadToken: "",
    progress: await pack({ parts, etags }),
  });
  const change = { media: [video()] };

  test("is opened with its size", async () => {
    const { result, calls } = await prepare([[INIT, opened()]], null, change);
    expect(result).toEqual({ kind: "next", bookmark: await at(PARTS) });
    expect(calls[0]?.json).toEqual({
      initializeUploadRequest: {
        owner: PERSON,
        fileSizeBytes: 100_000,
        uploadCaptions: false,
        uploadThumbnail: false,
      },
    });
  });

  test("goes where LinkedIn says, part by part", async () => {
    const answer = () => new Response(null, { headers: { etag: '"e1"' } });
    const first = await prepare([[`PUT ${UPLOAD_URL}&p=0`, answer()]], await at(PARTS), change);
    const next = await at(PARTS.slice(1), ['"e1"']);
    expect(first.result).toEqual({ kind: "next", bookmark: next });
    expect(first.ranges).toEqual([{ offset: 0, length: 60_000 }]);
    expect(first.calls[0]?.headers).not.toHaveProperty("authorization");
    expect(first.calls[0]).toMatchObject({
      bytes: 60_000,
      headers: { "content-type": "application/octet-stream" },
    });
    const second = await prepare([[`PUT ${UPLOAD_URL}&p=1`, answer()]], next, change);
    expect(second.ranges).toEqual([{ offset: 60_000, length: 40_000 }]);
    expect(second.result).toMatchObject({ bookmark: await at([], ['"e1"', '"e1"']) });
  });

  test("of 500 MB is small enough to be stored after each of its 120 parts", async () => {
    const parts = Array.from({ length: 120 }, (_, index) => ({
      uploadUrl: `https://www.linkedin.com/dms-uploads/sp/v2/D4E10AQ${"x".repeat(12)}/uploadedVideo/B4EZ${"y".repeat(20)}/${index}?ca=vector_feedshare&cn=uploads&m=${randomHex(32)}&app=123456&sync=0&v=beta&ut=${randomHex(8)}`,
      firstByte: index * 4_194_304,
      lastByte: index * 4_194_304 + 4_194_303,
    }));
    const etags = parts.map(() => `/ambry-video/signedId/${randomHex(64)}.bin`);
    expect((await pack({ parts, etags: [] })).length).toBeLessThan(12_000);
    expect((await pack({ parts: [], etags })).length).toBeLessThan(16_000);
    expect(await unpack(await pack({ parts, etags }))).toEqual({ parts, etags });
    await expect(unpack("AAAA")).rejects.toThrow();
  });

  const sent = () => at([], ["a", "b"]);

  test("is finalized with the names of its parts, then looked at", async () => {
    const { result, calls } = await prepare([[FINALIZE, new Response(null)]], await sent(), change);
    expect(calls[0]?.json).toEqual({
      finalizeUploadRequest: { video: VIDEO, uploadToken: "", uploadedPartIds: ["a", "b"] },
    });
    expect(result).toEqual({
      kind: "waiting",
      bookmark: { ...PROCESSING, assets: [VIDEO] },
      checkAfterSeconds: 5,
    });
  });

  test("that was finalized before goes on", async () => {
    const script: Script = [
      [FINALIZE, error(400, "UPDATING_ASSET_FAILED")],
      [LOOK, Response.json({ status: "PROCESSING" })],
    ];
    expect((await prepare(script, await sent(), change)).result).toMatchObject({ kind: "waiting" });
  });

  test("that may be finalized, and cannot be asked about now, is asked about again", async () => {
    const script: Script = [
      [FINALIZE, error(400, "UPDATING_ASSET_FAILED")],
      [LOOK, error(503, "SERVICE_UNAVAILABLE")],
    ];
    const { result } = await prepare(script, await sent(), change);
    expect(result).toMatchObject({ kind: "failed", transient: true });
    expect(result).not.toHaveProperty("restart");
  });

  test("that cannot be finalized ends", async () => {
    const script: Script = [
      [FINALIZE, error(400, "UPDATING_ASSET_FAILED")],
      [LOOK, Response.json({ status: "WAITING_UPLOAD" })],
    ];
    expect((await prepare(script, await sent(), change)).result).toMatchObject({
      failure: { code: "media_invalid" },
    });
  });

  test.each<[string, Answer]>([
    ["an address that has run out", error(401, "EXPIRED_UPLOAD_URL")],
    ["a part without a name", new Response(null)],
  ])("begins again after %s", async (_, answer) => {
    const { result } = await prepare([[`PUT ${UPLOAD_URL}&p=0`, answer]], await at(PARTS), change);
    expect(result).toMatchObject({ transient: true, restart: true });
  });

  test("is not read beyond its end", async () => {
    const parts = [{ uploadUrl: UPLOAD_URL, firstByte: 0, lastByte: 100_000 }];
    const { result } = await prepare([], await at(parts), change);
    expect(result).toMatchObject({ transient: true, restart: true });
  });

  test.each([[[]], [[{ ...PARTS[0], uploadUrl: "http://x.test/" }]], [[{ firstByte: 5 }]]])(
    "with instructions %j is tried again",
    async (parts) => {
      const { result } = await prepare([[INIT, opened(parts)]], null, change);
      expect(result).toMatchObject({ failure: { code: "platform_unavailable" }, transient: true });
    },
  );

  test.each([
    ["no readable video", null, /not a readable video/],
    ["2.9 seconds", 2.9, /2.9 seconds/],
    ["30 minutes and a bit", 1_800.1, /30 minutes/],
  ])("of %s is refused before any call", async (_, durationSeconds, wording) => {
    const facts = durationSeconds === null ? null : { ...FACTS_OF, durationSeconds };
    const { result } = await prepare([], null, { ...change, facts });
    expect(result).toMatchObject({
      failure: { code: "media_invalid", message: expect.stringMatching(wording) },
      transient: false,
    });
  });

  test.each([3, 1_800, null])("of %s seconds is taken", async (durationSeconds) => {
    const facts = { ...FACTS_OF, durationSeconds };
    const { result } = await prepare([[INIT, opened()]], null, { ...change, facts });
    expect(result).toMatchObject({ kind: "next" });
  });

  test("that may not be looked at yet is waited for, a few times", async () => {
    const forbidden = () => error(403, "ACCESS_DENIED");
    let place: Bookmark = { ...PROCESSING, assets: [VIDEO] };
    for (let look = 1; look <= 20; look++) {
      const { result } = await prepare([[LOOK, forbidden()]], place, change);
      expect(result).toMatchObject({ kind: "waiting", checkAfterSeconds: 5 });
      if (result.kind === "waiting") place = result.bookmark;
    }
    const seen = await prepare([[LOOK, Response.json({ status: "AVAILABLE" })]], place, change);
    expect(seen.result).toEqual({ kind: "ready", bookmark: { ...READY, assets: [VIDEO] } });
    const last = await prepare([[LOOK, forbidden()]], place, change);
    expect(last.result).toMatchObject({ failure: { code: "account_disconnected" } });
  });

  test("that was finalized, and may not be looked at, is waited for", async () => {
    const script: Script = [
      [FINALIZE, error(400, "UPDATING_ASSET_FAILED")],
      [LOOK, error(403, "ACCESS_DENIED")],
    ];
    expect((await prepare(script, await sent(), change)).result).toMatchObject({ kind: "waiting" });
  });

  test("that may neither be finalized nor looked at is a lost role", async () => {
    const script: Script = [
      [FINALIZE, error(403, "ACCESS_DENIED")],
      [LOOK, error(403, "ACCESS_DENIED")],
    ];
    expect((await prepare(script, await sent(), change)).result).toMatchObject({
      failure: { code: "account_disconnected" },
    });
  });

  test("is looked at by people too, less often after a while", async () => {
    const place = { ...PROCESSING, assets: [VIDEO] };
    const answer = () => Response.json({ status: "PROCESSING" });
    const soon = await prepare([[LOOK, answer()]], place, change);
    expect(soon.result).toMatchObject({ kind: "waiting", checkAfterSeconds: 5 });
    const now = new Date(NOW.getTime() + 31_000);
    const late = await prepare([[LOOK, answer()]], place, { ...change, now });
    expect(late.result).toMatchObject({ kind: "waiting", checkAfterSeconds: 15 });
    const answerFailed = Response.json({
      status: "PROCESSING_FAILED",
      processingFailureReason: "No picture",
    });
    expect((await prepare([[LOOK, answerFailed]], place, change)).result).toMatchObject({
      failure: { code: "media_invalid", message: expect.stringContaining("No picture") },
    });
  });
});

const FACTS_OF = {
  container: "mp4",
  videoCodec: "avc",
  audioCodec: null,
  framesPerSecond: 30,
  width: 100,
  height: 100,
};

const LIST =
  "GET posts?q=author&author=urn%3Ali%3Aorganization%3A77&count=50&start=0&sortBy=CREATED";

describe("posting", () => {
  const created = (urn: string | null = POST) =>
    new Response(null, { status: 201, headers: urn ? { "x-restli-id": urn } : {} });
  const submit = (answer: Answer, bookmark: object = READY, change: JobChange = {}) =>
    step("submit", [["POST posts", answer]], { ...READY, ...bookmark }, change);

  test("says all of a text", async () => {
    const description = "**Hi** #all (you)";
    const { result, calls } = await submit(created(), READY, {
      description,
      title: "Label",
      settings: { visibility: "CONNECTIONS" },
    });
    expect(result).toEqual({
      kind: "published",
      platformPostId: POST,
      shareUrl: `https://www.linkedin.com/feed/update/${POST}/`,
    });
    expect(calls[0]).toMatchObject({
      url: "https://api.linkedin.com/rest/posts",
      headers: { ...API_HEADERS, "content-type": "application/json" },
      redirect: "manual",
    });
    expect(calls[0]?.text).toBe(
      JSON.stringify({
        author: PERSON,
        commentary: "𝗛𝗶 #all \\(you\\)",
        visibility: "CONNECTIONS",
        distribution: {
          feedDistribution: "MAIN_FEED",
          targetEntities: [],
          thirdPartyDistributionChannels: [],
        },
        lifecycleState: "PUBLISHED",
        isReshareDisabledByAuthor: false,
      }),
    );
  });

  test.each<[string, JobChange, string[], object]>([
    ["a photo", { media: [photo()], title: "L" }, ["a"], { media: { id: "a" } }],
    [
      "photos",
      { media: [photo(), photo()] },
      ["a", "b"],
      { multiImage: { images: [{ id: "a" }, { id: "b" }] } },
    ],
    ["a video", { media: [video()] }, ["v"], { media: { id: "v" } }],
    ["a titled video", { media: [video()], title: "T" }, ["v"], { media: { id: "v" } }],
    ["a document", { media: [pdf()], title: "T" }, ["d"], { media: { id: "d", title: "T" } }],
    [
      "an untitled document",
      { media: [pdf()], description: `**${"x".repeat(99)}😀**\nmore` },
      ["d"],
      { media: { id: "d", title: "x".repeat(99) } },
    ],
  ])("has the content of %s", async (_, change, assets, content) => {
    const { calls } = await submit(created(), { assets }, change);
    expect(calls[0]?.json.content).toEqual(content);
  });

  test("without a text has an empty commentary", async () => {
    const change = { description: null, media: [photo()] };
    const { calls } = await submit(created(), { assets: ["a"] }, change);
    expect(calls[0]?.json.commentary).toBe("");
  });

  test("that is not named is out all the same", async () => {
    expect((await submit(created(null))).result).toEqual({
      kind: "published",
      platformPostId: "unknown",
      shareUrl: null,
    });
    expect((await submit(created("<b>"), { assets: [IMAGE] })).result).toMatchObject({
      platformPostId: IMAGE,
    });
  });

  test.each([302, 408, 500, 502, 503, 504])("is undecided after HTTP %i", async (status) => {
    const { result } = await submit(new Response(null, { status }));
    expect(result).toMatchObject({ kind: "unknown" });
  });

  test("has no answer when the connection breaks: the runner judges", async () => {
    await expect(submit(new TypeError("Network connection lost."))).rejects.toThrow();
  });

  test.each([
    ["a refused token", error(401, "REVOKED_ACCESS_TOKEN"), { kind: "token_expired" }],
    [
      "a file that is not ready",
      error(400, "MEDIA_ASSET_WAITING_UPLOAD"),
      { failure: { code: "platform_processing_timeout" }, transient: true },
    ],
    ["the day's limit", error(429, "TOO_MANY_REQUESTS"), { failure: { code: "rate_limited" } }],
  ])("is refused for %s", async (_, answer, expected) => {
    expect((await submit(answer)).result).toMatchObject(expected);
  });

  const duplicate = () =>
    error(422, "UNPROCESSABLE_ENTITY", `Content is a duplicate of ${POST}. Try another.`);

  test("that is there already is flagged at the first attempt", async () => {
    expect((await submit(duplicate())).result).toMatchObject({
      kind: "failed",
      failure: { code: "content_flagged" },
    });
  });

  test("that may be there from an earlier attempt has to be looked for", async () => {
    const { result } = await submit(duplicate(), READY, { attempt: 2 });
    expect(result).toMatchObject({
      kind: "failed",
      failure: {
        code: "platform_processing_timeout",
        message: expect.stringContaining(`https://www.linkedin.com/feed/update/${POST}/`),
      },
      transient: false,
    });
  });

  test.each<[string, Answer, object]>([
    [
      "is the post itself where the page lists it",
      Response.json({
        elements: [{ id: POST, commentary: "Hello", createdAt: NOW.getTime() - 170_000 }],
      }),
      { kind: "published", platformPostId: POST },
    ],
    [
      "has to be looked for where the page's is older",
      Response.json({
        elements: [{ id: POST, commentary: "Hello", createdAt: NOW.getTime() - 300_000 }],
      }),
      { kind: "failed", failure: { code: "platform_processing_timeout" }, transient: false },
    ],
    ["is undecided while the page cannot be asked", error(503, null), { kind: "unknown" }],
    ["is undecided without a token", error(401, "EXPIRED_ACCESS_TOKEN"), { kind: "unknown" }],
  ])("after an undecided one a duplicate %s", async (_, list, expected) => {
    const { result } = await step(
      "submit",
      [
        ["POST posts", duplicate()],
        [LIST, list],
      ],
      { ...READY, readyAt: NOW.getTime() - 180_000 },
      { author: PAGE },
    );
    expect(result).toMatchObject(expected);
  });

  test("a refused one gets ready again from its bookmark", async () => {
    const now = new Date(NOW.getTime() + 30_000);
    const { result } = await prepare([], { ...READY, assets: [IMAGE] }, { now, media: [photo()] });
    const bookmark = { ...READY, assets: [IMAGE], readyAt: now.getTime() };
    expect(result).toEqual({ kind: "ready", bookmark });
  });
});

describe("an undecided post", () => {
  const at = NOW.getTime();
  const listed = (change: object = {}) => ({
    id: POST,
    commentary: "Hello",
    createdAt: at,
    lifecycleState: "PUBLISHED",
    ...change,
  });
  const reconcile = (
    answer: Answer | object[],
    change: JobChange = {},
    bookmark: object = READY,
  ) => {
    const reply = Array.isArray(answer) ? Response.json({ elements: answer }) : answer;
    const page = { author: PAGE, ...change };
    return step("reconcile", [[LIST, reply]], { ...READY, ...bookmark }, page);
  };

  test("of a person is not to be known, and nothing is called", async () => {
    const { result } = await step("reconcile", [], READY);
    expect(result).toMatchObject({
      kind: "unknowable",
      message: expect.stringContaining("does not list a person's posts"),
    });
  });

  test("of a page is found by its text", async () => {
    const { result, calls } = await reconcile([
      listed({ id: "urn:li:share:1", commentary: "Other" }),
      listed(),
    ]);
    expect(result).toMatchObject({ kind: "published", platformPostId: POST });
    expect(calls[0]?.headers).toMatchObject({ ...API_HEADERS, "x-restli-method": "FINDER" });
  });

  test("is known in whatever way LinkedIn writes it", async () => {
    const description = "**Big** (news)\r\n#tag";
    const commentary = "𝗕𝗶𝗴 \\(news\\)\n{hashtag|\\#|tag}";
    const { result } = await reconcile([listed({ commentary })], { description });
    expect(result).toMatchObject({ kind: "published" });
  });

  test.each<[string, object[]]>([
    ["there is none", []],
    ["it is older", [listed({ createdAt: at - 60_001 })]],
    ["it is a draft", [listed({ lifecycleState: "DRAFT" })]],
    ["it never went out", [listed({ lifecycleState: "PUBLISH_FAILED" })]],
    ["it has files", [listed({ content: { media: { id: IMAGE } } })]],
    ["it is something else", [{ id: "urn:li:activity:1" }]],
  ])("is absent where %s", async (_, elements) => {
    expect((await reconcile(elements)).result).toEqual({ kind: "absent" });
  });

  test("is told from others of its text by its files", async () => {
    const twin = listed({ id: "urn:li:share:1", content: { media: { id: "urn:li:image:other" } } });
    const own = listed({ content: { media: { id: IMAGE } } });
    const change = { media: [photo()] };
    const { result } = await reconcile([twin, own], change, { assets: [IMAGE] });
    expect(result).toMatchObject({ kind: "published", platformPostId: POST });
  });

  test("is known by its files, whatever LinkedIn makes of the text", async () => {
    const own = listed({ commentary: "Hello, cut", content: { media: { id: IMAGE } } });
    const change = { media: [photo()] };
    const { result } = await reconcile([own], change, { assets: [IMAGE] });
    expect(result).toMatchObject({ kind: "published", platformPostId: POST });
  });

  test("is not decided where a like post has another link", async () => {
    const description = "See https://example.com/a-long-way and www.example.com";
    const shortened = listed({ commentary: "See https://lnkd.in/x and www.example.com" });
    expect((await reconcile([shortened], { description })).result).toMatchObject({
      kind: "unknowable",
    });
    const other = listed({ commentary: "Look https://lnkd.in/x and www.example.com" });
    expect((await reconcile([other], { description })).result).toEqual({ kind: "absent" });
  });

  test.each<[string, object[]]>([
    ["it has no name of a post", [listed({ id: "urn:li:activity:1" })]],
    ["two fit", [listed(), listed({ id: "urn:li:share:1" })]],
    ["its time is not told", [listed({ createdAt: undefined })]],
    ["the list is too short", Array.from({ length: 50 }, () => listed({ commentary: "x" }))],
  ])("is not to be known where %s", async (_, elements) => {
    expect((await reconcile(elements)).result).toMatchObject({ kind: "unknowable" });
  });

  test("is asked for again where LinkedIn cannot say now", async () => {
    await expect(reconcile([listed({ lifecycleState: "PUBLISH_REQUESTED" })])).rejects.toThrow();
    await expect(reconcile(error(503, null))).rejects.toThrow();
    await expect(reconcile(error(429, null))).rejects.toThrow();
    await expect(reconcile(new Response("<html>"))).rejects.toThrow();
  });

  test("needs a token and the right to read", async () => {
    expect((await reconcile(error(401, "EXPIRED_ACCESS_TOKEN"))).result).toEqual({
      kind: "token_expired",
    });
    expect((await reconcile(error(403, "ACCESS_DENIED"))).result).toMatchObject({
      kind: "unknowable",
    });
  });
});
