import { expect, test } from "vitest";
import { renewalAt } from "../../../src/features/accounts/rules.ts";
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
  ["an unknown end that nobody can renew", ROTATING, {}, null],
])("%s is renewed in time", (_, connector, credentials, at) => {
  expect(renewalAt(connector, login(credentials), START)).toEqual(at);
});
