import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDeps } from "../../src/deps.ts";
import {
  type Canaries,
  canariesIn,
  readBucket,
  readDatabase,
  recordOutput,
} from "../support/canaries.ts";
import { createMember, form, Harness } from "../support/harness.ts";
import { outbox } from "../support/outbox.ts";
import { Browser } from "../support/person.ts";

const KEY_BYTES = Uint8Array.from(new TextEncoder().encode("canary-of-the-encryption-key-032"));

/** Secrets of the owner of the instance. */
const OWNER = {
  "the encryption key": "canary-of-the-encryption-key-032",
  "the signing key": "canary-of-the-signing-key-0123456789",
  "the secret of an app": "canary-of-an-app-secret-a1b2c3d4e5",
  "the secret key of storage": "canary-of-the-storage-secret-a1b2c3",
  "the private key of push services": "canary-of-the-vapid-private-key-a1b2",
  "the token of the edge": "canary-of-the-edge-token-a1b2c3d4e5",
};

/** Secrets of a team. */
const TEAM = {
  "an app password": "cnry-a1b2-c3d4-e5f6",
  "an access token": "canary-of-an-access-token-a1b2c3d4e5",
  "a refresh token": "canary-of-a-refresh-token-a1b2c3d4e5",
  "a later access token": "canary-of-a-later-access-token-a1b2c3",
  "a later refresh token": "canary-of-a-later-refresh-token-a1b2",
  "tokens of one's own": "canary-of-a-token-of-ones-own-a1b2c3",
  "the secret of a webhook": "canary-of-a-webhook-secret-a1b2c3d4",
  "the token in an address of Discord": "canary-of-a-discord-webhook-a1b2c3d4",
};

const DISCORD = `https://discord.com/api/webhooks/222222222222222222/${TEAM["the token in an address of Discord"]}`;

const PDS = "https://pds.example.com";
const JPEG = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0);

function createHarness() {
  const { mails, email } = outbox();
  const { config } = createDeps(env);
  const app = { clientId: "an-app", clientSecret: OWNER["the secret of an app"] };
  const harness = new Harness({
    email,
    config: {
      ...config,
      emailFrom: "akimbo@example.com",
      signingKey: OWNER["the signing key"],
      encryptionKeys: [{ id: "c1", bytes: KEY_BYTES }],
      appKeys: { ...config.appKeys, x: app, instagram: app },
      storage: {
        endpoint: "https://storage.example.com",
        accessKeyId: "an-id",
        secretAccessKey: OWNER["the secret key of storage"],
      },
      vapid: {
        publicKey: "a-public-key",
        privateKey: OWNER["the private key of push services"],
      },
      edge: { apiToken: OWNER["the token of the edge"], zoneId: "a-zone" },
    },
  });
  return { harness, mails };
}

/** A network of every outsider; each line that breaks tells of the whole call, as some runtimes do. */
function createNetwork() {
  const state = { isBroken: false, refusesLogin: false };
  const session = (access: string, refresh: string) => ({
    ...{ did: "did:plc:canary", handle: "canary.example.com", active: true },
    ...{ accessJwt: access, refreshJwt: refresh },
  });
  const answer = async (request: Request): Promise<Response> => {
    const { origin, pathname } = new URL(request.url);
    if (origin === "https://discord.com") {
      const hook = { id: "222222222222222222", type: 1, guild_id: "1", name: "News" };
      const isRead = request.method === "GET";
      return isRead ? Response.json(hook) : Response.json({}, { status: 400 });
    }
    if (origin === "https://receiver.example") return new Response("no", { status: 500 });
    if (pathname.endsWith("server.createSession")) {
      if (state.refusesLogin)
        return Response.json({ error: "AuthFactorTokenRequired" }, { status: 401 });
      return Response.json(session(TEAM["an access token"], TEAM["a refresh token"]));
    }
    if (pathname.endsWith("server.refreshSession")) {
      return Response.json(session(TEAM["a later access token"], TEAM["a later refresh token"]));
    }
    if (pathname.endsWith("server.getSession")) {
      return Response.json({ did: "did:plc:canary", handle: "canary.example.com", active: true });
    }
    if (pathname.endsWith("repo.putRecord")) {
      return Response.json({ uri: "at://did:plc:canary/app.bsky.feed.post/1", cid: "bafy" });
    }
    if (pathname === "/2/users/me")
      return Response.json({ data: { id: "7", name: "Ada", username: "ada" } });
    return Response.json({ error: "invalid_request" }, { status: 400 });
  };
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    if (!state.isBroken) return await answer(request);
    const headers = JSON.stringify([...request.headers]);
    throw new Error(`${request.method} ${request.url} ${headers} ${await request.text()} failed`);
  };
  return { state, fetch };
}

