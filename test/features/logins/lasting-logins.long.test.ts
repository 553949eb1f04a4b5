import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Platform } from "../../../src/core/platforms.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { sandboxCredentials } from "../../../src/sandbox/kit/login.ts";
import {
  createMember,
  type Fields,
  form,
  type Harness,
  harnessWith,
  START,
} from "../../support/harness.ts";
import { sandboxShortToken } from "../../support/short-token.ts";
import { jpeg, mp4 } from "../../support/stage.ts";

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** From 09:00 until the nightly chores. */
const TO_THE_NIGHT = 18 * HOUR_SECONDS;
const KEYS = { clientId: "app", clientSecret: "secret" };

beforeEach(async () => {
  await env.DB.exec("DELETE FROM chores; DELETE FROM accounts;");
});

/** A second Request would take the first one's body. */
const urlOf = (input: Request | string | URL): URL =>
  new URL(input instanceof Request ? input.url : input);

async function onStage(platform: Platform, hasKeys: boolean) {
  const appKeys = hasKeys ? { [platform]: KEYS } : {};
  const harness: Harness = harnessWith({ appKeys });
  const member = await createMember();
  const { token, teamId } = member;
  const name = `Ada ${teamId}`;
  harness.network = createSandboxFetch(env.SANDBOX_STATE, {
    teamId,
    accountId: null,
    uploadId: null,
  });
  const calls: URL[] = [];
  const { network } = harness;
  harness.network = (input, init) => {
    calls.push(urlOf(input));
    return network(input, init);
  };
  const connect = (credentials: object, more: object = {}) =>
    harness.call("POST", "/accounts", { token, json: { platform, credentials, ...more } });
  return {
    harness,
    name,
    calls,
    connect,
    short: { accessToken: sandboxShortToken(platform, name, "1") },
    long: { accessToken: sandboxCredentials(platform, name).accessToken },
    account: async (id: string) =>
      (await harness.call("GET", `/accounts/${id}`, { token })).body.data,
    endsAt: async (id: string) => {
      const row = await env.DB.prepare(
        "SELECT credentials_expire_at AS at FROM accounts WHERE id = ?",
      )
        .bind(id)
        .first<{ at: number | null }>();
      return row?.at ?? null;
    },
    publish: async (accountId: string, fields: Fields) => {
      const body = form({ accountId, ...fields });
      const answer = await harness.call("POST", "/upload", { token, body });
      expect(answer.body).toMatchObject({ success: true });
      const id = answer.body.data.uploadId;
      for (let minute = 0; minute < 5; minute++) {
        await harness.drain();
        harness.advance(60);
        await harness.tick();
      }
      return (await harness.call("GET", `/upload/${id}`, { token })).body.data;
    },
    /** Lets days pass, each with its nightly chores. */
    live: async (days: number, step = 1) => {
      for (let day = 0; day < days; day += step) {
        harness.advance(step * DAY_SECONDS);
        await harness.tick();
      }
    },
  };
}

const IN_60_DAYS = START.getTime() + 60 * DAY_SECONDS * 1_000;

describe.each([["instagram"], ["threads"]] as const)("%s", (platform) => {
  const text = (title: string): Fields =>
    platform === "threads" ? { title } : { title, photo: jpeg() };

  test("a token of an hour is exchanged for one of 60 days, and its end is known", async () => {
    const stage = await onStage(platform, true);
    const connected = await stage.connect(stage.short);
    expect(connected).toMatchObject({ status: 200 });
    const { id } = connected.body.data;
    expect(Math.abs(((await stage.endsAt(id)) ?? 0) - IN_60_DAYS)).toBeLessThan(60_000);
    stage.harness.advance(3 * HOUR_SECONDS);
    expect(await stage.publish(id, text("Later"))).toMatchObject({ status: "completed" });
  });

  test("a token of 60 days is taken as it is, and its end asked for in the next nights", async () => {
    const stage = await onStage(platform, true);
    const { id } = (await stage.connect(stage.long)).body.data;
    expect(await stage.endsAt(id)).toBeNull();
    stage.harness.advance(TO_THE_NIGHT);
    await stage.live(2);
    expect(await stage.endsAt(id)).toBeGreaterThan(IN_60_DAYS);
  });

  test("an outage while a token is exchanged connects nothing", async () => {
    const stage = await onStage(platform, true);
    const { network } = stage.harness;
    stage.harness.network = async (input, init) =>
      urlOf(input).pathname.endsWith("/access_token")
        ? new Response("", { status: 503 })
        : network(input, init);
    const refused = await stage.connect(stage.short);
    expect(refused.status).toBeGreaterThanOrEqual(400);
  });

  test("an account that nobody uses keeps its login, whatever was said of its end", async () => {
    const stage = await onStage(platform, false);
    const { id } = (await stage.connect(stage.long)).body.data;
    stage.harness.advance(TO_THE_NIGHT);
    await stage.live(200, 8);
    expect(await stage.account(id)).toMatchObject({ status: "active" });
    expect(await stage.publish(id, text("Later"))).toMatchObject({ status: "completed" });
  }, 60_000);

  test("a token of an hour without keys to exchange it is expired by the night, not silently", async () => {
    const stage = await onStage(platform, false);
    const { id } = (await stage.connect(stage.short)).body.data;
    stage.harness.advance(TO_THE_NIGHT);
    await stage.live(2);
    expect(await stage.account(id)).toMatchObject({ status: "expired" });
  });
});

