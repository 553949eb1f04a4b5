import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../../../src/config.ts";
import { SYSTEM } from "../../../src/features/activity/repo.ts";
import { storeLogins } from "../../../src/features/connect/store-logins.ts";
import {
  createMember,
  form,
  type Harness,
  harnessWith,
  type Member,
} from "../../support/harness.ts";

const DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";
const OWN = "https://pds.example.com";
const FOREIGN = "https://pds.example.net";
const LOGIN = { platform: "bluesky", identifier: DID, appPassword: "abcd-efgh-ijkl-mnop" };

const token = (iss: string) =>
  `head.${btoa(JSON.stringify({ iss, exp: Math.floor(Date.now() / 1_000) + 7_200 }))}.sig`;

/** A DID directory and servers that all claim the same account. */
class Network {
  /** The server in the account's DID document; null for an unknown account. */
  named: string | null = OWN;
  isDirectoryDown = false;
  readonly calls: string[] = [];
  readonly written: { server: string; repo: string }[] = [];

  readonly fetch: Harness["network"] = async (input, init) => {
    const request = new Request(input, init);
    const { origin, pathname } = new URL(request.url);
    this.calls.push(origin + pathname);
    if (origin === "https://plc.directory") return this.document();
    switch (pathname.split(".").at(-1)) {
      case "createSession":
      case "refreshSession":
        return Response.json({
          did: DID,
          handle: "alice.example.com",
          accessJwt: token(origin),
          refreshJwt: `refresh at ${origin}`,
        });
      case "getSession":
        return Response.json({ did: DID, handle: "alice.example.com", active: true });
      case "getRecord":
        return Response.json({ error: "RecordNotFound" }, { status: 400 });
      case "putRecord": {
        const { repo, rkey } = await request.json<{ repo: string; rkey: string }>();
        this.written.push({ server: origin, repo });
        return Response.json({ uri: `at://${repo}/app.bsky.feed.post/${rkey}`, cid: "bafy" });
      }
      default:
        return Response.json({ error: "MethodNotImplemented" }, { status: 501 });
    }
  };

  private document(): Response {
    if (this.isDirectoryDown) return new Response("Bad gateway", { status: 502 });
    if (this.named === null) return Response.json({ message: "not registered" }, { status: 404 });
    return Response.json({
      id: DID,
      alsoKnownAs: ["at://alice.example.com"],
      service: [
        { id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: this.named },
      ],
    });
  }
}

let network: Network;
let harness: Harness;
let member: Member;

async function start(config: Partial<Config>): Promise<void> {
  network = new Network();
  harness = harnessWith(config);
  harness.network = network.fetch;
  member = await createMember();
}

const connect = (json: object, by = member) =>
  harness.call("POST", "/accounts", { token: by.token, json: { platform: "bluesky", ...json } });

const ways = (service: string): [string, object][] => [
  ["an app password", { ...LOGIN, service }],
  ["tokens", { credentials: { accessToken: token(service), refreshToken: "r" }, service }],
];

const rowsOf = async ({ teamId }: Member) =>
  (
    await env.DB.prepare("SELECT * FROM accounts WHERE team_id = ? ORDER BY platform_account_id")
      .bind(teamId)
      .all<Record<string, string | number | null>>()
  ).results;

async function publish(accountId: string) {
  const body = form({ accountId, description: `Hello ${Math.random()}` });
  const created = await harness.call("POST", "/upload", { token: member.token, body });
  expect(created.status, JSON.stringify(created.body)).toBe(200);
  await harness.drain();
  const path = `/upload/${created.body.data.uploadId}`;
  return (await harness.call("GET", path, { token: member.token })).body.data;
}