test("no secret stands in the database, files, queues, logs, mails, exports, events or answers", {
  timeout: 120_000,
}, async () => {
  const { harness, mails } = createHarness();
  const { answers, messages } = recordOutput(harness);
  const network = createNetwork();
  harness.network = network.fetch;
  const owner = await createMember();
  const call = (method: string, path: string, json?: unknown, token = owner.token) =>
    harness.call(method, path, { token, ...(json === undefined ? {} : { json }) });

  const made = await call("POST", "/tokens", { name: "For scripts", scopes: ["posts:read"] });
  const canaries: Canaries = { ...OWNER, ...TEAM, "an API token": made.body.data.token };
  const hook = await call("POST", "/webhooks", {
    ...{ url: "https://receiver.example/hook", secret: TEAM["the secret of a webhook"] },
    events: ["upload.completed", "upload.failed", "connected_account.connected"],
  });
  expect(hook.status, JSON.stringify(hook.body)).toBe(200);
  const invited = await call("POST", "/teams/invites", {
    email: "new@example.com",
    role: "MEMBER",
  });
  expect(invited.status, JSON.stringify(invited.body)).toBe(200);

  const login = {
    ...{ platform: "bluesky", identifier: "canary.example.com", service: PDS },
    appPassword: TEAM["an app password"],
  };
  network.state.refusesLogin = true;
  expect((await call("POST", "/accounts", login)).status).toBeGreaterThanOrEqual(400);
  network.state.refusesLogin = false;
  network.state.isBroken = true;
  expect((await call("POST", "/accounts", login)).status).toBeGreaterThanOrEqual(400);
  network.state.isBroken = false;
  const connected = await call("POST", "/accounts", login);
  expect(connected.status, JSON.stringify(connected.body)).toBe(200);
  const bluesky = connected.body.data.id;
  const own = await call("POST", "/accounts", {
    platform: "x",
    credentials: {
      accessToken: TEAM["tokens of one's own"],
      refreshToken: TEAM["a refresh token"],
      expiresAt: "2026-12-01T09:30:00Z",
    },
  });
  expect(own.status, JSON.stringify(own.body)).toBe(200);
  const x = own.body.data.id;
  const hooked = await call("POST", "/accounts", { platform: "discord", webhookUrl: DISCORD });
  expect(hooked.status, JSON.stringify(hooked.body)).toBe(200);
  await call("POST", "/accounts", { platform: "discord", webhookUrl: `${DISCORD}/slack` });
  const consent = await call("POST", "/accounts", { platform: "instagram" });
  expect(consent.body, JSON.stringify(consent.body)).toHaveProperty("authorizationUrl");

  const post = async (accountId: string, description: string) => {
    const body = form({ accountId, title: description, description, photo: new Blob([JPEG]) });
    const { body: sent } = await harness.call("POST", "/upload", { token: owner.token, body });
    await harness.drain();
    await harness.drainEvents();
    return sent.data?.uploadId as number | undefined;
  };
  const textPost = async (accountId: string, text: string) => {
    const body = form({ accountId, title: text, description: text });
    const { body: sent } = await harness.call("POST", "/upload", { token: owner.token, body });
    await harness.drain();
    await harness.drainEvents();
    return sent.data.uploadId as number;
  };
  const statusOf = async (id: number) => (await call("GET", `/upload/${id}`)).body.data.status;
  expect(await statusOf(await textPost(bluesky, "Out"))).toBe("completed");
  network.state.isBroken = true;
  const broken = await textPost(bluesky, "Broken");
  expect(await statusOf(broken)).not.toBe("completed");
  expect(await statusOf(await textPost(hooked.body.data.id, "Lost"))).not.toBe("completed");
  network.state.isBroken = false;
  harness.advance(3_600);
  // The login of X has ended, and X refuses to renew it.
  expect(await statusOf(await textPost(x, "Refused"))).not.toBe("completed");
  await post(bluesky, "With a picture that is none");
  harness.advance(3 * 3_600);
  await textPost(bluesky, "By a renewed login");
  for (let ticks = 0; ticks < 3; ticks++) {
    await harness.tick();
    await harness.drainCollections();
    await harness.drainNotices();
  }

  const presign = { route: "photos", files: [{ name: "a.png", size: 68, type: "image/png" }] };
  await call("POST", "/upload/presign", presign);
  for (const path of [
    ...[
      "/accounts",
      "/events?limit=1000",
      "/export",
      "/webhooks",
      "/settings",
      "/tokens",
      "/upload",
    ],
    ...[`/accounts/${bluesky}`, `/webhooks/${hook.body.data.id}/deliveries`, "/teams", "/posts"],
  ]) {
    expect([path, (await call("GET", path)).status]).toEqual([path, 200]);
  }
  const browser = await new Browser(harness).signIn(owner);
  for (const path of [
    "/app",
    "/app/accounts",
    "/app/uploads",
    "/app/tokens",
    "/app/settings",
    "/app/team",
  ]) {
    await browser.get(path);
  }
  await call("GET", "/accounts", undefined, `${made.body.data.token}x`);
  await call("POST", "/upload", { accountId: bluesky });
  await call("DELETE", `/accounts/${bluesky}`);
  network.state.isBroken = true;
  await call("DELETE", `/accounts/${x}`);
  await harness.settle();
  const stored = await readDatabase();

  const places: [string, string][] = [
    ...stored.map(([table, text]): [string, string] => [`table ${table}`, text]),
    ["storage", await readBucket()],
    ["queues", messages.join("\n")],
    ["logs", JSON.stringify(harness.logs)],
    ["mails", JSON.stringify(mails)],
    ...answers,
  ];
  const hits = places.flatMap(([place, text]) =>
    canariesIn(canaries, text).map((what) => `${what} in ${place}`),
  );
  // A token and a secret are shown to their maker once.
  expect(hits).toEqual([
    "an API token in POST /api/v1/tokens",
    "the secret of a webhook in POST /api/v1/webhooks",
  ]);
  expect(stored.length).toBeGreaterThan(30);
  expect(places.length).toBeGreaterThan(50);
  expect(messages.length).toBeGreaterThan(3);
});
