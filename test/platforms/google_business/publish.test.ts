import { describe, expect, test } from "vitest";
import { googleBusiness } from "../../../src/platforms/google_business/index.ts";
import { type JobChange, later } from "../../support/network.ts";
import {
  type Answer,
  CREATE,
  DELETE,
  error,
  GET,
  image,
  invalid,
  job,
  LIST,
  LOCATION,
  NOW,
  PATCH,
  POST_NAME,
  post,
  scriptedFetch,
  shown,
} from "./scripted.ts";

const READY = { stage: "ready", readyAt: NOW.getTime() };
const REVIEW = { stage: "review", name: POST_NAME, since: NOW.getTime(), looks: 0 };
const SEARCH = shown().searchUrl;

async function submit(answers: Answer[], change: JobChange = {}) {
  const { fetch, calls } = scriptedFetch({ [CREATE]: answers });
  const result = await googleBusiness.submit(job(fetch, change), READY);
  return { result, calls };
}

const live = () => Response.json(shown());
const inReview = () => Response.json(shown({ state: "PROCESSING", searchUrl: undefined }));

describe("making the post", () => {
  test("sends a text in one call, without an empty list of photos", async () => {
    const { result, calls } = await submit([live()]);
    expect(result).toEqual({ kind: "published", platformPostId: POST_NAME, shareUrl: SEARCH });
    expect(calls).toMatchObject([
      {
        url: `https://mybusiness.googleapis.com/v4/${LOCATION}/localPosts`,
        headers: { authorization: "Bearer ya29.1", "content-type": "application/json" },
        redirect: "manual",
      },
    ]);
    expect(calls[0]?.json).toEqual({ summary: "Look", topicType: "STANDARD" });
  });

  test.each([
    ["image/jpeg", "original"],
    ["image/png", "original"],
    ["image/webp", "jpeg"],
  ])("has %s downloaded as %s", async (mime, form) => {
    const { calls } = await submit([live()], { media: [image({ mime })] });
    expect(calls[0]?.json.media).toEqual([
      { mediaFormat: "PHOTO", sourceUrl: `https://akimbo.test/media/ab/${form}` },
    ]);
  });

  test("waits for the review of what was taken", async () => {
    expect((await submit([inReview()])).result).toEqual({
      kind: "waiting",
      bookmark: { ...REVIEW, looks: 1 },
      checkAfterSeconds: 5,
    });
  });

  test("is not published where Google rejects it in the answer", async () => {
    const { result } = await submit([Response.json(shown({ state: "REJECTED" }))]);
    expect(result).toMatchObject({
      kind: "failed",
      failure: { code: "content_flagged", message: expect.stringMatching(/phone number/) },
      transient: false,
    });
  });

  test("asks once more for a photo that could not be downloaded", async () => {
    const failure = () => invalid(1_000, "Fetching image failed.");
    const media = [image()];
    const { result, calls } = await submit([failure(), live()], { media });
    expect(result).toMatchObject({ kind: "published" });
    expect(calls).toHaveLength(2);
    expect((await submit([failure(), failure()], { media })).result).toMatchObject({
      failure: { code: "media_unreachable" },
    });
  });

  test.each([500, 503, 504])("does not know after %i whether there is a post", async (status) => {
    const { result } = await submit([error(status, "Internal error encountered.")]);
    expect(result).toMatchObject({ kind: "unknown" });
  });
});

describe("the review", () => {
  async function settle(answer: Answer, seconds = 30) {
    const { fetch } = scriptedFetch({ [GET]: [answer] });
    return googleBusiness.settle?.(job(fetch, { now: later(seconds) }), REVIEW);
  }

  test("ends with the post", async () => {
    expect(await settle(live())).toMatchObject({ kind: "published", shareUrl: SEARCH });
  });

  test("ends with a rejection", async () => {
    expect(await settle(Response.json(shown({ state: "REJECTED" })))).toMatchObject({
      kind: "failed",
      failure: { code: "content_flagged" },
    });
  });

  test.each([
    [1, 5],
    [60, 30],
    [600, 120],
    [7_200, 600],
    [80_000, 1_500],
  ])("%i seconds old, is looked at again after %i", async (age, wait) => {
    for (const answer of [
      inReview(),
      error(503, "Down."),
      error(404, "Gone."),
      new Error("Lost"),
    ]) {
      expect(await settle(answer, age)).toEqual({
        kind: "waiting",
        // What stays the same would be given up after half an hour.
        bookmark: { ...REVIEW, looks: 1 },
        checkAfterSeconds: wait,
      });
    }
  });

  test("that lasts a day leaves the post published, with a warning", async () => {
    expect(await settle(inReview(), 86_401)).toEqual({
      kind: "published",
      platformPostId: POST_NAME,
      shareUrl: null,
      warnings: [expect.stringMatching(/still reviewing/)],
    });
    expect(await settle(error(404, "Gone."), 86_401)).toMatchObject({
      kind: "failed",
      failure: { code: "platform_processing_timeout" },
    });
  });

  test("asks for another token", async () => {
    expect(await settle(error(401, "Expired."))).toEqual({ kind: "token_expired" });
  });
});

