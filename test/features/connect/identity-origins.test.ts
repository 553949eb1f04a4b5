import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { PLATFORMS, type Platform } from "../../../src/core/platforms.ts";
import { createMember, createToken, harnessWith, joinTeam } from "../../support/harness.ts";

const CALLER = "evil.example.net";
const DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";
const PDS = "morel.us-east.host.bsky.network";
/** The account's id at the platform, and the id that a caller's server claims. */
const REAL = "1784140000000001";
const CLAIMED = "1784140000000666";

/** Documented login hosts. Source: the documents named in each `api.ts`. */
const OWN: Record<Platform, string[]> = {
  tiktok: ["open.tiktokapis.com"],
  instagram: ["graph.instagram.com"],
  facebook: ["graph.facebook.com"],
  youtube: ["www.googleapis.com", "oauth2.googleapis.com"],
  linkedin: ["api.linkedin.com"],
  pinterest: ["api.pinterest.com"],
  bluesky: ["plc.directory", "public.api.bsky.app", "bsky.social", PDS],
  threads: ["graph.threads.net"],
  x: ["api.x.com"],
  mastodon: [],
  telegram: ["api.telegram.org"],
  discord: ["discord.com"],
  google_business: [
    "mybusinessaccountmanagement.googleapis.com",
    "mybusinessbusinessinformation.googleapis.com",
    "oauth2.googleapis.com",
  ],
};

/** Each server knows its own accounts alone, so an id names its server. */
const OF_SERVER = new Set<Platform>(["mastodon"]);

const claims = (extra: object) => `h.${btoa(JSON.stringify(extra)).replaceAll("=", "")}.s`;
const TOKENS = [
  "EAAtoken",
  claims({ iss: `https://${CALLER}`, aud: `did:web:${CALLER}`, sub: DID, exp: 1_900_000_000 }),
  `https://${CALLER}/me`,
  `x@${CALLER}/me?a=b&access_token=1#f`,
];
const SERVICES = [`https://${CALLER}`, `https://${CALLER}:8443/v21.0/`, `https://${CALLER}/me?x=`];
const PAGES = [
  "1",
  `@${CALLER}/1`,
  `:x@${CALLER}/1`,
  `.${CALLER}`,
  `//${CALLER}/1`,
  `/\\\\${CALLER}/1`,
  `https://${CALLER}/1`,
  "../../me?fields=id",
  `urn:li:organization:1@${CALLER}`,
];
const PASSWORDS = { appPassword: "abcd-efgh-ijkl-mnop" };
const UNKNOWN = ["apiUrl", "baseUrl", "host", "graphUrl", "issuer", "instance", "pds", "clientId"];

const tokensOf = (accessToken: string) => ({
  credentials: { accessToken, refreshToken: accessToken },
});

/** Bodies by which a caller may try to redirect the platform's calls to another server. */
const BODIES: object[] = [
  ...TOKENS.map(tokensOf),
  ...TOKENS.flatMap((token) => SERVICES.map((service) => ({ ...tokensOf(token), service }))),
  ...PAGES.map((pageId) => ({ ...tokensOf("EAAtoken"), pageId })),
  ...SERVICES.flatMap((service) => [
    { ...tokensOf("EAAtoken"), service, pageId: "1" },
    { identifier: DID, ...PASSWORDS, service },
    { identifier: "ada.example.com", ...PASSWORDS, service },
  ]),
  ...[CALLER, `ada.${CALLER}`, `https://${CALLER}`, `ada@${CALLER}`].map((identifier) => ({
    identifier,
    ...PASSWORDS,
  })),
  ...TOKENS.map((botToken) => ({ botToken, chatId: "@ada_news" })),
  ...[
    `https://${CALLER}/api/webhooks/${REAL}/token`,
    `https://discord.com@${CALLER}/api/webhooks/${REAL}/token`,
    `https://discord.com/api/webhooks/${REAL}/token/../../@${CALLER}`,
  ].map((webhookUrl) => ({ webhookUrl })),
  ...[REAL, `https://${CALLER}/channels/1/${REAL}`].map((channelId) => ({
    botToken: "a.b.c",
    channelId,
  })),
  ...UNKNOWN.map((name) => ({ ...tokensOf("EAAtoken"), [name]: `https://${CALLER}` })),
  ...UNKNOWN.map((name) => ({
    credentials: { accessToken: "EAAtoken", [name]: `https://${CALLER}` },
  })),
];

