import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { PLATFORMS } from "../../../src/core/platforms.ts";
import type { Fetch } from "../../../src/platforms/connector.ts";
import { eventNames } from "../../support/events.ts";
import {
  type Answer,
  connectSandbox,
  createMember,
  form,
  Harness,
  harnessWith,
  type Member,
} from "../../support/harness.ts";
import { connectFakePds, FakePds } from "../../support/pds.ts";

const LOGIN = {
  platform: "bluesky",
  identifier: "alice.example.com",
  appPassword: "abcd-efgh-ijkl-mnop",
  service: "https://pds.example.com",
};

interface Stage {
  harness: Harness;
  member: Member;
  pds: FakePds;
  connect(json: unknown): Promise<Answer>;
}

async function onStage(harness = new Harness()): Promise<Stage> {
  const member = await createMember();
  const pds = new FakePds();
  harness.network = pds.fetch;
  const connect = (json: unknown) =>
    harness.call("POST", "/accounts", { token: member.token, json });
  return { harness, member, pds, connect };
}

const rowsOf = async (member: Member) =>
  (
    await env.DB.prepare("SELECT * FROM accounts WHERE team_id = ? ORDER BY id")
      .bind(member.teamId)
      .all<Record<string, string | number | null>>()
  ).results;

test("an account is connected by handle and app password, and told in one event", async () => {
  const stage = await onStage();
  const answer = await stage.connect(LOGIN);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      success: true,
      data: {
        id: expect.stringMatching(/^acc_[0-9a-f]{16}$/),
        platform: "bluesky",
        accountName: "alice.example.com",
        profileImageUrl: null,
        status: "active",
        tags: "",
        mode: "live",
        connectedAt: "2026-12-01T09:00:00.000Z",
      },
    },
  });
  expect(await eventNames(stage.member.teamId)).toEqual(["connected_account.connected"]);
});

test("an account is connected by tokens of one's own", async () => {
  const stage = await onStage();
  stage.harness.network = async (input, init) => {
    const request = new Request(input, init);
    expect(request.headers.get("authorization")).toBe("Bearer my.own.token");
    expect(request.url).toBe("https://pds.example.com/xrpc/com.atproto.server.getSession");
    return Response.json({ did: "did:plc:bob", handle: "bob.example.com", active: true });
  };
  const answer = await stage.connect({
    platform: "bluesky",
    credentials: { accessToken: "my.own.token", expiresAt: "2026-12-01T11:00:00+01:00" },
    service: "https://pds.example.com",
  });
  expect(answer.body.data).toMatchObject({ accountName: "bob.example.com", mode: "live" });
  expect((await rowsOf(stage.member))[0]?.credentials_expire_at).toBe(
    Date.parse("2026-12-01T10:00:00Z"),
  );
});

test.each([
  ["Grace"],
  ["👩‍👩‍👧 ../ <b>"],
  ["' OR 1=1 --"],
  ["x".repeat(100)],
  ["名前"],
  [undefined],
])("a sandbox account called %s needs nobody outside", async (name) => {
  const stage = await onStage();
  const answer = await stage.connect({ platform: "bluesky", sandbox: true, name });
  expect(answer.body.data).toMatchObject({
    accountName: name ?? "Sandbox bluesky",
    mode: "sandbox",
    status: "active",
  });
  expect(stage.pds.calls).toEqual([]);
});

test("sandbox accounts of one name in two teams are two accounts", async () => {
  const [one, two] = [await onStage(), await onStage()];
  const json = { platform: "bluesky", sandbox: true, name: "Same" };
  const first = await one.connect(json);
  const second = await two.connect(json);
  expect(first.body.data.id).not.toBe(second.body.data.id);
  expect((await two.connect(json)).body.data.id).toBe(second.body.data.id);
});

test("with the sandbox switched off there is none to connect", async () => {
  const stage = await onStage(harnessWith({ sandboxEnabled: false }));
  const answer = await stage.connect({ platform: "bluesky", sandbox: true });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "sandbox" }] } });
});

