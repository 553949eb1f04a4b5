import { describe, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { connectorOf, connectors } from "../../../src/platforms/registry.ts";
import { answeringInOrder, readCall } from "../../support/network.ts";

const app = { clientId: "id", clientSecret: "secret" };
const BACK = "https://akimbo.example/oauth/callback/x";
const network = answeringInOrder(readCall);

const json = (body: unknown, status = 200) => Response.json(body, { status });
const graphError = (code: number, message: string) =>
  json({ error: { message, type: "OAuthException", code } }, 400);

/** Replies from documents and clients, and their verdicts. */
const REPLIES: [Platform, string, Response, string][] = [
  [
    "x",
    "a code that is none",
    json(
      {
        error: "invalid_request",
        error_description: "Value passed for the authorization code was invalid.",
      },
      400,
    ),
    "right",
  ],
  [
    "x",
    "a wrong secret",
    json(
      { error: "unauthorized_client", error_description: "Missing valid authorization header" },
      401,
    ),
    "wrong",
  ],
  ["x", "another mistake", json({ error: "invalid_request" }, 400), "unknown"],
  [
    "youtube",
    "a code that is none",
    json({ error: "invalid_grant", error_description: "Malformed auth code." }, 400),
    "right",
  ],
  [
    "youtube",
    "a wrong secret",
    json(
      { error: "invalid_client", error_description: "The provided client secret is invalid." },
      401,
    ),
    "wrong",
  ],
  [
    "youtube",
    "an address that is not registered",
    json({ error: "redirect_uri_mismatch", error_description: "Bad Request" }, 400),
    "wrong",
  ],
  [
    "google_business",
    "a code that is none",
    json({ error: "invalid_grant", error_description: "Malformed auth code." }, 400),
    "right",
  ],
  [
    "google_business",
    "a wrong secret",
    json({ error: "invalid_client", error_description: "Unauthorized" }, 401),
    "wrong",
  ],
  [
    "tiktok",
    "a token",
    json({ access_token: "clt.1", expires_in: 7_200, token_type: "Bearer" }),
    "right",
  ],
  [
    "tiktok",
    "a wrong key, with HTTP 200",
    json({
      error: "invalid_client",
      error_description: "Client key or secret is incorrect.",
      log_id: "1",
    }),
    "wrong",
  ],
  [
    "linkedin",
    "an app without tokens of its own",
    json(
      {
        error: "access_denied",
        error_description: "This application is not allowed to create application tokens",
      },
      401,
    ),
    "right",
  ],
  [
    "linkedin",
    "a wrong secret",
    json({ error: "invalid_client", error_description: "Client authentication failed" }, 401),
    "wrong",
  ],
  ["linkedin", "an unknown id", json({ error: "invalid_client_id" }, 400), "wrong"],
  ["pinterest", "a token", json({ access_token: "pinc_1", token_type: "bearer" }), "right"],
  [
    "pinterest",
    "a wrong secret",
    json({ code: 2, message: "Authentication failed." }, 401),
    "wrong",
  ],
  [
    "pinterest",
    "an owner without 2FA",
    json({ code: 29, message: "Not permitted." }, 403),
    "unknown",
  ],
  ["facebook", "a token", json({ access_token: "1|a", token_type: "bearer" }), "right"],
  ["facebook", "a wrong secret", graphError(1, "Error validating client secret."), "wrong"],
  [
    "facebook",
    "an unknown id",
    graphError(101, "Error validating application. Cannot get application info."),
    "wrong",
  ],
  ["facebook", "a moment of weakness", graphError(1, "An unknown error occurred"), "unknown"],
  ["threads", "a token", json({ access_token: "TH|1|a", token_type: "bearer" }), "right"],
  ["threads", "a wrong secret", graphError(1, "Error validating client secret."), "wrong"],
];

describe("an app is known by the answer to one call", () => {
  test.each(REPLIES)("%s, %s: it is %s", async (platform, _, reply, verdict) => {
    const { fetch, calls } = network(reply);
    const check = await connectorOf(platform).checkApp?.(fetch, app, BACK);
    expect(check).toMatchObject({ verdict, message: expect.stringMatching(/^[A-Z].*\.$/s) });
    expect(calls).toHaveLength(1);
    expect(calls[0]?.url).not.toContain(app.clientSecret);
    expect(check?.message).not.toContain("a".repeat(100));
  });
});

test("Instagram is asked nothing: nothing it answers would tell", async () => {
  const { fetch, calls } = network();
  expect(await connectorOf("instagram").checkApp?.(fetch, app, BACK)).toMatchObject({
    verdict: "unknown",
  });
  expect(calls).toEqual([]);
});

const ASKED = connectors().flatMap(({ platform, needs }) =>
  needs.app === null || platform === "instagram" ? [] : [platform],
);

test.each([
  ["is down", new Response("<html>", { status: 503 })],
  ["is too busy", json({}, 429)],
  ["does not answer", new Error("Network connection lost.")],
  ["answers with something else", new Response("<html>")],
])("a platform that %s is no judge", async (_, answer) => {
  for (const platform of ASKED) {
    const reply = answer instanceof Response ? answer.clone() : answer;
    const check = await connectorOf(platform).checkApp?.(network(reply).fetch, app, BACK);
    expect([platform, check?.verdict]).toEqual([platform, "unknown"]);
  }
});

test("every platform with an app can be asked, Bluesky has none", () => {
  for (const { platform, needs, checkApp } of connectors()) {
    expect([platform, checkApp !== undefined]).toEqual([platform, needs.app !== null]);
  }
});
