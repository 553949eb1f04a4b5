import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { watchBackups } from "../../../src/features/backup/watch.ts";
import { createMember } from "../../support/harness.ts";
import { backingUp, recordMigrations, runToEnd } from "./support.ts";

const DAY_SECONDS = 86_400;

beforeEach(async () => {
  await recordMigrations();
  await env.DB.batch(
    ["backups", "backup_slices", "notices"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  );
});

const notices = async () => {
  const { results } = await env.DB.prepare("SELECT subject, team_id FROM notices").all();
  return results;
};

test("the owner is told once when no backup was finished for three days, and again after the next", async () => {
  const owner = await createMember();
  const harness = backingUp();
  await watchBackups(harness.deps);
  await runToEnd(harness);
  harness.advance(3 * DAY_SECONDS - 60);
  await watchBackups(harness.deps);
  expect(await notices()).toEqual([]);
  const health = async () => (await harness.request("/health")).json<{ warnings: string[] }>();
  expect((await health()).warnings).toEqual([]);
  harness.advance(120);
  for (let night = 0; night < 3; night++) await watchBackups(harness.deps);
  expect(await notices()).toHaveLength(1);
  expect(await notices()).toMatchObject([{ subject: "backups" }]);
  expect((await health()).warnings).toEqual([
    expect.stringMatching(/^No backup of the database was finished since 2026-12-01, 09:0\d UTC/),
  ]);
  await env.DB.exec("DELETE FROM notices");
  await runToEnd(harness);
  await watchBackups(harness.deps);
  expect(await notices()).toEqual([]);
  harness.advance(4 * DAY_SECONDS);
  await watchBackups(harness.deps);
  expect(await notices()).toHaveLength(1);
  expect(owner.teamId).toBeGreaterThan(0);
});
