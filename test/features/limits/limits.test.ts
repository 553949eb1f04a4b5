import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { DEFAULT_PLANS } from "../../../src/core/plans.ts";
import { PLATFORMS, type Platform } from "../../../src/core/platforms.ts";
import { createMember, Harness, harnessWith } from "../../support/harness.ts";
import { beginLife, type Life, later } from "../../support/life.ts";

let life: Life;
beforeEach(async () => {
  life = await beginLife();
});

const limits = (accountId = life.accountId, token?: string) =>
  life.call("GET", `/limits/${accountId}`, undefined, token);

/** Source: design, "Caps". */
const CAPS: Record<Platform, number> = {
  tiktok: 15,
  youtube: 10,
  instagram: 50,
  x: 50,
  linkedin: 150,
  threads: 150,
  bluesky: 150,
  facebook: 25,
  pinterest: 20,
  mastodon: 150,
  telegram: 150,
  discord: 150,
  google_business: 25,
};

test.each(PLATFORMS)("an unused account of %s has all of its cap", async (platform) => {
  life = await beginLife(new Harness(), platform);
  const limit = CAPS[platform];
  expect((await limits()).body).toEqual({
    success: true,
    data: { remaining: limit, limit, resetAt: new Date().toISOString() },
  });
});

test("what is out, and what is being published, counts for 24 hours", async () => {
  const at = (seconds: number) => later(seconds).getTime();
  await life.insertMany([
    { status: "completed", counted_at: at(-86_400) },
    { status: "completed", counted_at: at(-86_399) },
    { status: "completed", counted_at: at(-60) },
    { status: "processing" },
    { status: "pending" },
    { status: "scheduled", scheduled_for: at(60) },
    { status: "failed" },
    { status: "draft" },
  ]);
  const { data } = (await limits()).body;
  expect(data).toEqual({ remaining: 147, limit: 150, resetAt: later(1).toISOString() });
  life.harness.advance(1);
  expect((await limits()).body.data).toEqual({
    remaining: 148,
    limit: 150,
    resetAt: later(86_400 - 61).toISOString(),
  });
});

test("a full account has none left, and never less", async () => {
  const dailyCaps = { bluesky: 2 };
  life = await beginLife(harnessWith({ plans: { ...DEFAULT_PLANS, dailyCaps } }));
  const out = { status: "completed", counted_at: Date.now() };
  await life.insertMany([out, out, out]);
  expect((await limits()).body.data).toMatchObject({ remaining: 0, limit: 2 });
});

test("an account of another team, none, or one that was removed is not found", async () => {
  const stranger = await createMember();
  expect(await limits(life.accountId, stranger.token)).toMatchObject({
    status: 404,
    body: { success: false, code: "NOT_FOUND" },
  });
  for (const id of ["acc_none", "1", "%00", "x".repeat(300)]) {
    expect((await limits(id)).status).toBe(404);
  }
  await env.DB.prepare("UPDATE accounts SET deleted_at = 1 WHERE id = ?")
    .bind(life.accountId)
    .run();
  expect((await limits()).status).toBe(404);
});

test("posts:read is needed", async () => {
  const token = await life.colleague("OWNER", ["accounts:read"]);
  expect(await limits(life.accountId, token)).toMatchObject({
    status: 403,
    body: { requiredScope: "posts:read" },
  });
  const reader = await life.colleague("MEMBER", ["posts:read"]);
  expect((await limits(life.accountId, reader)).status).toBe(200);
});
