import { describe, expect, test } from "vitest";
import {
  isDuplicate,
  isUndecided,
  toLinkRefused,
  toPullRefused,
  toRefused,
} from "../../../src/platforms/facebook/failures.ts";
import { readFinishReply, readPullReelReply } from "../../../src/platforms/facebook/video-api.ts";
import { graphError, json } from "./scripted.ts";

async function refusalOf(reply: Response) {
  const read = await readFinishReply(reply);
  if (read.ok) throw new Error("That was no refusal.");
  return read.error;
}

const failed = (code: string, transient = false, restart = false) => ({
  kind: "failed",
  failure: { code, message: "For developers" },
  transient,
  ...(restart ? { restart } : {}),
});
const UNAVAILABLE = failed("platform_unavailable", true);
const GONE = failed("platform_unavailable", true, true);
const LOST = failed("account_disconnected");
const INVALID = failed("media_invalid");
const FLAGGED = failed("content_flagged");
const UNREACHABLE = failed("media_unreachable");
const LIMITED = failed("rate_limited", true);
const UNKNOWN = failed("unknown");
const EXPIRED = { kind: "token_expired" };

const rows: [numbers: number[], expected: object][] = [
  [[10, 200, 299, 3, 210], LOST],
  [[4, 17, 32, 341, 613, 80_000, 80_001, 80_014], LIMITED],
  [[1, 2], UNAVAILABLE],
  [[102, 190], EXPIRED],
  [[389], UNREACHABLE],
  [[6000, 6001, 382, 324], INVALID],
  [[368, 506], FLAGGED],
  [[100], UNKNOWN],
];

/** Mostly error_subcode, sometimes code. */
const longRows: [numbers: number[], expected: object][] = [
  [[1390008], failed("rate_limited")],
  [[1363019, 1363021, 1363037, 1363047, 1609010], UNAVAILABLE],
  [[1363030, 1363033, 1363041, 1363045], GONE],
  [[1500, 1609005], UNREACHABLE],
  [[2061006, 1609008], FLAGGED],
  [[1363020, 1363022, 1363023, 1363024, 1363025, 1363026, 1363031, 1363032], INVALID],
  [[1363040, 1363127, 1363128, 1363129, 1366046, 2069019], INVALID],
  [[1366051], UNKNOWN],
  [[1346003, 1404102, 1349125], FLAGGED],
  [[1404006, 4854002, 1404112, 1404078, 1363042], LOST],
];

const spread = (table: typeof rows) =>
  table.flatMap(([numbers, expected]) =>
    numbers.map((number): [number, object] => [number, expected]),
  );

test.each(spread([...rows, ...longRows]))("code %i", async (code, expected) => {
  expect(toRefused(await refusalOf(graphError(code)))).toEqual(expected);
});

test.each(spread(longRows))("subcode %i", async (subcode, expected) => {
  expect(toRefused(await refusalOf(graphError(100, subcode)))).toEqual(expected);
});

test.each([1500, 1609005])(
  "%i is the address: of a file out of reach, of a link flagged",
  async (number) => {
    for (const reply of [() => graphError(number), () => graphError(100, number)]) {
      const refusal = await refusalOf(reply());
      expect(isUndecided(refusal)).toBe(false);
      expect(toRefused(refusal)).toEqual(UNREACHABLE);
      expect(toLinkRefused(refusal)).toEqual(FLAGGED);
    }
  },
);

test("a link post is refused like any other for the rest", async () => {
  expect(toLinkRefused(await refusalOf(graphError(100, 1366046)))).toEqual(INVALID);
  expect(toLinkRefused(await refusalOf(graphError(190)))).toEqual(EXPIRED);
});

test.each<[number, object]>([
  [458, LOST],
  [459, LOST],
  [460, LOST],
  [464, LOST],
  [463, EXPIRED],
  [467, EXPIRED],
  [492, EXPIRED],
])("a token refused with subcode %i", async (subcode, expected) => {
  expect(toRefused(await refusalOf(graphError(190, subcode)))).toEqual(expected);
});