describe("what cannot be connected is told by field", () => {
  test.each<[string, unknown, string]>([
    [
      "a password at a platform that takes none",
      { ...LOGIN, platform: "x", service: undefined },
      "platform",
    ],
    ["an unknown platform", { platform: "myspace", sandbox: true }, "platform"],
    ["no platform", { sandbox: true }, "platform"],
    ["sandbox: false", { platform: "bluesky", sandbox: false }, "sandbox"],
    ["two ways at once", { ...LOGIN, sandbox: true }, ""],
    ["credentials and a password", { ...LOGIN, credentials: { accessToken: "a" } }, ""],
    ["empty credentials", { platform: "bluesky", credentials: {} }, "credentials.accessToken"],
    [
      "a naive expiry",
      { platform: "bluesky", credentials: { accessToken: "a", expiresAt: "2026-12-01T11:00:00" } },
      "credentials.expiresAt",
    ],
    [
      "a token of 9,000 characters",
      { platform: "bluesky", credentials: { accessToken: "a".repeat(9_000) } },
      "credentials.accessToken",
    ],
    ["an unknown field", { ...LOGIN, status: "active" }, "status"],
    ["an array", [], ""],
    ["null", "null", ""],
    ["a password of another form", { ...LOGIN, appPassword: "my real password" }, "appPassword"],
    ["a blank identifier", { ...LOGIN, identifier: " " }, "identifier"],
    ["an identifier of direction marks", { ...LOGIN, identifier: "\u202e\u202c" }, "identifier"],
    ["a handle without a dot", { ...LOGIN, service: undefined, identifier: "alice" }, "identifier"],
    [
      "a DID of no known kind",
      { ...LOGIN, service: undefined, identifier: "did:key:z6Mk" },
      "identifier",
    ],
    [
      "a DID at a private host",
      { ...LOGIN, service: undefined, identifier: "did:web:10.0.0.1" },
      "identifier",
    ],
    [
      "a DID with a path",
      { ...LOGIN, service: undefined, identifier: "did:web:a.b/../c" },
      "identifier",
    ],
    ["a service that is no URL", { ...LOGIN, service: "pds.example.com" }, "service"],
    ["an empty service", { ...LOGIN, service: "" }, "service"],
  ])("%s", async (_, json, field) => {
    const stage = await onStage();
    const answer = await stage.connect(json);
    expect(answer).toMatchObject({ status: 400, body: { success: false } });
    expect(answer.body.errors[0].field).toBe(field);
    expect(stage.pds.calls).toEqual([]);
    expect(await rowsOf(stage.member)).toEqual([]);
    expect(JSON.stringify(answer.body)).not.toContain("my real password");
  });
});

describe("a page that cannot be connected is told under pageId", () => {
  const nobody = { error: { code: 100, message: "(#100) Object with ID '1' does not exist" } };

  test.each([
    ["facebook", { sandbox: true, name: "Grace", pageId: "123" }],
    ["linkedin", { sandbox: true, name: "Grace", pageId: "not a number" }],
    ["linkedin", { sandbox: true, name: "Grace", pageId: "999999" }],
    ["linkedin", { credentials: { accessToken: "a" }, pageId: "not a number" }],
    ["facebook", { credentials: { accessToken: "a" }, pageId: "1" }],
    ["facebook", { credentials: { accessToken: "a" }, pageId: 61_550_000_000_000 }],
    ["linkedin", { sandbox: true, pageId: "" }],
    ["linkedin", { sandbox: true, pageId: "1".repeat(101) }],
  ])("of %s, %j", async (platform, json) => {
    const stage = await onStage();
    stage.harness.network = async () => Response.json(nobody, { status: 400 });
    const answer = await stage.connect({ platform, ...json });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ field: "pageId" }]);
    expect(await rowsOf(stage.member)).toEqual([]);
  });
});

describe("text that is none is told under its field, and asks nobody", () => {
  test.each<[string, string, object]>([
    ["half of a pair", "pageId", { platform: "facebook", sandbox: true, pageId: "\ud800" }],
    ["half of a pair", "name", { platform: "bluesky", sandbox: true, name: "\udc00" }],
    ["NUL", "name", { platform: "bluesky", sandbox: true, name: "a\u0000b" }],
    [
      "half of a pair",
      "identifier",
      { platform: "bluesky", identifier: "\ud800.test", appPassword: "abcd-abcd-abcd-abcd" },
    ],
    ...PLATFORMS.flatMap((platform): [string, string, object][] =>
      ["a\r\nb: c", "a\u0000b", "ключ", " a"].map((accessToken) => [
        "no token",
        "accessToken",
        { platform, credentials: { accessToken } },
      ]),
    ),
  ])("%s in %s: %j", async (_, field, json) => {
    const stage = await onStage();
    const answer = await stage.connect(json);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(field);
    expect(await rowsOf(stage.member)).toEqual([]);
  });

  test("in tags as well", async () => {
    const stage = await onStage();
    const id = await connectSandbox(stage.harness, stage.member);
    for (const tags of ["\ud800", "a\u0000b", ["ok", "\udfff"]]) {
      const { token } = stage.member;
      const answer = await stage.harness.call("PATCH", `/accounts/${id}`, {
        token,
        json: { tags },
      });
      expect(answer.status).toBe(400);
    }
  });
});

