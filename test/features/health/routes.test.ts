import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { theHeartbeat } from "../../../src/durable/heartbeat.ts";
import {
  connectSandbox,
  createMember,
  form,
  Harness,
  harnessWith,
  START,
} from "../../support/harness.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

const at = (secondsAfterStart: number) => START.getTime() + secondsAfterStart * 1_000;

interface Health {
  http: number;
  status: string;
  error?: string;
  oldestDueSeconds: number;
}

async function askHealth(harness: Harness): Promise<Health> {
  const response = await harness.request("/health");
  return { http: response.status, ...((await response.json()) as Omit<Health, "http">) };
}

/** In production, isolates come and go. */
const deployed = () => {
  const harness = harnessWith({ isDevelopment: false });
  harness.deps.startedAt = null;
  return harness;
};

/** A local server that has just started. */
const started = () => {
  const harness = new Harness();
  harness.deps.startedAt = harness.deps.now();
  return harness;
};

beforeEach(async () => {
  await env.DB.exec("DELETE FROM uploads");
  // A healthy cron: two beats, a minute apart.
  const heartbeat = theHeartbeat(env.HEARTBEAT);
  await heartbeat.beat(at(-60));
  await heartbeat.beat(at(0));
});

describe("the cron trigger", () => {
  test("is missed after five minutes where nothing has been started", async () => {
    const harness = deployed();
    harness.advance(5 * MINUTE);
    expect(await askHealth(harness)).toMatchObject({ http: 200, status: "ok" });
    harness.advance(1);
    expect(await askHealth(harness)).toMatchObject({
      http: 503,
      status: "late",
      error: "The cron trigger has stopped.",
    });
  });

  test.each([
    ["an hour", HOUR],
    ["six hours", 6 * HOUR],
    ["a month", 30 * 24 * HOUR],
  ])("is not missed by a server that starts after %s", async (_, seconds) => {
    const harness = new Harness();
    harness.advance(seconds);
    harness.deps.startedAt = harness.deps.now();
    expect(await askHealth(harness)).toMatchObject({ http: 200, status: "ok" });
    harness.advance(5 * MINUTE + 1);
    expect(await askHealth(harness)).toMatchObject({ http: 503, status: "late" });
  });

  test("is missed by a server whose clock was set back, once it should have come", async () => {
    await theHeartbeat(env.HEARTBEAT).beat(at(6 * HOUR));
    const harness = started();
    expect(await askHealth(harness)).toMatchObject({ http: 200 });
    harness.advance(5 * MINUTE + 1);
    expect(await askHealth(harness)).toMatchObject({
      http: 503,
      error: "The cron trigger has stopped.",
    });
  });
});

describe("work that is due", () => {
  async function withDuePost(harness: Harness): Promise<number> {
    const member = await createMember();
    const accountId = await connectSandbox(harness, member);
    const { body } = await harness.call("POST", "/upload", {
      token: member.token,
      body: form({ accountId, description: "Due now" }),
    });
    return body.data.uploadId;
  }

  const change = (id: number, set: string) =>
    env.DB.prepare(`UPDATE uploads SET ${set} WHERE id = ?`).bind(id).run();

  /** Six minutes later, with a healthy cron. */
  async function laterOn(harness: Harness): Promise<void> {
    for (let minute = 1; minute <= 6; minute++) {
      harness.advance(MINUTE);
      await theHeartbeat(env.HEARTBEAT).beat(harness.deps.now().getTime());
    }
  }

  test("is late after five minutes with nobody at work", async () => {
    const harness = started();
    await withDuePost(harness);
    await laterOn(harness);
    expect(await askHealth(harness)).toMatchObject({
      http: 503,
      status: "late",
      oldestDueSeconds: 360,
      error: "Due posts have been waiting for too long.",
    });
  });

  test.each([
    ["a worker holds its lease", `status = 'processing', lease_until = ${at(7 * MINUTE)}`],
    ["its lease has just ended", `status = 'processing', lease_until = ${at(5 * MINUTE)}`],
    ["it got on between two runs", `status = 'processing', progressed_at = ${at(5 * MINUTE)}`],
  ])("is not late while %s", async (_, set) => {
    const harness = started();
    const id = await withDuePost(harness);
    await laterOn(harness);
    await change(id, set);
    expect(await askHealth(harness)).toMatchObject({ http: 200, status: "ok" });
  });

  test.each([
    [
      "its worker is long gone",
      `status = 'processing', lease_until = ${at(1)}, progressed_at = ${at(1)}`,
    ],
    ["it waits after an attempt", `status = 'pending', progressed_at = ${at(5 * MINUTE)}`],
  ])("is late though begun, once %s", async (_, set) => {
    const harness = started();
    const id = await withDuePost(harness);
    await laterOn(harness);
    await change(id, set);
    expect(await askHealth(harness)).toMatchObject({ http: 503, status: "late" });
  });

  test("one tenant's slow file hides nobody else's late post", async () => {
    const harness = started();
    const slow = await withDuePost(harness);
    await change(slow, `status = 'processing', due_at = ${at(-60)}, lease_until = ${at(HOUR)}`);
    await withDuePost(harness);
    await laterOn(harness);
    expect(await askHealth(harness)).toMatchObject({ http: 503, oldestDueSeconds: 360 });
  });

  test("that came up while the server was off is late five minutes after its start", async () => {
    const harness = started();
    await withDuePost(harness);
    harness.advance(10 * HOUR);
    harness.deps.startedAt = harness.deps.now();
    await theHeartbeat(env.HEARTBEAT).beat(harness.deps.now().getTime());
    expect(await askHealth(harness)).toMatchObject({ http: 200, oldestDueSeconds: 10 * HOUR });
    await laterOn(harness);
    expect(await askHealth(harness)).toMatchObject({ http: 503, status: "late" });
  });

  test("that came up while cron was silent is late five minutes after its return", async () => {
    const harness = deployed();
    harness.deps.config.sandboxEnabled = true;
    await withDuePost(harness);
    harness.advance(10 * HOUR);
    const heartbeat = theHeartbeat(env.HEARTBEAT);
    await heartbeat.beat(harness.deps.now().getTime());
    expect(await askHealth(harness)).toMatchObject({ http: 200, oldestDueSeconds: 10 * HOUR });
    await laterOn(harness);
    expect(await askHealth(harness)).toMatchObject({
      http: 503,
      error: "Due posts have been waiting for too long.",
    });
  });
});

describe("who asks too often", () => {
  const limits = { "read:health": { limit: 2, windowSeconds: 60 } };
  const askFrom = async (harness: Harness, address: string) => {
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) {
      const headers = { "cf-connecting-ip": address };
      statuses.push((await harness.request("/health", { headers })).status);
    }
    return statuses;
  };

  test.each(["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"])(
    "is never refused in development from %s",
    async (address) => {
      expect(await askFrom(harnessWith({ rateLimits: limits }), address)).toEqual(
        Array(4).fill(200),
      );
    },
  );

  test.each([
    ["from elsewhere in development", "203.0.113.7", true],
    ["from elsewhere in production", "203.0.113.8", false],
    ["from what calls itself loopback in production", "127.0.0.1", false],
  ])("is refused %s", async (_, address, isDevelopment) => {
    const harness = harnessWith({ rateLimits: limits, isDevelopment });
    expect(await askFrom(harness, address)).toEqual([200, 200, 429, 429]);
  });
});
