import { describe, expect, test } from "vitest";
import { readCreatedReply } from "../../../src/platforms/meta/containers.ts";
import { judge, toContainerRefused } from "../../../src/platforms/threads/failures.ts";
import { graphError, json } from "./scripted.ts";

const { isUndecided, toRefused } = judge;

async function refusalOf(reply: Response) {
  const read = await readCreatedReply(reply, "Threads");
  if (read.ok) throw new Error("That was no refusal.");
  return read.error;
}

const failed = (code: string, transient: boolean) => ({
  kind: "failed",
  failure: { code, message: "For developers" },
  transient,
});
const EXPIRED = { kind: "token_expired" };

test.each<[number, number | undefined, object]>([
  [190, undefined, EXPIRED],
  [190, 463, EXPIRED],
  [190, 467, EXPIRED],
  [102, undefined, EXPIRED],
  [190, 458, failed("account_disconnected", false)],
  [190, 460, failed("account_disconnected", false)],
  [10, undefined, failed("account_disconnected", false)],
  [200, undefined, failed("account_disconnected", false)],
  [299, undefined, failed("account_disconnected", false)],
  [100, 4279013, failed("account_disconnected", false)],
  [4, undefined, failed("rate_limited", true)],
  [17, undefined, failed("rate_limited", true)],
  [32, undefined, failed("rate_limited", true)],
  [613, undefined, failed("rate_limited", true)],
  [80_000, undefined, failed("rate_limited", true)],
  [80_999, undefined, failed("rate_limited", true)],
  [24, 4279009, failed("unknown", true)],
  [4, 2207051, failed("content_flagged", false)],
  [368, undefined, failed("content_flagged", false)],
  [9004, undefined, failed("media_unreachable", false)],
  [100, 2207052, failed("media_unreachable", false)],
  [1, undefined, failed("platform_unavailable", true)],
  [2, undefined, failed("platform_unavailable", true)],
  [100, undefined, failed("unknown", false)],
  [24, undefined, failed("unknown", false)],
])("code %i with subcode %s", async (code, subcode, expected) => {
  expect(toRefused(await refusalOf(graphError(code, subcode)))).toEqual(expected);
});

describe("what only the words say", () => {
  test.each<[number, Record<string, string>, string]>([
    [100, { message: "THREADS_API__LINK_LIMIT_EXCEEDED" }, "content_flagged"],
    [
      100,
      { message: "THREADS_API__LINK_LIMIT_EXCEEDED", error_user_msg: "Too many links." },
      "content_flagged",
    ],
    [-1, { message: "THREADS_API__LINK_LIMIT_EXCEEDED" }, "platform_unavailable"],
    [100, { message: "(#100) Param text must be at most 500 characters long." }, "content_flagged"],
    [100, { message: "(#100) The parameter text is required" }, "content_flagged"],
    [100, { message: "Param alt_text must be at most 1000 characters long." }, "unknown"],
    [100, { error_user_title: "Publishing limit reached" }, "rate_limited"],
    [100, { message: "You have exceeded the quota of posts" }, "rate_limited"],
    [4, { error_user_msg: "You reached the maximum number of posts." }, "rate_limited"],
    [10, { message: "The text is too long" }, "account_disconnected"],
  ])("code %i, %j", async (code, words, expected) => {
    expect(toRefused(await refusalOf(graphError(code, undefined, words)))).toMatchObject({
      failure: { code: expected },
      transient: expected === "platform_unavailable",
    });
  });
});

describe("answers without Meta's numbers", () => {
  test.each([
    ["a gateway's page", new Response("<html>", { status: 502 }), "platform_unavailable", true],
    ["an unreadable 200", new Response("ok"), "platform_unavailable", true],
    ["a bare 429", new Response(null, { status: 429 }), "rate_limited", true],
    ["a bare 400", new Response(null, { status: 400 }), "unknown", false],
    [
      "is_transient",
      graphError(5555, undefined, { is_transient: true }),
      "platform_unavailable",
      true,
    ],
  ])("%s", async (_, reply, code, transient) => {
    const refused = toRefused(await refusalOf(reply));
    expect(refused).toMatchObject({ kind: "failed", failure: { code }, transient });
  });

  test("a bare 401 asks for a fresh token", async () => {
    expect(toRefused(await refusalOf(new Response(null, { status: 401 })))).toEqual(EXPIRED);
  });
});

test("the wait that a rate limit names is told", async () => {
  const usage = { "1": [{ type: "threads", estimated_time_to_regain_access: 5 }] };
  const headers = { "x-business-use-case-usage": JSON.stringify(usage) };
  expect(toRefused(await refusalOf(graphError(4, undefined, {}, 400, headers)))).toMatchObject({
    failure: { code: "rate_limited", retryAfterSeconds: 300 },
    transient: true,
  });
});

test.each([
  ["a 500", graphError(2, undefined, {}, 500), true],
  ["a transient 400", graphError(2, undefined, { is_transient: true }), true],
  ["a gateway's page", new Response("", { status: 504 }), true],
  ["an unreadable 200", json({ id: null }), true],
  ["not there yet", graphError(24, 4279009, { is_transient: true }), false],
  ["not there yet with a 500", graphError(24, 4279009, {}, 500), false],
  [
    "a link limit",
    graphError(100, undefined, { message: "THREADS_API__LINK_LIMIT_EXCEEDED" }),
    false,
  ],
  ["a dead token", graphError(190, 463), false],
  ["a rate limit", graphError(4), false],
])("whether %s leaves open if the post is out", async (_, reply, undecided) => {
  expect(isUndecided(await refusalOf(reply))).toBe(undecided);
});

test.each<[string | null, string, boolean]>([
  ["FAILED_DOWNLOADING_VIDEO", "media_unreachable", false],
  ["FAILED_PROCESSING_AUDIO", "media_invalid", false],
  ["FAILED_PROCESSING_VIDEO", "media_invalid", false],
  ["INVALID_ASPEC_RATIO", "media_invalid", false],
  ["INVALID_ASPECT_RATIO", "media_invalid", false],
  ["INVALID_BIT_RATE", "media_invalid", false],
  ["INVALID_DURATION", "media_invalid", false],
  ["INVALID_FRAME_RATE", "media_invalid", false],
  ["INVALID_AUDIO_CHANNELS", "media_invalid", false],
  ["INVALID_AUDIO_CHANNEL_LAYOUT", "media_invalid", false],
  ["UNKNOWN", "unknown", true],
  ["SOMETHING_ELSE", "unknown", false],
  [null, "unknown", false],
])("a container that ended as %j", (reason, code, transient) => {
  const refused = toContainerRefused(reason);
  expect(refused).toMatchObject({ failure: { code }, transient });
  expect(refused.restart).toBe(transient ? true : undefined);
  expect(refused.failure.message).toContain(reason ?? "could not prepare");
});
