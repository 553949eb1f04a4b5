import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Config } from "../../src/config.ts";
import { clientKey } from "../../src/core/client-ip.ts";
import {
  type Answer,
  createMember,
  createToken,
  form,
  type Harness,
  harnessWith,
  type Member,
  START,
} from "../support/harness.ts";
import { measure } from "../support/meter.ts";

const MINUTE = 60;

let member: Member;
beforeAll(async () => {
  member = await createMember();
});

/** The service with its limits on. */
const limited = (rateLimits: Config["rateLimits"] = {}): Harness => harnessWith({ rateLimits });

let lastAddress = 0;
/** An address that no other test has used. */
const freshAddress = (): string => {
  lastAddress++;
  return `198.18.${lastAddress >> 8}.${lastAddress & 255}`;
};

interface Call {
  method?: string;
  path?: string;
  token?: string;
  headers?: Record<string, string>;
}

/** Calls from one address. */
const from =
  (harness: Harness, address: string) =>
  ({ method = "GET", path = "/accounts", token, headers = {} }: Call = {}): Promise<Answer> =>
    harness.call(method, path, {
      token: token ?? member.token,
      headers: { "cf-connecting-ip": address, ...headers },
      ...(method === "POST" ? { body: form({ accountId: "acc_0" }) } : {}),
    });

async function statuses(times: number, call: () => Promise<Answer>): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < times; i++) seen.push((await call()).status);
  return seen;
}

const refused = { status: 429, body: { success: false, code: "RATE_LIMIT" } };

test.each<[string, Call, number, number]>([
  ["POST /upload", { method: "POST", path: "/upload" }, 50, 15 * MINUTE],
  ["DELETE of anything", { method: "DELETE", path: "/accounts/acc_0" }, 20, 15 * MINUTE],
  ["other writes", { method: "PATCH", path: "/accounts/acc_0" }, 100, 15 * MINUTE],
  ["reads of accounts", { path: "/accounts" }, 100, 5 * MINUTE],
  ["reads of uploads", { path: "/upload" }, 100, 5 * MINUTE],
  ["reads of tokens", { path: "/tokens" }, 100, 5 * MINUTE],
  ["polling one upload", { path: "/upload/1" }, 600, 5 * MINUTE],
])("%s: the limit is exact", async (_, call, limit, windowSeconds) => {
  const harness = limited();
  const send = from(harness, freshAddress());
  const first = await send(call);
  expect(first.status).not.toBe(429);
  expect(first.headers.get("ratelimit-policy")).toMatch(
    new RegExp(`^"[a-z:-]+";q=${limit};w=${windowSeconds}$`),
  );
  expect(first.headers.get("ratelimit")).toMatch(new RegExp(`;r=${limit - 1};t=${windowSeconds}$`));
  expect(first.headers.get("retry-after")).toBeNull();
  expect(await statuses(limit - 2, () => send(call))).not.toContain(429);
  const last = await send(call);
  expect(last.status).not.toBe(429);
  expect(last.headers.get("ratelimit")).toContain(";r=0;");
  const over = await send(call);
  expect(over).toMatchObject(refused);
  expect(over.headers.get("retry-after")).toBe(String(windowSeconds));
  expect(over.headers.get("ratelimit")).toContain(`;r=0;t=${windowSeconds}`);
  expect(over.headers.get("ratelimit-policy")).toContain(`;q=${limit};`);
});

test.each([
  ["GET", "/oauth/start/00"],
  ["POST", "/oauth/start/00"],
  ["GET", "/oauth/callback/x"],
  ["POST", "/oauth/choose/1"],
  ["POST", "/connect/1-00"],
])("%s %s: a step of a connection has a limit of its own", async (method, path) => {
  const harness = limited({ connect: { limit: 2, windowSeconds: 60 } });
  const headers = { "cf-connecting-ip": freshAddress(), "sec-fetch-site": "same-origin" };
  const seen: number[] = [];
  for (let i = 0; i < 3; i++) seen.push((await harness.request(path, { method, headers })).status);
  expect(seen.map((status) => status === 429)).toEqual([false, false, true]);
  headers["cf-connecting-ip"] = freshAddress();
  const usual = await limited().request(path, { method, headers });
  expect(usual.headers.get("ratelimit-policy")).toBe('"connect";q=400;w=900');
});

