import { describe, expect, test } from "vitest";
import { pinterest } from "../../../src/platforms/pinterest/index.ts";
import {
  type Answer,
  BOARD,
  error,
  image,
  type JobChange,
  job,
  json,
  MEDIA_ID,
  NOW,
  scriptedFetch,
  video,
} from "./scripted.ts";

const READY = { stage: "ready", mediaId: null, readyAt: NOW.getTime() };
const VIDEO_READY = { ...READY, mediaId: MEDIA_ID };
const VIDEO = { media: [video()] };

test("images need nothing before the pin", async () => {
  const { fetch, calls } = scriptedFetch({});
  expect(await pinterest.prepare(job(fetch), null)).toEqual({ kind: "ready", bookmark: READY });
  expect(await pinterest.prepare(job(fetch), READY)).toEqual({ kind: "ready", bookmark: READY });
  expect(calls).toEqual([]);
});

test("a post without media ends, whoever let it in", async () => {
  const { fetch } = scriptedFetch({});
  expect(await pinterest.prepare(job(fetch, { media: [] }), null)).toMatchObject({
    failure: { code: "media_invalid" },
  });
});

async function submit(answer: Answer, change: JobChange = {}, bookmark: object = READY) {
  const { fetch, calls } = scriptedFetch({ "POST /pins": [answer] });
  const result = await pinterest.submit(job(fetch, change), { ...bookmark });
  return { result, calls };
}

const made = () => json({ id: "813744226420795884", title: "Look" }, 201);

