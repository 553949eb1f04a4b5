import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createMember, Harness, START } from "../../support/harness.ts";

const DAY_SECONDS = 86_400;
const NIGHT_SECONDS = 18 * 3_600;

beforeEach(async () => {
  await env.DB.exec("DELETE FROM chores; DELETE FROM accounts;");
});

async function prepare(lastsDays: number, platform = "instagram") {
  const harness = new Harness();
  const { token } = await createMember();
  const calls: string[] = [];
  let answer = () => Response.json({ access_token: "renewed", expires_in: 60 * DAY_SECONDS });
  harness.network = async (input) => {
    const { pathname } = new URL(new Request(input).url);
    calls.push(pathname);
    if (pathname === "/refresh_access_token") return answer();
    return Response.json({ user_id: "17841400000000001", username: "ada" });
  };
  const expiresAt = new Date(START.getTime() + lastsDays * DAY_SECONDS * 1_000).toISOString();
  const connected = await harness.call("POST", "/accounts", {
    token,
    json: { platform, credentials: { accessToken: "first", expiresAt } },
  });
  if (!connected.body.data) throw new Error(JSON.stringify(connected.body));
  const { id } = connected.body.data;
  calls.length = 0;
  harness.advance(NIGHT_SECONDS);
  return {
    harness,
    calls,
    answerWith: (reply: () => Response) => {
      answer = reply;
    },
    status: async () => (await harness.call("GET", `/accounts/${id}`, { token })).body.data.status,
  };
}

test("a login that nobody uses is renewed ahead of its end", async () => {
  const { harness, calls, status } = await prepare(9);
  await harness.tick();
  expect(calls).toEqual(["/refresh_access_token"]);
  expect(await status()).toBe("active");
  harness.advance(60);
  await harness.tick();
  expect(calls).toHaveLength(1);
});

test("one that lasts long enough is left alone", async () => {
  const { harness, calls } = await prepare(12);
  await harness.tick();
  expect(calls).toEqual([]);
});

test("one that cannot be renewed for the moment is tried again the next night", async () => {
  const { harness, calls, answerWith, status } = await prepare(9);
  answerWith(() => new Response("", { status: 503 }));
  for (let i = 0; i < 3; i++) {
    await harness.tick();
    harness.advance(60);
  }
  expect(calls).toHaveLength(1);
  expect(await status()).toBe("active");
  harness.advance(DAY_SECONDS);
  await harness.tick();
  expect(calls).toHaveLength(2);
});

test("one that was to be renewed just now is tried again within the hour", async () => {
  const { harness, calls, answerWith } = await prepare(10.7);
  answerWith(() => new Response("", { status: 503 }));
  await harness.tick();
  expect(calls).toHaveLength(1);
  answerWith(() => Response.json({ access_token: "renewed", expires_in: 60 * DAY_SECONDS }));
  harness.advance(3_600);
  await harness.tick();
  expect(calls).toHaveLength(2);
  harness.advance(3_600);
  await harness.tick();
  expect(calls).toHaveLength(2);
});

test("one is not tried again before the platform wants to be asked", async () => {
  const { harness, calls, answerWith } = await prepare(10.7);
  const wait = { "retry-after": String(5 * 3_600) };
  answerWith(() => new Response("", { status: 429, headers: wait }));
  for (let hour = 0; hour < 5; hour++) {
    await harness.tick();
    expect(calls).toHaveLength(1);
    harness.advance(3_600);
  }
  await harness.tick();
  expect(calls).toHaveLength(2);
});

test("one that the platform has ended is expired, before a post needs it", async () => {
  const { harness, answerWith, status } = await prepare(9);
  const error = { message: "Session has expired", type: "OAuthException", code: 190 };
  answerWith(() => Response.json({ error }, { status: 400 }));
  await harness.tick();
  expect(await status()).toBe("expired");
});

test("the end that is stored of a login is corrected where it is not renewed, and nobody is told of it", async () => {
  const { harness, calls, answerWith, status } = await prepare(60);
  answerWith(() => new Response("", { status: 503 }));
  const stored = Date.now() + 5 * DAY_SECONDS * 1_000;
  await env.DB.prepare("UPDATE accounts SET renew_at = ?, login_ends_at = ?")
    .bind(Date.now(), stored)
    .run();
  await harness.tick();
  expect(calls).toHaveLength(1);
  harness.advance(6 * DAY_SECONDS);
  await harness.tick();
  expect(calls).toHaveLength(1);
  expect(await status()).toBe("active");
  const row = await env.DB.prepare("SELECT renew_at, login_ends_at FROM accounts").first();
  const endsAt = START.getTime() + 60 * DAY_SECONDS * 1_000;
  expect(row).toEqual({ renew_at: endsAt - 10 * DAY_SECONDS * 1_000, login_ends_at: endsAt });
});
