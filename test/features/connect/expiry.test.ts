import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { forgetOldConsents } from "../../../src/features/connect/expiry.ts";
import { createMember, Harness, START } from "../../support/harness.ts";

beforeEach(async () => {
  await env.DB.exec("DELETE FROM consents");
});

const count = async () =>
  (await env.DB.prepare("SELECT count(*) AS n FROM consents").first<{ n: number }>())?.n;

/** Stores tries of the same end. */
const plant = async (name: string, tries: number, expiresAt: number) => {
  const { teamId } = await createMember();
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO consents (team_id, platform, mode, opener_hash, step, created_at, expires_at)
     SELECT ?, 'x', 'sandbox', ? || i, 'open', 1, ? FROM n`,
  )
    .bind(tries, teamId, name, expiresAt)
    .run();
};

test("a try to connect is forgotten a day after its end", async () => {
  const harness = new Harness();
  await plant("try", 1, START.getTime());
  harness.advance(86_300);
  await forgetOldConsents(harness.deps);
  expect(await count()).toBe(1);
  harness.advance(200);
  expect(await forgetOldConsents(harness.deps)).toBeNull();
  expect(await count()).toBe(0);
});

test("a night's worth of tries is removed slice by slice", async () => {
  const harness = new Harness();
  await plant("old", 700, 1);
  await plant("new", 1, START.getTime());
  expect(await forgetOldConsents(harness.deps)).toBe("more");
  expect(await forgetOldConsents(harness.deps)).toBeNull();
  expect(await count()).toBe(1);
});