test("an id that is none does not get past a full window", async () => {
  const harness = limited({ "upload-poll": { limit: 2, windowSeconds: 60 } });
  const send = from(harness, freshAddress());
  const ids = ["abc", "0", "1e3", "-1"];
  const seen: number[] = [];
  for (const id of ids) seen.push((await send({ path: `/upload/${id}` })).status);
  expect(seen).toEqual([404, 404, 429, 429]);
});

test.each([
  ["no JSON", { "content-type": "application/json" }],
  ["of another type", { "content-type": "text/plain" }],
])("a body that is %s does not get past a full window", async (_, headers) => {
  const harness = limited({ write: { limit: 1, windowSeconds: 60 } });
  const address = freshAddress();
  const send = () =>
    harness.call("POST", "/tokens", {
      token: member.token,
      body: "{",
      headers: { ...headers, "cf-connecting-ip": address },
    });
  expect((await send()).status).not.toBe(429);
  expect(await send()).toMatchObject(refused);
});

test("a malformed X-Team-ID is counted too", async () => {
  const harness = limited({ "read:accounts": { limit: 1, windowSeconds: 60 } });
  const send = from(harness, freshAddress());
  expect(await statuses(2, () => send({ headers: { "x-team-id": "abc" } }))).toEqual([400, 429]);
});

test("the window slides: each place comes back a window after it was taken", async () => {
  const harness = limited({ "read:accounts": { limit: 3, windowSeconds: 60 } });
  const send = from(harness, freshAddress());
  await send();
  harness.advance(20);
  await send();
  harness.advance(20);
  await send();
  const over = await send();
  expect(over).toMatchObject(refused);
  expect(over.headers.get("retry-after")).toBe("20");
  harness.advance(19);
  expect((await send()).status).toBe(429);
  harness.advance(1);
  expect((await send()).status).toBe(200);
  const next = await send();
  expect(next.status).toBe(429);
  expect(next.headers.get("retry-after")).toBe("20");
});

test("a refused call takes no place", async () => {
  const harness = limited({ "read:accounts": { limit: 1, windowSeconds: 60 } });
  const send = from(harness, freshAddress());
  await send();
  harness.advance(30);
  expect(await statuses(5, send)).toEqual([429, 429, 429, 429, 429]);
  harness.advance(30);
  expect((await send()).status).toBe(200);
});

test("calls without a valid token count, and a full window goes before the 401", async () => {
  const harness = limited({ "read:accounts": { limit: 3, windowSeconds: 60 } });
  const send = from(harness, freshAddress());
  const nobody = `kmb_${"e".repeat(64)}`;
  expect((await send({ token: "" })).status).toBe(401);
  expect((await send({ token: "malformed" })).status).toBe(401);
  expect((await send({ token: nobody })).status).toBe(401);
  expect(await send({ token: "" })).toMatchObject(refused);
  expect(await send({ token: nobody })).toMatchObject(refused);
  expect(await send()).toMatchObject(refused);
});

test("addresses and groups are counted apart", async () => {
  const harness = limited({ read: { limit: 1, windowSeconds: 60 } });
  const send = from(harness, freshAddress());
  expect(await statuses(2, () => send({ path: "/accounts" }))).toEqual([200, 429]);
  expect(await statuses(2, () => send({ path: "/upload" }))).toEqual([200, 429]);
  expect(await statuses(2, () => from(harness, freshAddress())())).toEqual([200, 200]);
});

test("the token or the team makes no difference to an address", async () => {
  const harness = limited({ read: { limit: 2, windowSeconds: 60 } });
  const send = from(harness, freshAddress());
  const other = await createMember();
  expect((await send()).status).toBe(200);
  expect((await send({ token: other.token })).status).toBe(200);
  expect((await send({ token: other.token })).status).toBe(429);
});

test("an IPv6 caller is counted by its /64", async () => {
  const harness = limited({ read: { limit: 2, windowSeconds: 60 } });
  const seen: number[] = [];
  for (const address of [
    "2001:db8:5:6::1",
    "2001:DB8:5:6:ffff:ffff:ffff:ffff",
    "2001:db8:5:6::2",
  ]) {
    seen.push((await from(harness, address)()).status);
  }
  expect(seen).toEqual([200, 200, 429]);
  expect((await from(harness, "2001:db8:5:7::1")()).status).toBe(200);
});