const didDocument = {
  id: DID,
  alsoKnownAs: ["at://ada.example.com"],
  service: [
    {
      id: "#atproto_pds",
      type: "AtprotoPersonalDataServer",
      serviceEndpoint: `https://${PDS}`,
    },
  ],
};

/** A reply that every connector reads an identity from. */
function identityAt(host: string): object {
  const id = host === CALLER ? CLAIMED : REAL;
  return {
    id,
    user_id: id,
    sub: id,
    username: "ada",
    name: "Ada",
    localizedName: "Ada",
    account_type: "BUSINESS",
    type: 0,
    guild_id: "1",
    access_token: "exchanged",
    expires_in: 5_184_000,
    accounts: [{ name: `accounts/${id}` }],
    locations: [{ name: `locations/${id}`, title: "Ada" }],
    items: [{ id, snippet: { title: "Ada" } }],
    elements: [],
    data: {
      id,
      name: "Ada",
      username: "ada",
      user: { open_id: id, display_name: "Ada" },
      expires_at: 0,
    },
    ...(host === "open.tiktokapis.com" ? { error: { code: "ok", message: "" } } : {}),
    result: { id: Number(id), type: "channel", title: "Ada", status: "creator" },
    did: DID,
    handle: "ada.example.com",
    active: true,
    accessJwt: claims({ exp: 1_900_000_000 }),
    refreshJwt: claims({}),
  };
}

describe.each(PLATFORMS)("%s", (platform) => {
  test("is asked itself whose a login is, whatever a member sends", {
    timeout: 120_000,
  }, async () => {
    const keys = { clientId: "id", clientSecret: "secret" };
    const appKeys = Object.fromEntries(
      PLATFORMS.filter((name) => name !== "bluesky").map((name) => [name, keys]),
    );
    const harness = harnessWith({ isDevelopment: false, appKeys, rateLimits: "off" });
    const owner = await createMember();
    const { userId } = await createMember();
    await joinTeam(owner.teamId, userId, "MEMBER");
    const token = await createToken(userId, { teamId: owner.teamId });
    const calls = new Map<string, number>();
    harness.network = async (input, init) => {
      const request = new Request(input, init);
      const { hostname } = new URL(request.url);
      calls.set(hostname, (calls.get(hostname) ?? 0) + 1);
      return Response.json(hostname === "plc.directory" ? didDocument : identityAt(hostname));
    };
    const isFederated = platform === "bluesky";
    const answers: Record<number, number> = {};
    for (const body of BODIES) {
      const before = calls.get(CALLER) ?? 0;
      const json = { platform, ...body };
      const { status } = await harness.call("POST", "/accounts", { token, json });
      answers[status] = (answers[status] ?? 0) + 1;
      expect([status, json]).not.toEqual([500, json]);
      const isTheirs = (calls.get(CALLER) ?? 0) > before;
      // A Bluesky server may be anyone's: a login there does not prove the account's owner.
      if (isTheirs && !OF_SERVER.has(platform)) {
        expect([isFederated, status, json]).toEqual([true, 400, json]);
      }
    }
    const mayBeTheirs = isFederated || OF_SERVER.has(platform);
    const hosts = [...calls.keys()].filter((host) => !mayBeTheirs || host !== CALLER);
    expect(hosts.filter((host) => !OWN[platform]?.includes(host))).toEqual([]);
    expect(calls.size).toBeGreaterThan(0);
    expect(answers[200]).toBeGreaterThan(0);
    const { results } = await env.DB.prepare(
      "SELECT platform_account_id AS id, service FROM accounts WHERE team_id = ?",
    )
      .bind(owner.teamId)
      .all<{ id: string; service: string | null }>();
    expect(results).not.toHaveLength(0);
    for (const { id, service } of results) {
      if (OF_SERVER.has(platform)) {
        expect(id).toBe(`${CLAIMED}@${new URL(service ?? "").host}`);
        continue;
      }
      expect(id).toContain(isFederated ? DID : REAL);
      expect(service).toBe(isFederated ? `https://${PDS}` : null);
    }
  });
});
