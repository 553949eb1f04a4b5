import { expect, test, vi } from "vitest";
import { createProofKey } from "../../../src/platforms/bluesky/dpop.ts";
import { refreshGrant } from "../../../src/platforms/bluesky/oauth.ts";
import { DID, json, PDS, scriptedFetch } from "./scripted.ts";

const START = Date.parse("2026-12-01T09:00:00Z");
const DAY = 86_400_000;
const NONCE: Record<string, string> = { "dpop-nonce": "n1" };

/** Renews the login of a client with a key so many days after its consent. */
async function renewOn(day: number, startedAt: string | undefined, headers = NONCE) {
  vi.useFakeTimers({ now: START + day * DAY, toFake: ["Date"] });
  const tokens = {
    access_token: "new",
    refresh_token: "next",
    token_type: "DPoP",
    expires_in: 3_600,
    scope: "atproto",
    sub: DID,
  };
  const { fetch } = scriptedFetch({
    token: [json(tokens, 200, headers)],
  });
  const extra = {
    issuer: "https://bsky.social",
    tokenEndpoint: "https://bsky.social/oauth/token",
    revocationEndpoint: "",
    clientId: "https://a.example/oauth/bluesky/client-metadata.json",
    keyId: "k1",
    dpopKey: await createProofKey(),
    ...(startedAt ? { startedAt } : {}),
  };
  const credentials = { accessToken: "old", refreshToken: "once", expiresAt: null, extra };
  const account = { platformAccountId: DID, handle: null, service: PDS };
  const key = { ...JSON.parse(await createProofKey()), kid: "k1" };
  const app = { clientId: "", clientSecret: "", privateKey: key };
  const renewed = await refreshGrant(fetch, credentials, account, app);
  vi.useRealTimers();
  if (!renewed.ok) throw new Error(renewed.error.message);
  const { refreshEndsAt, isEndFixed } = renewed.value;
  const endsOn = ((refreshEndsAt?.getTime() ?? 0) - START) / DAY;
  return { endsOn, isEndFixed, startedAt: renewed.value.extra?.startedAt };
}

test.each([
  [10, 100, undefined],
  [600, 690, undefined],
  [700, 730, true],
])("a keyed login renewed on day %i ends on day %i", async (day, endsOn, isEndFixed) => {
  const startedAt = new Date(START).toISOString();
  expect(await renewOn(day, startedAt)).toEqual({ endsOn, isEndFixed, startedAt });
});

test("a login that outlives the usual two years has only the end of its token", async () => {
  const startedAt = new Date(START).toISOString();
  expect(await renewOn(731, startedAt)).toEqual({ endsOn: 821, isEndFixed: undefined, startedAt });
});

test("a login whose beginning is not known ends three months after its last renewal", async () => {
  expect(await renewOn(700, undefined)).toMatchObject({ endsOn: 790, isEndFixed: undefined });
});

test("new tokens are kept, although their answer lacks the nonce", async () => {
  const startedAt = new Date(START).toISOString();
  expect(await renewOn(10, startedAt, {})).toMatchObject({ endsOn: 100 });
});
