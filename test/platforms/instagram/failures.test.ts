import { describe, expect, test } from "vitest";
import {
  isUndecided,
  toContainerRefused,
  toRefused,
} from "../../../src/platforms/instagram/failures.ts";
import { readCreatedReply } from "../../../src/platforms/meta/containers.ts";
import { graphError, json } from "./scripted.ts";

async function refusalOf(reply: Response) {
  const read = await readCreatedReply(reply, "Instagram");
  if (read.ok) throw new Error("That was no refusal.");
  return read.error;
}

const failed = (code: string, transient: boolean, restart = false) => ({
  kind: "failed",
  failure: { code, message: "For developers" },
  transient,
  ...(restart ? { restart } : {}),
});
const EXPIRED = { kind: "token_expired" };

test.each<[number, number | undefined, object]>([
  [-2, 2207003, failed("media_unreachable", false)],
  [9004, 2207052, failed("media_unreachable", false)],
  [9004, undefined, failed("media_unreachable", false)],
  [100, 2207077, failed("media_unreachable", false)],
  [100, 2207076, failed("media_unreachable", false)],
  [-2, 2207020, failed("platform_unavailable", true, true)],
  [-1, 2207001, failed("platform_unavailable", true)],
  [-1, 2207032, failed("platform_unavailable", true)],
  [-1, 2207053, failed("platform_unavailable", true)],
  [100, 2207082, failed("platform_unavailable", true)],
  [100, 2207085, failed("unknown", false)],
  [9007, 2207027, failed("platform_unavailable", true)],
  [24, 2207008, failed("platform_unavailable", true)],
  [24, 2207006, failed("unknown", false)],
  [1, 2207057, failed("media_invalid", false)],
  [100, 2207023, failed("unknown", false)],
  [100, 2207028, failed("media_invalid", false)],
  [100, 2207035, failed("unknown", false)],
  [100, 2207036, failed("unknown", false)],
  [100, 2207037, failed("unknown", false)],
  [100, 2207040, failed("unknown", false)],
  [352, 2207026, failed("media_invalid", false)],
  [36000, 2207004, failed("media_invalid", false)],
  [36001, 2207005, failed("media_invalid", false)],
  [36003, 2207009, failed("media_invalid", false)],
  [36004, 2207010, failed("content_flagged", false)],
  [4, 2207051, failed("content_flagged", false)],
  [9, 2207042, failed("rate_limited", false)],
  [25, 2207050, failed("account_disconnected", false)],
  [100, 2207081, failed("unknown", false)],
  [100, undefined, failed("unknown", false)],
  [20, 1772107, failed("unknown", false)],
  [190, undefined, EXPIRED],
  [190, 463, EXPIRED],
  [190, 467, EXPIRED],
  [102, undefined, EXPIRED],
  [190, 458, failed("account_disconnected", false)],
  [190, 459, failed("account_disconnected", false)],
  [190, 460, failed("account_disconnected", false)],
  [190, 464, failed("account_disconnected", false)],
  [10, undefined, failed("account_disconnected", false)],
  [200, undefined, failed("account_disconnected", false)],
  [299, undefined, failed("account_disconnected", false)],
  [4, undefined, failed("rate_limited", true)],
  [17, undefined, failed("rate_limited", true)],
  [32, undefined, failed("rate_limited", true)],
  [613, undefined, failed("rate_limited", true)],
  [80002, undefined, failed("rate_limited", true)],
  [368, undefined, failed("content_flagged", false)],
  [1, undefined, failed("platform_unavailable", true)],
  [2, undefined, failed("platform_unavailable", true)],
])("code %i with subcode %s", async (code, subcode, expected) => {
  expect(toRefused(await refusalOf(graphError(code, subcode)))).toEqual(expected);
});

describe("answers without Meta's numbers", () => {
  test.each([
    ["a gateway's page", new Response("<html>", { status: 502 }), "platform_unavailable", true],
    ["an unreadable 200", new Response("ok"), "platform_unavailable", true],
    ["a redirect", new Response(null, { status: 302 }), "platform_unavailable", true],
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

test("a location that Instagram does not know is told in its words", async () => {
  const message = "Invalid parameter: INVALID_LOCATION_ID";
  expect(toRefused(await refusalOf(graphError(100, undefined, { message })))).toEqual({
    kind: "failed",
    failure: { code: "unknown", message },
    transient: false,
  });
});

test("tells what a person is to read, at most 500 characters of it", async () => {
  const reply = graphError(352, 2207026, { error_user_msg: "Choose another video." });
  expect(toRefused(await refusalOf(reply))).toMatchObject({
    failure: { message: "Choose another video." },
  });
  const long = graphError(352, 2207026, { error_user_msg: "x".repeat(900) });
  expect((await refusalOf(long)).message).toHaveLength(500);
});

test.each([
  [5, { retryAfterSeconds: 300 }, true],
  [45, { retryAfterSeconds: 2_700 }, false],
  [5_000, { retryAfterSeconds: 86_400 }, false],
])("a rate limit of %i minutes", async (minutes, outcome, transient) => {
  const usage = { "17841": [{ type: "instagram", estimated_time_to_regain_access: minutes }] };
  const headers = { "x-business-use-case-usage": JSON.stringify(usage) };
  const refused = toRefused(await refusalOf(graphError(80002, undefined, {}, 400, headers)));
  expect(refused).toMatchObject({ failure: { code: "rate_limited", ...outcome }, transient });
});

test.each([
  ["not json", undefined],
  ['{"1":[{}]}', undefined],
  ['{"1":[{"estimated_time_to_regain_access":0}]}', undefined],
])("a usage header that says nothing: %s", async (header, wait) => {
  const reply = graphError(4, undefined, {}, 400, { "x-business-use-case-usage": header });
  const refused = toRefused(await refusalOf(reply));
  expect(refused).toMatchObject({ transient: true });
  expect(refused.kind === "failed" && refused.failure.retryAfterSeconds).toBe(wait);
});

test.each([
  ["a 500", graphError(2, undefined, {}, 500), true],
  ["a transient 400", graphError(2, undefined, { is_transient: true }), true],
  ["Instagram's own error", graphError(-1, 2207001), true],
  ["a gateway's page", new Response("", { status: 504 }), true],
  ["an unreadable 200", json({ id: null }), true],
  ["not ready", graphError(9007, 2207027, { is_transient: true }), false],
  ["temporarily missing", graphError(24, 2207008), false],
  ["the daily cap", graphError(9, 2207042), false],
  ["a dead token", graphError(190, 463), false],
  ["a rate limit", graphError(4), false],
])("whether %s leaves open if the post is out", async (_, reply, undecided) => {
  expect(isUndecided(await refusalOf(reply))).toBe(undecided);
});

test.each<[string | null, string, boolean]>([
  ["Error: Media upload has failed with error code 2207026", "media_invalid", false],
  ["Error: Media upload has failed with error code 2207052", "media_unreachable", false],
  ["Error: Media upload has failed with error code 2207053", "platform_unavailable", true],
  ["Error: the video duration is not supported", "media_invalid", false],
  ["Error: something", "unknown", false],
  [null, "unknown", false],
])("a container that ended as %j", (status, code, transient) => {
  expect(toContainerRefused(status)).toMatchObject({
    failure: { code },
    transient,
    ...(transient ? { restart: true } : {}),
  });
});