test("headers that anybody can send make no other caller of one", async () => {
  const harness = limited({ read: { limit: 1, windowSeconds: 60 } });
  const send = from(harness, freshAddress());
  await send();
  const spoofs: Record<string, string>[] = [
    { "x-forwarded-for": "203.0.113.9" },
    { "x-real-ip": "203.0.113.9" },
    { "true-client-ip": "203.0.113.9" },
    { forwarded: "for=203.0.113.9" },
    { "cf-pseudo-ipv4": "203.0.113.9" },
    { "x-client-ip": "203.0.113.9" },
  ];
  for (const headers of spoofs) expect((await send({ headers })).status).toBe(429);
});

test.each(["/ACCOUNTS", "/accounts/", "//accounts", "/./accounts", "/accounts?x=1", "/%61ccounts"])(
  "%s is no way around a full window",
  async (path) => {
    const harness = limited({ read: { limit: 1, windowSeconds: 60 } });
    const send = from(harness, freshAddress());
    await send();
    expect([404, 429]).toContain((await send({ path })).status);
  },
);

test("a HEAD counts like its GET", async () => {
  const harness = limited({ read: { limit: 1, windowSeconds: 60 } });
  const address = freshAddress();
  const headers = { "cf-connecting-ip": address, "x-api-key": member.token };
  const head = await harness.request("/api/v1/accounts", { method: "HEAD", headers });
  expect(head.status).toBe(200);
  expect((await from(harness, address)()).status).toBe(429);
});

test("overrides name a group, or all reads", async () => {
  const harness = limited({
    read: { limit: 1, windowSeconds: 60 },
    "read:uploads": { limit: 2, windowSeconds: 60 },
  });
  const send = from(harness, freshAddress());
  expect(await statuses(2, () => send({ path: "/accounts" }))).toEqual([200, 429]);
  expect(await statuses(3, () => send({ path: "/upload" }))).toEqual([200, 200, 429]);
});

test("switched off, nothing is counted and no header tells of limits", async () => {
  const harness = limited("off");
  const send = from(harness, freshAddress());
  expect(await statuses(110, send)).not.toContain(429);
  expect((await send()).headers.get("ratelimit")).toBeNull();
});