test.each(PLATFORMS)("%s, when it is down, is a 503 that says so", async (platform) => {
  const stage = await onStage();
  const service = platform === "mastodon" ? { service: "https://mastodon.test" } : {};
  const json = { platform, credentials: { accessToken: "a.b.c" }, ...service };
  const down: Fetch[] = [
    () => Promise.reject(new TypeError("Network connection lost.")),
    async () => new Response("Bad gateway", { status: 502 }),
  ];
  for (const network of down) {
    stage.harness.network = network;
    const answer = await stage.connect(json);
    expect(answer).toMatchObject({
      status: 503,
      body: {
        success: false,
        code: "UNAVAILABLE",
        error: expect.stringContaining("could not be reached"),
      },
    });
    expect(answer.headers.get("retry-after")).toBe("60");
  }
});

describe("a server that does not give a login", () => {
  const answers: [string, () => Promise<Response>, RegExp, 400 | 503][] = [
    [
      "refuses it",
      async () =>
        Response.json(
          { error: "AuthenticationRequired", message: "Invalid identifier or password" },
          { status: 401 },
        ),
      /Invalid identifier or password/,
      400,
    ],
    [
      "wants a mailed code",
      async () => Response.json({ error: "AuthFactorTokenRequired" }, { status: 401 }),
      /authFactorToken/,
      400,
    ],
    [
      "is not reached",
      () => Promise.reject(new TypeError("Network connection lost.")),
      /could not be reached/,
      503,
    ],
    ["answers 500", async () => new Response("<html>oops", { status: 500 }), /HTTP 500/, 503],
    [
      "answers 503 with JSON",
      async () => Response.json({ error: "X", message: "Down for work" }, { status: 503 }),
      /Down for work/,
      503,
    ],
    [
      "is busy",
      async () =>
        Response.json(
          { error: "RateLimitExceeded", message: "Rate Limit Exceeded" },
          { status: 429 },
        ),
      /Rate Limit/,
      503,
    ],
    ["answers what is no JSON", async () => new Response("{not json"), /cannot be read/, 400],
    ["answers nothing", async () => new Response(null, { status: 204 }), /cannot be read/, 400],
    ["answers an array", async () => Response.json([]), /cannot be read/, 400],
    ["answers a megabyte", async () => new Response("x".repeat(1_000_000)), /cannot be read/, 400],
    [
      "answers an endless stream",
      async () =>
        new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(60_000)) })),
      /cannot be read/,
      400,
    ],
    [
      "breaks off",
      async () =>
        new Response(
          new ReadableStream({ pull: (c) => c.error(new TypeError("Network connection lost.")) }),
        ),
      /could not be reached/,
      503,
    ],
    [
      "redirects",
      async () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1/" } }),
      /HTTP 302/,
      400,
    ],
    [
      "gives a session without a DID",
      async () => Response.json({ accessJwt: "a", refreshJwt: "b", handle: "h" }),
      /cannot be read/,
      400,
    ],
    [
      "gives a DID that is none",
      async () => Response.json({ accessJwt: "a", refreshJwt: "b", handle: "h", did: "alice" }),
      /cannot be read/,
      400,
    ],
    [
      "gives a session of a deactivated account",
      async () =>
        Response.json({
          accessJwt: "a",
          refreshJwt: "b",
          handle: "h",
          did: "did:plc:a",
          active: false,
          status: "deactivated",
        }),
      /deactivated/,
      400,
    ],
  ];

  test.each(answers)("because it %s: nothing stored", async (_, answer, message, status) => {
    const stage = await onStage();
    stage.harness.network = answer;
    for (const json of [
      LOGIN,
      { platform: "bluesky", credentials: { accessToken: "a.b.c" }, service: LOGIN.service },
    ]) {
      const refused = await stage.connect(json);
      expect(refused).toMatchObject({ status, body: { success: false } });
      expect(refused.body.code).toBe(status === 503 ? "UNAVAILABLE" : undefined);
      expect(refused.body.error.length).toBeLessThan(600);
      if (json === LOGIN) expect(refused.body.error).toMatch(message);
    }
    expect(await rowsOf(stage.member)).toEqual([]);
    expect(await eventNames(stage.member.teamId)).toEqual([]);
  });

  test("a mailed code is sent along", async () => {
    const stage = await onStage();
    let sent: unknown;
    stage.pds.intercept = () => undefined;
    stage.harness.network = async (input, init) => {
      const request = new Request(input, init);
      sent = await request.clone().json();
      return stage.pds.fetch(request);
    };
    const answer = await stage.connect({ ...LOGIN, authFactorToken: " AB-12 " });
    expect(answer.status).toBe(200);
    expect(sent).toMatchObject({ authFactorToken: "AB-12", password: LOGIN.appPassword });
  });

  test("every call that logs in has a deadline", async () => {
    const stage = await onStage();
    const signals: (AbortSignal | null | undefined)[] = [];
    stage.harness.network = async (input, init) => {
      signals.push(init?.signal);
      return stage.pds.fetch(input, init);
    };
    await stage.connect(LOGIN);
    expect(signals).toEqual([expect.any(AbortSignal)]);
  });
});