describe("making the pin", () => {
  test("sends all of an image's pin in one call", async () => {
    const { result, calls } = await submit(made(), {
      description: "More",
      settings: { board_id: BOARD, link: "https://example.com/a?b=ü", alt_text: "A square" },
    });
    expect(result).toEqual({
      kind: "published",
      platformPostId: "813744226420795884",
      shareUrl: "https://www.pinterest.com/pin/813744226420795884/",
    });
    expect(calls).toMatchObject([
      {
        method: "POST",
        url: "https://api.pinterest.com/v5/pins",
        headers: { authorization: "Bearer pina_1", "content-type": "application/json" },
        redirect: "manual",
      },
    ]);
    expect(calls[0]?.json).toEqual({
      board_id: BOARD,
      title: "Look",
      description: "More",
      link: "https://example.com/a?b=ü",
      alt_text: "A square",
      media_source: {
        source_type: "image_url",
        url: "https://akimbo.test/media/1/abab/original",
      },
    });
  });

  test.each([null, " "])("sends nothing that was not given (%j), save the title", async (blank) => {
    const { calls } = await submit(made(), { title: blank, description: blank });
    expect(Object.keys(calls[0]?.json)).toEqual(["board_id", "title", "media_source"]);
    expect(calls[0]?.json.title).toBe("Untitled");
  });

  test("names the images of a carousel in their order", async () => {
    const media = [image(), image({ sha256: "12".repeat(32), mime: "image/png" })];
    const { calls } = await submit(made(), { media });
    expect(calls[0]?.json.media_source).toEqual({
      source_type: "multiple_image_urls",
      items: [
        { url: "https://akimbo.test/media/1/abab/original" },
        { url: "https://akimbo.test/media/1/1212/original" },
      ],
      index: 0,
    });
  });

  test.each([
    [undefined, 0],
    ["1500", 2],
  ])("shows a video with its cover at %s ms", async (ms, seconds) => {
    const settings = {
      pinterest_board_id: BOARD,
      ...(ms ? { pinterest_cover_time_ms: ms } : {}),
    };
    const { calls } = await submit(made(), { ...VIDEO, settings }, VIDEO_READY);
    expect(calls[0]?.json.media_source).toEqual({
      source_type: "video_id",
      media_id: MEDIA_ID,
      cover_image_key_frame_time: seconds,
    });
  });

  test.each<[string, Answer, object]>([
    ["a refusal", error(404, 40, "Board not found."), { failure: { code: "unknown" } }],
    ["a busy board", error(409), { failure: { code: "platform_unavailable" }, transient: true }],
    ["a refused token", error(401, 2), { kind: "token_expired" }],
    ["a server error", error(500), { kind: "unknown" }],
    ["a time-out", error(408), { kind: "unknown" }],
    ["a success without an id", json({}, 201), { kind: "unknown" }],
    ["a redirect", new Response(null, { status: 302 }), { kind: "unknown" }],
  ])("%s", async (_, answer, expected) => {
    expect((await submit(answer)).result).toMatchObject(expected);
  });

  describe("of an image that Pinterest cannot fetch", () => {
    const NOT_REACHED = () => error(400, 235, "Unable to reach the URL. Please check the URL.");

    async function submitTwice(answers: Answer[], change: JobChange) {
      const { fetch, calls } = scriptedFetch({ "POST /pins": answers });
      const result = await pinterest.submit(job(fetch, change), { ...READY });
      return { result, calls };
    }

    test("sends the image itself in a second call, with its length", async () => {
      const bytes = "the image, whose length is no multiple of three";
      const media = [image({ sizeBytes: bytes.length, mime: "image/png" })];
      const { result, calls } = await submitTwice([NOT_REACHED(), made()], { media, bytes });
      expect(result).toMatchObject({ kind: "published", platformPostId: "813744226420795884" });
      expect(calls).toHaveLength(2);
      const [first, second] = calls;
      expect(second?.json).toEqual({
        ...first?.json,
        media_source: { source_type: "image_base64", content_type: "image/png", data: btoa(bytes) },
      });
      expect(second?.headers).toMatchObject({
        authorization: "Bearer pina_1",
        "content-type": "application/json",
      });
    });

    test("sends all images of a carousel in their order", async () => {
      const bytes = "abcd";
      const media = [image({ sizeBytes: 4 }), image({ sizeBytes: 4, mime: "image/png" })];
      const { calls } = await submitTwice([NOT_REACHED(), made()], { media, bytes });
      expect(calls[1]?.json.media_source).toEqual({
        source_type: "multiple_image_base64",
        items: [
          { content_type: "image/jpeg", data: "YWJjZA==" },
          { content_type: "image/png", data: "YWJjZA==" },
        ],
        index: 0,
      });
    });

    test("says what Pinterest says to the second call", async () => {
      const media = [image({ sizeBytes: 3 })];
      const answers = [NOT_REACHED(), error(400, 236, "The image size is too small.")];
      const { result } = await submitTwice(answers, { media, bytes: "abc" });
      expect(result).toMatchObject({ kind: "failed", failure: { code: "media_invalid" } });
      const lost = await submitTwice([NOT_REACHED(), error(500)], { media, bytes: "abc" });
      expect(lost.result).toMatchObject({ kind: "unknown" });
    });

    test("sends no second call for a video", async () => {
      const { fetch, calls } = scriptedFetch({ "POST /pins": [NOT_REACHED()] });
      const result = await pinterest.submit(job(fetch, VIDEO), { ...VIDEO_READY });
      expect(result).toMatchObject({ failure: { code: "media_unreachable" } });
      expect(calls).toHaveLength(1);
    });
  });

  test("nothing is made before a video is ready", async () => {
    const { fetch } = scriptedFetch({});
    await expect(pinterest.submit(job(fetch), { stage: "checked" })).rejects.toThrow();
    await expect(pinterest.submit(job(fetch), {})).rejects.toThrow();
  });
});

const PAGE = `GET /boards/${BOARD}/pins`;

const pin = (change: object = {}) => ({
  id: "1",
  created_at: "2026-12-01T09:00:30",
  title: "Look",
  description: null,
  link: null,
  is_owner: true,
  parent_pin_id: null,
  media: { media_type: "image" },
  ...change,
});
const OLD = pin({ id: "2", created_at: "2026-12-01T08:58:59" });

const page = (items: object[], bookmark: string | null = null) => json({ items, bookmark });

async function reconcile(answers: Answer[], change: JobChange = {}, bookmark: object = READY) {
  const { fetch, calls } = scriptedFetch({ [PAGE]: answers });
  const result = await pinterest.reconcile(job(fetch, change), { ...bookmark });
  return { result, calls };
}

const FOUND = {
  kind: "published",
  platformPostId: "1",
  shareUrl: "https://www.pinterest.com/pin/1/",
};
const ABSENT = { kind: "absent" };
const UNKNOWABLE = { kind: "unknowable" };

