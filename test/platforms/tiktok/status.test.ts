import { expect, test } from "vitest";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { type Answer, data, error, job, NOW, scriptedFetch } from "./scripted.ts";

const PROCESSING = {
  stage: "processing",
  publishId: "v_pub_file~1",
  username: "ada",
  isForInbox: false,
  since: NOW.getTime(),
};

async function settle(answer: Answer, change: object = {}, afterSeconds = 0) {
  const { fetch } = scriptedFetch({ "status/fetch/": [answer] });
  const now = new Date(NOW.getTime() + afterSeconds * 1_000);
  const publishJob = job(fetch, { now, account: { handle: null } });
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

test("a post without a public id has the profile as its address", async () => {
  const complete = () => data({ status: "PUBLISH_COMPLETE", publicaly_available_post_id: [] });
  expect(await settle(complete())).toEqual({
    kind: "published",
    platformPostId: "v_pub_file~1",
    shareUrl: "https://www.tiktok.com/@ada",
  });
  expect(await settle(complete(), { username: null })).toMatchObject({ shareUrl: null });
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
