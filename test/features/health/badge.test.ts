import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { VERSION } from "../../../src/core/version.ts";
import { theHeartbeat } from "../../../src/durable/heartbeat.ts";
import { harnessWith, START } from "../../support/harness.ts";

const MINUTE = 60;

/** Nine ticks in ten minutes. */
async function nineOfTen() {
  const heartbeat = theHeartbeat(env.HEARTBEAT);
  for (const minute of [0, 1, 2, 3, 5, 6, 7, 8, 9]) {
    await heartbeat.beat(START.getTime() + minute * MINUTE * 1_000);
  }
  const harness = harnessWith({ isDevelopment: false });
  harness.deps.startedAt = null;
  harness.advance(9 * MINUTE);
  return harness;
}

test("health says what runs, and how many minutes had a run of cron", async () => {
  const harness = await nineOfTen();
  const answer = await harness.request("/health");
  expect(await answer.json()).toMatchObject({
    status: "ok",
    uptime: { percent: 90, days: 1 },
    version: VERSION,
    deployment: null,
  });
});

test("the badge shows the same as a picture, also while the instance is late", async () => {
  const harness = await nineOfTen();
  const good = await harness.request("/health.svg");
  expect(good.status).toBe(200);
  expect(good.headers.get("content-type")).toBe("image/svg+xml");
  expect(good.headers.get("cache-control")).toBe("public, max-age=60");
  expect(await good.text()).toContain("<title>akimbo: ok, up 90 % in 1 day</title>");
  harness.advance(10 * MINUTE);
  const late = await harness.request("/health.svg");
  expect(late.status).toBe(200);
  expect(await late.text()).toContain("<title>akimbo: late, up 45 % in 1 day</title>");
});

test("many calls in a row look at the database once in ten seconds", async () => {
  const harness = await nineOfTen();
  const reads: number[] = [];
  const { db, media } = harness.deps;
  harness.deps.db = {
    ...db,
    run: (queries) => {
      reads.push(queries.length);
      return db.run(queries);
    },
  };
  const heads = vi.spyOn(media, "head");
  const texts = new Set<string>();
  for (let i = 0; i < 130; i++) {
    const answer = await harness.request("/health.svg");
    expect(answer.status).toBe(200);
    texts.add(await answer.text());
  }
  expect(texts.size).toBe(1);
  expect(reads).toHaveLength(1);
  expect(heads).toHaveBeenCalledTimes(1);
  harness.advance(10);
  await harness.request("/health.svg");
  expect(reads).toHaveLength(2);
  heads.mockRestore();
});