describe("distinct tokens", () => {
  const guess = (n: number): string => `kmb_${n.toString(16).padStart(64, "d")}`;

  test("the 11th of an address within an hour is refused, valid or not", async () => {
    const harness = limited();
    const send = from(harness, freshAddress());
    const seen: number[] = [];
    for (let i = 0; i < 10; i++) seen.push((await send({ token: guess(i) })).status);
    expect(seen).toEqual(Array(10).fill(401));
    const over = await send({ token: guess(10) });
    expect(over).toMatchObject(refused);
    expect(over.headers.get("retry-after")).toBe("3600");
    expect(await send()).toMatchObject(refused);
    expect((await send({ token: guess(3) })).status).toBe(401);
  });

  test("tokens that were known before go on working", async () => {
    const harness = limited();
    const send = from(harness, freshAddress());
    expect((await send()).status).toBe(200);
    for (let i = 0; i < 12; i++) await send({ token: guess(100 + i) });
    expect((await send({ token: guess(200) })).status).toBe(429);
    expect((await send()).status).toBe(200);
  });

  test("strings that are no token at all count as well", async () => {
    const harness = limited();
    const send = from(harness, freshAddress());
    for (let i = 0; i < 10; i++) expect((await send({ token: `x${i}` })).status).toBe(401);
    expect((await send()).status).toBe(429);
  });

  test("every header that can carry a token counts", async () => {
    const harness = limited();
    const send = from(harness, freshAddress());
    for (let i = 0; i < 5; i++) {
      await send({ token: "", headers: { "x-api-token": guess(300 + i) } });
      await harness.call("GET", "/accounts", {
        headers: {
          authorization: `Bearer ${guess(400 + i)}`,
          "cf-connecting-ip": `198.18.${lastAddress >> 8}.${lastAddress & 255}`,
        },
      });
    }
    expect((await send({ token: guess(500) })).status).toBe(429);
  });

  test("from the 11th on each costs no database read, from the 12th on no limiter call either", async () => {
    const harness = limited();
    const send = from(harness, freshAddress());
    const limiter = vi.spyOn(harness.deps.rateLimiter, "getByName");
    const seen: number[][] = [];
    for (let i = 0; i < 13; i++) {
      limiter.mockClear();
      const { costs, result } = await measure(harness, () => send({ token: guess(1_400 + i) }));
      seen.push([result.status, costs.roundTrips.length, limiter.mock.calls.length]);
    }
    limiter.mockRestore();
    expect(seen).toEqual([...Array(10).fill([401, 1, 1]), [429, 0, 1], [429, 0, 0], [429, 0, 0]]);
  });

  test("a guesser who was refused costs no database read, no limiter call, and no other caller", async () => {
    const harness = limited();
    const send = from(harness, freshAddress());
    await send();
    for (let i = 0; i < 10; i++) await send({ token: guess(600 + i) });
    const limiter = vi.spyOn(harness.deps.rateLimiter, "getByName");
    const { costs, result } = await measure(harness, async () => {
      const seen: number[] = [];
      for (let i = 0; i < 20; i++) {
        seen.push((await send({ token: guess(700 + i), path: `/upload/${i + 1}` })).status);
      }
      return seen;
    });
    expect(result).toEqual(Array(20).fill(429));
    expect(costs.roundTrips).toEqual([]);
    expect(limiter).not.toHaveBeenCalled();
    limiter.mockRestore();
    expect((await send()).status).toBe(200);
    expect((await from(harness, freshAddress())({ token: guess(800) })).status).toBe(401);
  });

  test("are counted at the sandbox's feed too, where production asks for a token", async () => {
    const harness = harnessWith({ rateLimits: {}, isDevelopment: false, sandboxEnabled: true });
    const address = freshAddress();
    const seen: number[] = [];
    for (let i = 0; i < 12; i++) {
      const headers = { "x-api-key": guess(1_300 + i), "cf-connecting-ip": address };
      seen.push((await harness.request("/sandbox/api/posts", { headers })).status);
    }
    expect(seen).toEqual([...Array(10).fill(401), 429, 429]);
  });

  test("after an hour without them there is room again", async () => {
    const harness = limited();
    const send = from(harness, freshAddress());
    for (let i = 0; i < 10; i++) await send({ token: guess(900 + i) });
    expect((await send()).status).toBe(429);
    harness.advance(3_599);
    expect((await send()).status).toBe(429);
    harness.advance(1);
    expect((await send()).status).toBe(200);
  });

  test("a token that stays in use keeps its place", async () => {
    const harness = limited();
    const send = from(harness, freshAddress());
    await send();
    for (let i = 0; i < 9; i++) await send({ token: guess(1_000 + i) });
    harness.advance(3_000);
    await send();
    harness.advance(600);
    expect((await send()).status).toBe(200);
    for (let i = 0; i < 9; i++) {
      expect((await send({ token: guess(1_100 + i) })).status).toBe(401);
    }
    expect((await send({ token: guess(1_200) })).status).toBe(429);
  });

  test("ten good tokens of one office are no problem", async () => {
    const harness = limited();
    const send = from(harness, freshAddress());
    const tokens = await Promise.all(Array.from({ length: 10 }, () => createToken(member.userId)));
    for (const token of [...tokens, ...tokens]) expect((await send({ token })).status).toBe(200);
  });
});

test("a full window costs no database read and no limiter call until it has a place again", async () => {
  const harness = limited({ read: { limit: 1, windowSeconds: 60 } });
  const send = from(harness, freshAddress());
  await send();
  await send();
  const limiter = vi.spyOn(harness.deps.rateLimiter, "getByName");
  harness.advance(20);
  const { costs, result } = await measure(harness, () => send());
  expect(result).toMatchObject(refused);
  expect(result.headers.get("retry-after")).toBe("40");
  expect(result.headers.get("ratelimit")).toContain(";r=0;t=40");
  expect([costs.roundTrips.length, limiter.mock.calls.length]).toEqual([0, 0]);
  limiter.mockRestore();
  harness.advance(39.999);
  expect((await send()).status).toBe(429);
  harness.advance(0.001);
  expect((await send()).status).toBe(200);
});

/** Calls of the only group that have been written. */
const writtenHits = (limiter: ReturnType<typeof env.RATE_LIMITER.getByName>) =>
  runInDurableObject(limiter, async (_, { storage }) => {
    const { groups } = (await storage.get<{ groups: [string, number[]][] }>("counters")) ?? {};
    return groups?.[0]?.[1].length;
  });

