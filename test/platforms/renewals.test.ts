import { describe, expect, test } from "vitest";
import type { Platform } from "../../src/core/platforms.ts";
import { NOTICE_AHEAD_MS } from "../../src/features/accounts/rules.ts";
import { connectorOf, connectors } from "../../src/platforms/registry.ts";
import { answeringInOrder, later, readCall } from "../support/network.ts";

const network = answeringInOrder(readCall);
const json = (body: unknown, status: number) => Response.json(body, { status });
const graphError = (code: number, message: string) =>
  json({ error: { message, type: "OAuthException", code } }, 400);

const app = { clientId: "id", clientSecret: "secret" };
const account = { platformAccountId: "1", handle: null, service: null };
const credentials = {
  accessToken: "access",
  refreshToken: "refresh",
  expiresAt: later(20 * 86_400),
};

const renew = (platform: Platform, ...replies: Response[]) => {
  const { fetch } = network(...replies);
  return connectorOf(platform).refresh(fetch, credentials, account, app);
};

const AUTHENTICATION_FAILED = () => json({ code: 2, message: "Authentication failed." }, 401);
const INVALID_GRANT = () => json({ code: 283, message: "The authorization grant is invalid" }, 400);

/** A wrong secret or a broken app, in each platform's words. */
const OPERATOR_FAULTS: [Platform, string, Response[]][] = [
  [
    "x",
    "a wrong secret",
    [
      json(
        { error: "unauthorized_client", error_description: "Missing valid authorization header" },
        401,
      ),
    ],
  ],
  ["x", "an unknown id", [json({ error: "invalid_client" }, 400)]],
  [
    "youtube",
    "a wrong secret",
    [
      json(
        { error: "invalid_client", error_description: "The provided client secret is invalid." },
        401,
      ),
    ],
  ],
  [
    "youtube",
    "a deleted client",
    [json({ error: "invalid_client", error_description: "The OAuth client was not found." }, 401)],
  ],
  [
    "google_business",
    "a wrong secret",
    [
      json(
        { error: "invalid_client", error_description: "The provided client secret is invalid." },
        401,
      ),
    ],
  ],
  [
    "tiktok",
    "a wrong secret, with HTTP 200",
    [
      json(
        { error: "invalid_client", error_description: "Client key or secret is incorrect." },
        200,
      ),
    ],
  ],
  [
    "linkedin",
    "a wrong secret",
    [json({ error: "invalid_client", error_description: "Client authentication failed" }, 401)],
  ],
  ["linkedin", "an unknown id", [json({ error: "invalid_client_id" }, 400)]],
  ["pinterest", "a wrong secret", [AUTHENTICATION_FAILED(), AUTHENTICATION_FAILED()]],
  ["pinterest", "a wrong secret, in other words", [INVALID_GRANT(), AUTHENTICATION_FAILED()]],
  [
    "facebook",
    "a wrong secret",
    [graphError(100, "Invalid appsecret_proof provided in the API argument")],
  ],
  [
    "facebook",
    "a deleted app",
    [graphError(190, "Error validating application. Application has been deleted.")],
  ],
  ["instagram", "a blocked app", [graphError(200, "API access blocked.")]],
  ["instagram", "an unknown app", [graphError(101, "Invalid application ID.")]],
  ["threads", "a wrong secret", [graphError(1, "Error validating client secret.")]],
  ["threads", "a blocked app", [graphError(200, "API access blocked.")]],
];

describe("a fault of the instance's owner loses no login", () => {
  test.each(OPERATOR_FAULTS)("%s: %s", async (platform, _, replies) => {
    const name = platform.toUpperCase();
    const message = expect.stringContaining(`${name}_CLIENT_ID and ${name}_CLIENT_SECRET`);
    expect(await renew(platform, ...replies)).toEqual({
      ok: false,
      error: { message, final: false },
    });
  });
});

/** Refusals of a dead refresh token or self-renewing token. */
const DEAD: [Platform, Response[]][] = [
  [
    "x",
    [
      json(
        {
          error: "invalid_request",
          error_description: "Value passed for the token was invalid.",
        },
        400,
      ),
    ],
  ],
  ["youtube", [json({ error: "invalid_grant" }, 400)]],
  ["google_business", [json({ error: "invalid_grant" }, 400)]],
  [
    "tiktok",
    [
      json(
        { error: "invalid_grant", error_description: "Refresh token is invalid or expired." },
        400,
      ),
    ],
  ],
  ["linkedin", [json({ error: "invalid_grant" }, 400)]],
  ["pinterest", [AUTHENTICATION_FAILED(), Response.json({ access_token: "pinc_1" })]],
  ["pinterest", [INVALID_GRANT(), Response.json({ access_token: "pinc_1" })]],
  ["facebook", [graphError(190, "Error validating access token: the session has expired")]],
  ["instagram", [graphError(190, "Error validating access token: the session has expired")]],
  ["threads", [graphError(190, "Error validating access token: the session has expired")]],
];

test.each(DEAD)("a login that is gone is known as such: %s", async (platform, replies) => {
  expect(await renew(platform, ...replies)).toMatchObject({ ok: false, error: { final: true } });
});

test("Pinterest's refusal loses no login where nobody knows whose fault it is", async () => {
  const down = new Response("", { status: 503 });
  expect(await renew("pinterest", AUTHENTICATION_FAILED(), down)).toMatchObject({
    ok: false,
    error: { final: false },
  });
});

test.each([
  ["says", { refresh_token: "refresh", refresh_token_expires_in: 1_000 }, 1_000],
  ["is silent on, of the same token", { refresh_token: "refresh" }, 500],
  ["is silent on, of another token", { refresh_token: "next" }, undefined],
])("the end of a refresh token is what the platform %s", async (_, tokens, seconds) => {
  const granted = { access_token: "fresh", expires_in: 60, ...tokens };
  const { fetch } = network(Response.json(granted));
  const knownCase = { ...credentials, refreshEndsAt: later(500) };
  const renewed = await connectorOf("linkedin").refresh(fetch, knownCase, account, app);
  if (!renewed.ok) throw new Error(renewed.error.message);
  const { refreshEndsAt } = renewed.value;
  if (seconds === undefined) expect(refreshEndsAt).toBeUndefined();
  else if (seconds === 500) expect(refreshEndsAt).toEqual(later(500));
  else expect(refreshEndsAt).toBeInstanceOf(Date);
});

const renewedAhead = connectors().flatMap(({ platform, refreshAheadSeconds: seconds }) =>
  seconds === undefined ? [] : [{ platform, seconds }],
);

test.each(renewedAhead)("$platform is asked to renew before anybody is told", ({ seconds }) => {
  expect(renewedAhead.length).toBeGreaterThan(4);
  expect(seconds).toBeGreaterThan(NOTICE_AHEAD_MS / 1_000 + 86_400);
});