describe("a lost answer", () => {
  async function reconcile(answers: Answer[], change: JobChange = {}) {
    const { fetch, calls } = scriptedFetch({ [LIST]: answers });
    const result = await googleBusiness.reconcile(job(fetch, change), READY);
    return { result, calls };
  }
  const list = (localPosts: object[], nextPageToken?: string) =>
    Response.json({ localPosts, nextPageToken });
  const old = () => shown({ createTime: later(-120).toISOString() });

  test("leaves no post where the list has none since", async () => {
    expect((await reconcile([Response.json({})])).result).toEqual({ kind: "absent" });
    const others = [
      old(),
      shown({ summary: "Other" }),
      shown({ topicType: "EVENT", event: { title: "Look" } }),
    ];
    expect((await reconcile([list(others)])).result).toEqual({ kind: "absent" });
  });

  test("is found on any page, whatever Google did to spaces", async () => {
    const { result, calls } = await reconcile(
      [list([old()], "more"), list([shown({ summary: " Look\n out " })])],
      { description: "Look out" },
    );
    expect(result).toMatchObject({ kind: "published", platformPostId: POST_NAME });
    expect(calls.map(({ query }) => query)).toEqual([
      { pageSize: "100" },
      { pageSize: "100", pageToken: "more" },
    ]);
  });

  test.each(["PROCESSING", "REJECTED"])("is followed where the post is %s", async (state) => {
    const { result } = await reconcile([list([shown({ state })])]);
    expect(result).toMatchObject({ kind: "waiting", bookmark: { stage: "review" } });
  });

  test("stays unknown with two posts alike, and with a list that does not end", async () => {
    const two = [shown(), shown({ name: `${LOCATION}/localPosts/4` })];
    expect((await reconcile([list(two)])).result).toMatchObject({ kind: "unknowable" });
    const endless = Array.from({ length: 10 }, () => list([old()], "more"));
    expect((await reconcile(endless)).result).toMatchObject({ kind: "unknowable" });
  });

  test("is asked about again while Google cannot tell", async () => {
    await expect(reconcile([error(503, "Down.")])).rejects.toThrow("Down.");
    expect((await reconcile([error(404, "Gone.")])).result).toMatchObject({ kind: "unknowable" });
  });
});

const call = (fetch: ReturnType<typeof scriptedFetch>["fetch"]) => ({
  account: { platformAccountId: LOCATION, handle: null, service: null },
  accessToken: "ya29.1",
  fetch,
  now: () => NOW,
});

test("a correction changes the text alone, and reads it back", async () => {
  const { fetch, calls } = scriptedFetch({ [PATCH]: [live()], [GET]: [live()] });
  const { calls: correction } = googleBusiness.correction;
  expect(await correction?.textsOf(post({ title: "A" }), POST_NAME)).toEqual({
    ok: true,
    value: { description: "Look" },
  });
  const texts = { description: "Look" };
  expect(await correction?.correct(call(fetch), POST_NAME, texts)).toMatchObject({ ok: true });
  expect(await correction?.shows(call(fetch), POST_NAME, texts)).toEqual({ ok: true, value: true });
  expect(calls[0]).toMatchObject({ query: { updateMask: "summary" }, json: { summary: "Look" } });
});

test("a post is deleted once, and then missing", async () => {
  const gone = () => error(404, "Requested entity was not found.");
  const { fetch } = scriptedFetch({ [DELETE]: [Response.json({}), gone()], [GET]: [gone()] });
  const { calls } = googleBusiness.removal;
  expect(await calls?.remove(call(fetch), POST_NAME)).toEqual({ ok: true, value: "deleted" });
  expect(await calls?.remove(call(fetch), POST_NAME)).toEqual({ ok: true, value: "missing" });
  expect(await calls?.readBack(call(fetch), POST_NAME)).toMatchObject({
    value: { isThere: false },
  });
});