test("a busy address writes its counters once in 30 seconds, a quiet one at its first call", async () => {
  const harness = limited();
  vi.useFakeTimers({ now: START, toFake: ["Date", "setTimeout"] });
  const address = freshAddress();
  const send = from(harness, address);
  await send();
  const limiter = env.RATE_LIMITER.getByName(clientKey(address));
  const kept = [await writtenHits(limiter)];
  for (let second = 1; second <= 60; second++) {
    await runInDurableObject(limiter, () => vi.advanceTimersByTimeAsync(1_000));
    await send();
    kept.push(await writtenHits(limiter));
  }
  const writes = kept.filter((count, i) => count !== kept[i - 1]).length;
  expect([kept[0], kept[29], kept[30], kept[59], kept[60], writes]).toEqual([1, 1, 30, 30, 60, 3]);
});

test("an object that comes back within 30 seconds of its last write does not write at once", async () => {
  const harness = limited();
  vi.useFakeTimers({ now: START, toFake: ["Date", "setTimeout"] });
  const address = freshAddress();
  const send = from(harness, address);
  await send();
  const limiter = env.RATE_LIMITER.getByName(clientKey(address));
  await evictDurableObject(limiter);
  harness.advance(12);
  await send();
  expect(await writtenHits(limiter)).toBe(1);
  await runInDurableObject(limiter, () => vi.advanceTimersByTimeAsync(18_000));
  expect(await writtenHits(limiter)).toBe(2);
});

describe("files by signed address", () => {
  const path = `/media/1/${"0".repeat(64)}/original`;
  const pull = (harness: Harness, address: string, signature = "x") =>
    harness.request(`${path}?expires=1&signature=${signature}`, {
      headers: { "cf-connecting-ip": address, range: "bytes=0-262143" },
    });

  test("have room for two videos of 1 GB in ranges of 256 KB, in 5 minutes", async () => {
    const answer = await pull(limited(), freshAddress());
    expect(answer.headers.get("ratelimit-policy")).toBe('"media";q=8000;w=300');
    expect(8_000 * 262_144).toBeGreaterThan(2 * 1_000_000_000);
  });

  test("are refused by address once that is used up (429), whatever the signature", async () => {
    const harness = limited({ media: { limit: 2, windowSeconds: 60 } });
    const address = freshAddress();
    const seen: number[] = [];
    for (let i = 0; i < 4; i++) seen.push((await pull(harness, address, String(i))).status);
    expect(seen).toEqual([404, 404, 429, 429]);
    expect((await pull(harness, freshAddress())).status).toBe(404);
    expect((await from(harness, address)()).status).toBe(200);
  });
});

test.each<[string, string, boolean, boolean]>([
  ["this machine in development", "127.0.0.1", true, false],
  ["this machine in development, by IPv6", "::1", true, false],
  ["another machine in development", "198.19.1.1", true, true],
  ["this machine in production", "127.0.0.2", false, true],
])("the health of %s has its quota, or none", async (_, address, isDevelopment, hasQuota) => {
  const harness = harnessWith({
    isDevelopment,
    rateLimits: { read: { limit: 1, windowSeconds: 60 } },
  });
  const isRefused = async () => {
    const headers = { "cf-connecting-ip": address };
    return (await harness.request("/health", { headers })).status === 429;
  };
  expect([await isRefused(), await isRefused()]).toEqual([false, hasQuota]);
});

test("counters survive the eviction of their object", async () => {
  const harness = limited({ read: { limit: 3, windowSeconds: 600 } });
  vi.useFakeTimers({ now: START, toFake: ["Date", "setTimeout"] });
  const address = freshAddress();
  const send = from(harness, address);
  await send();
  await send();
  for (let i = 0; i < 9; i++) await send({ token: `kmb_${i}`, path: "/upload" });
  const limiter = env.RATE_LIMITER.getByName(clientKey(address));
  await runInDurableObject(limiter, async () => {
    await vi.advanceTimersByTimeAsync(30_000);
  });
  await evictDurableObject(limiter);
  expect((await send()).status).toBe(200);
  expect((await send()).status).toBe(429);
  expect((await send({ token: "kmb_another", path: "/tokens" })).status).toBe(429);
});

test("many calls at once take exactly the places there are", async () => {
  const harness = limited({ read: { limit: 20, windowSeconds: 60 } });
  const send = from(harness, freshAddress());
  const answers = await Promise.all(Array.from({ length: 60 }, () => send()));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
});
