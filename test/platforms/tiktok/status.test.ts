import { describe, expect, test } from "vitest";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import {
  type Answer,
  data,
  error,
  type JobChange,
  job,
  NOW,
  photo,
  scriptedFetch,
} from "./scripted.ts";

const PROCESSING = {
  stage: "processing",
  publishId: "v_pub_file~1",
  username: "ada",
  isForInbox: false,
  isPublic: true,
  warnings: [] as string[],
  since: NOW.getTime(),
  completeSince: null,
};

async function settle(
  answer: Answer,
  change: object = {},
  afterSeconds = 0,
  list: Answer[] = [],
  post: JobChange = {},
) {
  const { fetch } = scriptedFetch({ "status/fetch/": [answer], "video/list/": list });
  const now = new Date(NOW.getTime() + afterSeconds * 1_000);
  const publishJob = job(fetch, { now, account: { handle: null }, ...post });
  return tiktok.settle?.(publishJob, { ...PROCESSING, ...change });
}

const text = (body: string) => new Response(body);

test.each([
  ["as TikTok spells it", "publicaly_available_post_id", "[7512345678901234567]"],
  ["as it should be spelled", "publicly_available_post_id", "[ 7512345678901234567 ]"],
  ["as a string", "publicaly_available_post_id", '["7512345678901234567"]'],
])("reads the id %s without losing a digit", async (_, name, ids) => {
  const body = `{"data":{"status":"PUBLISH_COMPLETE","${name}":${ids}},"error":{"code":"ok","message":""}}`;
  expect(await settle(text(body))).toEqual({
    kind: "published",
    platformPostId: "7512345678901234567",
    shareUrl: "https://www.tiktok.com/@ada/video/7512345678901234567",
  });
});

const complete = () => data({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: [] });

test("a post that not everybody sees has no address, and none is waited for", async () => {
  expect(await settle(complete(), { isPublic: false, warnings: ["Private."] })).toEqual({
    kind: "published",
    platformPostId: "v_pub_file~1",
    shareUrl: null,
    warnings: ["Private."],
  });
});

describe("a post that is out, and has no id yet", () => {
  const since = NOW.getTime();

  test.each([
    [null, 40, since + 40_000, 15],
    [since, 59, since, 15],
    [since, 60, since, 30],
    [since, 149, since, 30],
  ])(
    "complete since %s: after %i s it is asked for again",
    async (knownCase, after, then, every) => {
      expect(await settle(complete(), { completeSince: knownCase }, after)).toEqual({
        kind: "waiting",
        bookmark: { ...PROCESSING, completeSince: then },
        checkAfterSeconds: every,
      });
    },
  );

  const listed = (change: object = {}) => ({
    id: "7512345678901234567",
    create_time: Math.floor(since / 1_000),
    share_url: "https://www.tiktok.com/@ada/video/7512345678901234567",
    video_description: "Look",
    title: "",
    ...change,
  });
  const UNKNOWN = { kind: "published", platformPostId: "v_pub_file~1", shareUrl: null };
  const last = (list: Answer, post: JobChange = {}) =>
    settle(complete(), { completeSince: since }, 150, [list], post);

  test.each<[string, JobChange, object]>([
    ["a video", {}, {}],
    ["photos", { media: [photo()], description: "More" }, { video_description: "More" }],
  ])("is looked for among the account's public posts in the end: %s", async (_, post, change) => {
    expect(await last(data({ videos: [listed(change)] }), post)).toEqual({
      kind: "published",
      platformPostId: "7512345678901234567",
      shareUrl: "https://www.tiktok.com/@ada/video/7512345678901234567",
    });
  });

  test.each<[string, () => Answer]>([
    ["no post", () => data({ videos: [] })],
    ["another post", () => data({ videos: [listed({ video_description: "Other" })] })],
    ["an older one", () => data({ videos: [listed({ create_time: since / 1_000 - 61 })] })],
    ["two like it", () => data({ videos: [listed(), listed({ id: "7" })] })],
    ["a refusal", () => error(401, "scope_not_authorized")],
    ["an outage", () => error(500, "internal_error")],
    ["a broken connection", () => new TypeError("Network connection lost.")],
  ])("stays without an address where the list shows %s", async (_, list) => {
    expect(await last(list())).toEqual(UNKNOWN);
  });

  test("is looked for, whatever the question about it is answered with", async () => {
    const refusal = () => error(400, "invalid_publish_id");
    const list = [data({ videos: [listed()] })];
    expect(await settle(refusal(), { completeSince: since }, 150, list)).toMatchObject({
      platformPostId: "7512345678901234567",
    });
    expect(await settle(refusal(), { completeSince: since }, 60)).toMatchObject({
      kind: "waiting",
    });
  });

  test("is out all the same where the login has ended meanwhile", async () => {
    const refusal = () => error(401, "access_token_invalid");
    expect(await last(refusal())).toEqual(UNKNOWN);
    expect(await settle(refusal(), { completeSince: since }, 20)).toEqual(UNKNOWN);
  });

  test("is known by a bookmark of an earlier version", async () => {
    const { isPublic: _, warnings: __, completeSince: ___, ...older } = PROCESSING;
    const { fetch } = scriptedFetch({ "status/fetch/": [complete()] });
    expect(await tiktok.settle?.(job(fetch), older)).toMatchObject({ kind: "waiting" });
  });
});

test("a draft in the inbox has no address", async () => {
  expect(await settle(data({ status: "SEND_TO_USER_INBOX" }), { isForInbox: true })).toEqual({
    kind: "published",
    platformPostId: "v_pub_file~1",
    shareUrl: null,
  });
});

test.each([
  [0, 5],
  [29, 5],
  [30, 10],
  [119, 10],
  [120, 30],
  [10_000, 30],
])("after %i seconds looks again in %i, with the bookmark unchanged", async (after, every) => {
  const answer = data({ status: "PROCESSING_UPLOAD", uploaded_bytes: 1 });
  expect(await settle(answer, {}, after)).toEqual({
    kind: "waiting",
    bookmark: PROCESSING,
    checkAfterSeconds: every,
  });
});

test("a post that was given up ends with the reason", async () => {
  const failed = data({ status: "FAILED", fail_reason: "picture_size_check_failed" });
  expect(await settle(failed)).toMatchObject({
    kind: "failed",
    failure: { code: "media_invalid" },
    transient: false,
  });
});

test("a refused question never invites a second post", async () => {
  expect(await settle(error(401, "scope_not_authorized"))).toMatchObject({
    kind: "failed",
    failure: { code: "platform_processing_timeout" },
    transient: false,
  });
});

test.each([
  [500, "internal_error"],
  [429, "rate_limit_exceeded"],
])("HTTP %i is asked again", async (status, code) => {
  expect(await settle(error(status, code))).toMatchObject({ kind: "failed", transient: true });
});

test("a body that cannot be read is asked again", async () => {
  expect(await settle(text("<html>"))).toMatchObject({ kind: "failed", transient: true });
});

test("a refused token is refreshed", async () => {
  expect(await settle(error(401, "access_token_invalid"))).toEqual({ kind: "token_expired" });
});