describe("tiktok", () => {
  test("an account that nobody uses for a year keeps its login", async () => {
    const stage = await onStage("tiktok", true);
    const { accessToken, refreshToken } = sandboxCredentials("tiktok", stage.name);
    const { id } = (await stage.connect({ accessToken, refreshToken })).body.data;
    stage.harness.advance(TO_THE_NIGHT);
    await stage.live(365, 25);
    expect(await stage.account(id)).toMatchObject({ status: "active" });
    const refreshes = stage.calls.filter(({ pathname }) => pathname === "/v2/oauth/token/");
    // Once to learn the end, then a month before each 180 days end.
    expect(refreshes.length).toBeGreaterThan(2);
    expect(refreshes.length).toBeLessThan(5);
    const upload = await stage.publish(id, { title: "A year", video: mp4() });
    expect(upload).toMatchObject({ status: "completed" });
  }, 180_000);
});

describe("facebook", () => {
  const PAGE = "100200300400500";

  test("a person's token of an hour is exchanged, so that the Page's does not end", async () => {
    const stage = await onStage("facebook", true);
    const connected = await stage.connect(stage.short, { pageId: PAGE });
    expect(connected).toMatchObject({ status: 200 });
    const { id } = connected.body.data;
    await stage.live(90, 30);
    const upload = await stage.publish(id, { description: "Months later" });
    expect(upload).toMatchObject({ status: "completed" });
  });

  test.each<[string, boolean, { pageId?: string }, RegExp]>([
    ["a person's token without keys", false, { pageId: PAGE }, /FACEBOOK_CLIENT_ID/],
    ["the token of a Page that comes from one", true, {}, /pageId/],
  ])("%s that would end is refused with what to do (400)", async (_, hasKeys, more, words) => {
    const stage = await onStage("facebook", hasKeys);
    const { network } = stage.harness;
    // The app's developer may send an own token.
    stage.harness.network = async (input, init) => {
      if (!urlOf(input).pathname.endsWith("/debug_token")) return network(input, init);
      return network(urlOf(input), { headers: { authorization: "Bearer app|secret" } });
    };
    const credentials = more.pageId ? stage.short : { accessToken: await pageToken(stage, PAGE) };
    const refused = await stage.connect(credentials, more);
    expect(refused).toMatchObject({ status: 400 });
    expect(JSON.stringify(refused.body)).toMatch(words);
    expect(JSON.stringify(refused.body)).toContain("2026-12-01T10:00:00.000Z");
  });

  test("each call of the Graph API proves that it is the app's, where its secret is known", async () => {
    const stage = await onStage("facebook", true);
    const { id } = (await stage.connect(stage.short, { pageId: PAGE })).body.data;
    await stage.publish(id, { description: "Hello" });
    await stage.publish(id, { description: "A video", video: mp4() });
    const graph = stage.calls.filter(({ pathname }) => !pathname.includes("/oauth/"));
    expect(graph.length).toBeGreaterThan(4);
    for (const { searchParams } of graph) {
      expect(searchParams.get("appsecret_proof")).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  test("without a secret nothing is proven", async () => {
    const stage = await onStage("facebook", false);
    await stage.connect(stage.long);
    expect(stage.calls.length).toBeGreaterThan(0);
    for (const { searchParams } of stage.calls) {
      expect(searchParams.has("appsecret_proof")).toBe(false);
    }
  });
});

/** A Page's token, from a person's token that lasts an hour. */
async function pageToken(
  { harness, short }: Awaited<ReturnType<typeof onStage>>,
  page: string,
): Promise<string> {
  const reply = await harness.network(
    `https://graph.facebook.com/v26.0/${page}?fields=access_token`,
    { headers: { authorization: `Bearer ${short.accessToken}` } },
  );
  return (await reply.json<{ access_token: string }>()).access_token;
}
