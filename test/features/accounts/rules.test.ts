import { expect, test } from "vitest";
import { isEnding } from "../../../src/features/accounts/rules.ts";
import {
  keepsStoredEnds,
  loginEnd,
  nextRenewal,
  renewalAt,
} from "../../../src/features/logins/rules.ts";
import { START } from "../../support/harness.ts";

const DAY = 86_400_000;
const inDays = (days: number) => new Date(START.getTime() + days * DAY);
const login = (more: object) => ({
  accessToken: "token",
  refreshToken: null,
  expiresAt: null,
  ...more,
});

const META = { refreshAheadSeconds: 10 * 86_400, isSelfRenewing: true };
const ROTATING = { refreshAheadSeconds: 30 * 86_400 };

test.each([
  ["a platform whose logins keep", {}, { expiresAt: inDays(1) }, null],
  ["a token that renews itself, of a known end", META, { expiresAt: inDays(60) }, inDays(50)],
  ["one of an unknown end", META, {}, inDays(1)],
  ["one that ends at once", META, { expiresAt: inDays(1) }, inDays(-9)],
  [
    "a refresh token of a known end, whatever the access token's",
    ROTATING,
    { refreshToken: "refresh", expiresAt: inDays(0.1), refreshEndsAt: inDays(180) },
    inDays(150),
  ],
  ["a refresh token of an unknown end", ROTATING, { refreshToken: "refresh" }, inDays(1)],
  [
    "a refresh token of an unknown end beside a short access token",
    ROTATING,
    { refreshToken: "refresh", expiresAt: inDays(0.1) },
    inDays(1),
  ],
  ["an unknown end that nobody can renew", ROTATING, {}, null],
  ["a known end that nobody can renew", ROTATING, { expiresAt: inDays(60) }, null],
])("%s is renewed in time", (_, connector, credentials, at) => {
  expect(renewalAt(connector, login(credentials), START)).toEqual(at);
});

test.each([
  ["an access token alone, at its end", { expiresAt: inDays(60) }, inDays(60)],
  ["an access token without an end, never", {}, null],
  [
    "a refresh token of a known end, at that",
    { refreshToken: "refresh", expiresAt: inDays(1), refreshEndsAt: inDays(180) },
    inDays(180),
  ],
  [
    "a refresh token that ends before the access token, at the latter's end",
    { refreshToken: "refresh", expiresAt: inDays(9), refreshEndsAt: inDays(7) },
    inDays(9),
  ],
  [
    "a refresh token whose end nothing moves, at that, however long the access token lives",
    { refreshToken: "refresh", expiresAt: inDays(9), refreshEndsAt: inDays(7), isEndFixed: true },
    inDays(7),
  ],
  [
    "a refresh token with an access token that does not say, at its end",
    { refreshToken: "refresh", refreshEndsAt: inDays(7) },
    inDays(7),
  ],
  [
    "a refresh token of an unknown end, nobody knows when",
    { refreshToken: "refresh", expiresAt: inDays(1) },
    null,
  ],
])("a login ends: %s", (_, credentials, at) => {
  expect(loginEnd(login(credentials), new Date(0))).toEqual(at);
});

test.each([
  ["in eight days", "active", inDays(8), false],
  ["in seven days", "active", inDays(7), true],
  ["at no time that is known", "active", null, false],
  ["soon, and has expired all the same", "expired", inDays(1), false],
] as const)("a login that ends %s", (_, status, loginEndsAt, is) => {
  expect(isEnding({ status, loginEndsAt }, START)).toBe(is);
});

const inHours = (hours: number) => inDays(hours / 24);

test.each([
  ["soon, where it is the first try", inHours(-1), inHours(-1), null, inHours(0.5)],
  [
    "soon, where it was due for long and is tried first",
    inHours(-7),
    inHours(-7),
    null,
    inHours(0.5),
  ],
  ["the next day, where it has failed for long", inHours(-7), inHours(-1), null, inDays(1)],
  ["the next day, where nobody knows the end", inDays(1), inHours(-1), null, inDays(1)],
  ["when the platform wants it", inHours(-1), inHours(-1), 7_200, inHours(2)],
  ["not before it would have been anyway", inDays(20), inDays(20), null, inDays(20)],
  ["within a day, however long the platform asks for", inHours(-1), inHours(-1), 9e6, inDays(1)],
])("a renewal that failed is repeated %s", (_, dueAt, renewAt, retryAfterSeconds, at) => {
  expect(nextRenewal({ dueAt, renewAt, retryAfterSeconds }, START)).toEqual(at);
});

const ends = (renewDays: number | null, endDays: number | null) => ({
  renewAt: renewDays === null ? null : inDays(renewDays),
  loginEndsAt: endDays === null ? null : inDays(endDays),
});

test.each([
  ["are far off", ends(100, 130), ends(150, 180), true],
  ["come close", ends(8, 38), ends(150, 180), false],
  ["have been", ends(-1, 29), ends(150, 180), false],
  ["were not known", ends(1, null), ends(150, 180), false],
  ["are not known any more", ends(100, 130), ends(1, null), false],
  ["are nearer now", ends(100, 130), ends(90, 120), false],
])("ends that %s stand with a renewed login: %#", (_, stored, renewed, expected) => {
  expect(keepsStoredEnds(stored, renewed, START)).toBe(expected);
});