test.each([
  ["(#100) No permission to publish the video", "account_disconnected"],
  ["(#100) The image could not be read", "media_invalid"],
  ["(#100) Param file_url must be a valid URI", "unknown"],
])("what only words tell: %s", async (message, code) => {
  const refused = toRefused(await refusalOf(graphError(100, undefined, { message })));
  expect(refused).toMatchObject({ failure: { code, message }, transient: false });
});

test.each<[string, Response, object]>([
  ["a gateway's page", new Response("<html>", { status: 502 }), { transient: true }],
  ["an unreadable 200", json({ success: false }), { transient: true }],
  ["is_transient", graphError(5555, undefined, { is_transient: true }), { transient: true }],
  ["a bare 429", new Response(null, { status: 429 }), { failure: { code: "rate_limited" } }],
  ["a bare 401", new Response(null, { status: 401 }), EXPIRED],
  ["a bare 400", new Response(null, { status: 400 }), { failure: { code: "unknown" } }],
])("%s", async (_, reply, expected) => {
  expect(toRefused(await refusalOf(reply))).toMatchObject(expected);
});

test.each([
  [5, 300, true],
  [45, 2_700, false],
])("a rate limit of %i minutes", async (minutes, seconds, transient) => {
  const usage = JSON.stringify({ "1": [{ estimated_time_to_regain_access: minutes }] });
  const body = { error: { message: "x", code: 80_001 } };
  const reply = json(body, 400, { "x-business-use-case-usage": usage });
  expect(toRefused(await refusalOf(reply))).toMatchObject({
    failure: { code: "rate_limited", retryAfterSeconds: seconds },
    transient,
  });
});

test.each([
  ["a 500", graphError(2, undefined, {}, 500), true],
  ["a transient 400", graphError(2, undefined, { is_transient: true }), true],
  ["an unreadable 200", json({}), true],
  ["a duplicate", graphError(506, undefined, { is_transient: true }), false],
  ["posting too fast", graphError(368, 1390008, { is_transient: true }), false],
  ["a dead token", graphError(190, 463), false],
  ["a rate limit", graphError(4), false],
  ["a bad video", graphError(6000, 1363024), false],
])("whether %s leaves open if the post is out", async (_, reply, undecided) => {
  expect(isUndecided(await refusalOf(reply))).toBe(undecided);
});

test.each([
  [graphError(506), true],
  [graphError(100, 1366051), true],
  [graphError(368), false],
])("what is a duplicate, case %#", async (reply, expected) => {
  expect(isDuplicate(await refusalOf(reply))).toBe(expected);
});

describe("the server that fetches reels", () => {
  const debug = (type: string, retriable = false, code = 400) =>
    json({ debug_info: { retriable, type, message: "In its words" } }, code);
  test.each<[string, Response, object]>([
    ["a lost place", debug("OffsetInvalidError"), { transient: true, restart: true }],
    ["half a file", debug("PartialRequestError"), { transient: true }],
    ["a passing failure", debug("ProcessingFailedError", true), { transient: true }],
    [
      "a failure for good",
      debug("ProcessingFailedError"),
      { failure: { code: "media_unreachable", message: "In its words" }, transient: false },
    ],
    ["a broken server", debug("ProcessingFailedError", false, 500), { transient: true }],
    ["a Graph error", graphError(190), EXPIRED],
    [
      "a Graph error about permissions",
      graphError(200),
      { failure: { code: "account_disconnected" } },
    ],
    ["a gateway's page", new Response("", { status: 503 }), { transient: true }],
  ])("%s", async (_, reply, expected) => {
    const read = await readPullReelReply(reply);
    if (read.ok) throw new Error("That was no refusal.");
    expect(toPullRefused(read.error)).toMatchObject(expected);
  });
});