describe("connecting the same account again", () => {
  test("renews its row: the same id, its tags kept, active again", async () => {
    const stage = await onStage();
    const id = await connectFakePds(stage.harness, stage.member, stage.pds);
    const { token } = stage.member;
    await stage.harness.call("PATCH", `/accounts/${id}`, { token, json: { tags: "news" } });
    await env.DB.prepare("UPDATE accounts SET status = 'expired', failure_count = 3 WHERE id = ?")
      .bind(id)
      .run();
    const [before] = await rowsOf(stage.member);
    stage.harness.advance(60);
    const again = await stage.connect(LOGIN);
    expect(again.body.data).toMatchObject({
      id,
      status: "active",
      tags: "news",
      connectedAt: "2026-12-01T09:01:00.000Z",
    });
    const [after, ...more] = await rowsOf(stage.member);
    expect(more).toEqual([]);
    expect(after).toMatchObject({ failure_count: 0 });
    expect(after?.credentials).not.toBe(before?.credentials);
  });

  test("after it was disconnected makes a new one", async () => {
    const stage = await onStage();
    const id = await connectFakePds(stage.harness, stage.member, stage.pds);
    await stage.harness.call("DELETE", `/accounts/${id}`, { token: stage.member.token });
    await stage.harness.settle();
    const again = await stage.connect(LOGIN);
    expect(again.status).toBe(200);
    expect(again.body.data.id).not.toBe(id);
  });

  test("twice at the same moment makes one account, and no 500", async () => {
    const stage = await onStage();
    let waiting = 0;
    let release: () => void = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    stage.pds.intercept = ({ answer }) => {
      if (++waiting === 2) release();
      return both.then(answer);
    };
    const answers = await Promise.all([stage.connect(LOGIN), stage.connect(LOGIN)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body.data.id).toBe(answers[1]?.body.data.id);
    expect(await rowsOf(stage.member)).toHaveLength(1);
  });
});

describe("a stored login", () => {
  test("is encrypted: no column, event or log shows it", async () => {
    const stage = await onStage();
    const canaries = ["canary-access-jwt", "canary-refresh-jwt", LOGIN.appPassword];
    stage.harness.network = async () =>
      Response.json({
        did: "did:plc:canary",
        handle: "canary.example.com",
        accessJwt: canaries[0],
        refreshJwt: canaries[1],
      });
    expect((await stage.connect(LOGIN)).status).toBe(200);
    const [row] = await rowsOf(stage.member);
    expect(row?.credentials).toMatch(/^v1\.test\.[\w-]{16}\.[\w-]+$/);
    const events = await env.DB.prepare("SELECT * FROM events WHERE team_id = ?")
      .bind(stage.member.teamId)
      .all();
    const everything = JSON.stringify([
      row,
      events.results,
      stage.harness.logs,
      stage.harness.sent,
    ]);
    for (const canary of canaries) expect(everything).not.toContain(canary);
  });

  test.each([
    ["another account of the team", "SELECT credentials FROM accounts WHERE id = ?1"],
    [
      "nowhere: it was altered",
      "SELECT substr(credentials, 1, length(credentials) - 4) || 'AAAA' FROM accounts WHERE id = ?2",
    ],
    [
      "a key that is gone",
      "SELECT replace(credentials, 'v1.test.', 'v1.gone.') FROM accounts WHERE id = ?2",
    ],
  ])("that belongs to %s opens nothing: the post fails, no token is used", async (_, source) => {
    const stage = await onStage();
    const id = await connectFakePds(stage.harness, stage.member, stage.pds);
    stage.harness.network = async () =>
      Response.json({
        did: "did:plc:other",
        handle: "o.example.com",
        accessJwt: "a.e30.c",
        refreshJwt: "r",
      });
    const other = await stage.connect(LOGIN);
    stage.harness.network = stage.pds.fetch;
    await env.DB.prepare(`UPDATE accounts SET credentials = (${source}) WHERE id = ?2`)
      .bind(other.body.data.id, id)
      .run();
    const { token } = stage.member;
    const created = await stage.harness.call("POST", "/upload", {
      token,
      body: form({ accountId: id, description: "Hello" }),
    });
    const calls = stage.pds.calls.length;
    for (let i = 0; i < 20; i++) {
      await stage.harness.drain();
      stage.harness.advance(120);
      await stage.harness.tick();
    }
    expect(stage.pds.calls.slice(calls)).toEqual([]);
    const { body } = await stage.harness.call("GET", `/upload/${created.body.data.uploadId}`, {
      token,
    });
    expect(body.data.status).toBe("failed");
  });
});