describe("looking for a pin without an answer", () => {
  test("asks for the newest of its board", async () => {
    const { calls } = await reconcile([page([])]);
    expect(calls).toMatchObject([
      {
        url: `https://api.pinterest.com/v5/boards/${BOARD}/pins?page_size=25`,
        headers: { authorization: "Bearer pina_1" },
      },
    ]);
  });

  test.each<[string, object[], JobChange, object]>([
    ["finds it", [pin(), OLD], {}, FOUND],
    [
      "finds it by title, description and link",
      [pin({ description: "One two", link: "https://example.com/" })],
      {
        description: " One\r\n\r\ntwo",
        settings: { board_id: BOARD, link: "https://example.com" },
      },
      FOUND,
    ],
    ["finds one from a moment before", [pin({ created_at: "2026-12-01T08:59:01" })], {}, FOUND],
    ["reads an offset", [pin({ created_at: "2026-12-01T10:00:30+01:00" })], {}, FOUND],
    ["finds what says no time", [pin({ created_at: null })], {}, FOUND],
    ["finds what says no kind", [pin({ media: null })], {}, FOUND],
    ["finds an untitled one", [pin({ title: "Untitled" })], { title: null }, FOUND],
    ["does not find it on an empty board", [], {}, ABSENT],
    ["does not take an older one", [OLD], {}, ABSENT],
    ["does not take another title", [pin({ title: "Other" })], {}, ABSENT],
    ["does not take one of somebody else", [pin({ is_owner: false })], {}, ABSENT],
    ["does not take one that was saved", [pin({ parent_pin_id: "9" })], {}, ABSENT],
    ["does not take a video for an image", [pin({ media: { media_type: "video" } })], {}, ABSENT],
    [
      "does not take one whose link and description are others",
      [pin({ description: "Other", link: "https://b.example" })],
      { description: "One", settings: { board_id: BOARD, link: "https://a.example" } },
      ABSENT,
    ],
    [
      "does not decide on one whose title was changed",
      [pin({ title: "look…", description: "One" })],
      { description: "One" },
      UNKNOWABLE,
    ],
    ["does not choose among several", [pin(), pin({ id: "3" })], {}, UNKNOWABLE],
    [
      "does not decide on one whose link was changed",
      [pin({ link: "https://example.com/?utm=1" })],
      { settings: { board_id: BOARD, link: "https://example.com" } },
      UNKNOWABLE,
    ],
  ])("%s", async (_, items, change, expected) => {
    expect((await reconcile([page(items)], change)).result).toMatchObject(expected);
  });

  test("finds a video among images", async () => {
    const items = [pin({ id: "3" }), pin({ media: { media_type: "video" } })];
    expect((await reconcile([page(items)], VIDEO, VIDEO_READY)).result).toEqual(FOUND);
  });

  test("goes on to the next page while all are new", async () => {
    const others = [pin({ id: "3", title: "Other" })];
    const { result, calls } = await reconcile([page(others, "next&1"), page([pin(), OLD], "x")]);
    expect(result).toEqual(FOUND);
    expect(calls[1]?.url).toMatch(/\?page_size=25&bookmark=next%261$/);
  });

  test("looks through the whole of a board that is in no order of time", async () => {
    const late = pin({ created_at: "2026-12-01T09:00:40", title: "Other", id: "4" });
    const unordered = () => page([OLD, late], "next");
    expect((await reconcile([unordered(), page([pin()])])).result).toEqual(FOUND);
    expect((await reconcile([unordered(), page([])])).result).toEqual(ABSENT);
    const endless = [unordered(), unordered(), unordered(), unordered()];
    expect((await reconcile(endless)).result).toMatchObject(UNKNOWABLE);
  });

  test("does not decide on a board that has too many new ones", async () => {
    const others = () => page([pin({ title: "Other" })], "next");
    const { result, calls } = await reconcile([others(), others(), others(), others()]);
    expect(result).toMatchObject(UNKNOWABLE);
    expect(calls).toHaveLength(4);
  });

  test("asks for a fresh token, and gives up where the board is gone", async () => {
    expect((await reconcile([error(401, 2)])).result).toEqual({ kind: "token_expired" });
    expect((await reconcile([error(404, 40, "Board not found.")])).result).toEqual({
      kind: "unknowable",
      message: "Board not found.",
    });
  });

  test.each<[string, Answer]>([
    ["an outage", error(500)],
    ["too many calls", error(429, 8)],
    ["a page that cannot be read", json({ items: "none" })],
  ])("is asked again later after %s", async (_, answer) => {
    await expect(reconcile([answer])).rejects.toThrow();
  });
});