describe("in production", () => {
  beforeEach(() => start({ isDevelopment: false }));

  test.each(ways(FOREIGN))(
    "a server that claims the team's account, by %s, replaces neither its login nor its server",
    async (_, login) => {
      expect((await connect({ ...LOGIN, service: OWN })).status).toBe(200);
      const before = await rowsOf(member);
      const refused = await connect(login);
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: "service" }] } });
      expect(refused.body.error).toContain(`its DID document names ${OWN}`);
      expect(await rowsOf(member)).toEqual(before);
      const [account] = before;
      expect(await publish(String(account?.id))).toMatchObject({ status: "completed" });
      expect(network.written).toEqual([{ server: OWN, repo: DID }]);
    },
  );

  test.each(ways(FOREIGN))(
    "a stranger's server connects nobody's account, by %s",
    async (_, login) => {
      expect((await connect(login)).status).toBe(400);
      expect(await rowsOf(member)).toEqual([]);
    },
  );

  test.each(ways(FOREIGN))(
    "a DID that no directory knows is refused in words, by %s",
    async (_, login) => {
      network.named = null;
      const refused = await connect(login);
      expect(refused).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(`No Bluesky account has the DID ${DID}`) },
      });
      expect(await rowsOf(member)).toEqual([]);
    },
  );

  test.each(ways(OWN))("a directory that is down is a 503, by %s", async (_, login) => {
    network.isDirectoryDown = true;
    expect(await connect(login)).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(await rowsOf(member)).toEqual([]);
  });

  test("an account at a server that lies keeps no other team from its owner's login", async () => {
    const [stranger, id] = [await createMember(), "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"];
    await env.DB.prepare(
      `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status,
         service, credentials, connected_at)
       VALUES ('acc_liar', ?, 'bluesky', ?, 'Alice', 'live', 'active', ?, 'v1.x', 1)`,
    )
      .bind(stranger.teamId, id, FOREIGN)
      .run();
    const profile = {
      platformAccountId: id,
      accountName: "Alice",
      handle: null,
      profileImageUrl: null,
      service: OWN,
    };
    const credentials = { accessToken: "a", refreshToken: null, expiresAt: null };
    const logins = [{ profile, credentials }];
    const request = {
      teamId: member.teamId,
      platform: "bluesky",
      mode: "live",
      logins,
      starter: null,
      by: SYSTEM,
    } as const;
    const stored = await storeLogins(harness.deps, { ...request, isExclusive: true });
    expect(stored).toMatchObject([{ platformAccountId: id, service: OWN }]);
    const third = await createMember();
    const other = { ...request, teamId: third.teamId, isExclusive: true };
    expect(await storeLogins(harness.deps, other)).toBeNull();
  });

  test("Bluesky's own servers take logins at the entryway", async () => {
    network.named = "https://morel.us-east.host.bsky.network";
    const entryway = "https://bsky.social";
    for (const [, login] of ways(entryway)) expect((await connect(login)).status).toBe(200);
    expect(await rowsOf(member)).toMatchObject([
      { platform_account_id: DID, service: network.named },
    ]);
    network.named = FOREIGN;
    for (const [, login] of ways(entryway)) expect((await connect(login)).status).toBe(400);
  });

  test("a login is not renewed at a server that the account has left", async () => {
    const { body } = await connect({ ...LOGIN, service: OWN });
    network.named = FOREIGN;
    network.calls.length = 0;
    harness.advance(3 * 3_600);
    expect(await publish(body.data.id)).toMatchObject({
      status: "failed",
      failure: { code: "account_disconnected" },
    });
    expect(network.calls).not.toContain(`${OWN}/xrpc/com.atproto.server.refreshSession`);
    expect(await rowsOf(member)).toMatchObject([{ status: "expired" }]);
  });
});

test.each([
  ["a server that its document names", OWN, OWN, true],
  ["Bluesky's entryway", "https://bsky.social", "https://morel.us-east.host.bsky.network", true],
  ["a server on this machine, in development", "http://127.0.0.1:4010", null, false],
])("an account stored before documents were read renews its login at %s", async (...args) => {
  const [, service, named, isKnown] = args;
  await start({ isDevelopment: true });
  network.named = service;
  const { body } = await connect({ ...LOGIN, service });
  await env.DB.prepare("UPDATE accounts SET service = ? WHERE id = ?")
    .bind(service, body.data.id)
    .run();
  network.named = named;
  network.calls.length = 0;
  harness.advance(3 * 3_600);
  expect(await publish(body.data.id)).toMatchObject({ status: "completed" });
  expect(network.calls).toContain(`${service}/xrpc/com.atproto.server.refreshSession`);
  expect(network.calls.some((url) => url.startsWith("https://plc.directory"))).toBe(isKnown);
});

test("a login is not lost while the directory is down", async () => {
  await start({ isDevelopment: false });
  const { body } = await connect({ ...LOGIN, service: OWN });
  network.isDirectoryDown = true;
  harness.advance(3 * 3_600);
  await publish(body.data.id);
  expect(await rowsOf(member)).toMatchObject([{ status: "active" }]);
  network.isDirectoryDown = false;
  expect(await publish(body.data.id)).toMatchObject({ status: "completed" });
});

describe("in development", () => {
  beforeEach(() => start({ isDevelopment: true }));

  test("a DID that no directory knows is an account of each server that claims it", async () => {
    network.named = null;
    const servers = ["http://127.0.0.1:4010", "http://127.0.0.1:4011"];
    const ids: string[] = [];
    for (const service of servers) {
      const answers = await Promise.all(ways(service).map(([, login]) => connect(login)));
      const [first, second] = answers.map(({ body }) => body.data.id);
      expect(second).toBe(first);
      ids.push(first);
    }
    expect(await rowsOf(member)).toHaveLength(2);
    for (const id of ids) expect(await publish(id)).toMatchObject({ status: "completed" });
    expect(network.written).toEqual(servers.map((server) => ({ server, repo: DID })));
  });

  test("neither matches nor excludes the account that is proven", async () => {
    expect((await connect({ ...LOGIN, service: OWN })).status).toBe(200);
    network.named = null;
    expect((await connect({ ...LOGIN, service: "http://127.0.0.1:4010" })).status).toBe(200);
    expect(await rowsOf(member)).toMatchObject([
      { platform_account_id: DID, service: OWN },
      { service: "http://127.0.0.1:4010" },
    ]);
  });

  test("a directory that does not answer keeps nobody from a server on this machine", async () => {
    network.isDirectoryDown = true;
    for (const [, login] of ways("http://localhost:2583")) {
      expect((await connect(login)).status).toBe(200);
    }
    expect(await rowsOf(member)).toHaveLength(1);
  });

  test("a document is believed there too", async () => {
    expect((await connect({ ...LOGIN, service: FOREIGN })).status).toBe(400);
  });
});
