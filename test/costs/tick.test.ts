import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { runSchedule } from "../../src/cron/schedule.ts";
import { createDeps } from "../../src/deps.ts";
import { sealCredentials } from "../../src/features/logins/platform-access.ts";
import { createMember, Harness, joinTeam, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { outbox } from "../support/outbox.ts";
import { finishChores, store } from "./support.ts";

/** Source: Cloudflare, "Workers limits" and "D1 limits", free plan. */
const MAX_SUBREQUESTS = 50;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** More logins than a page has, and more old rows than all slices of a tick. */
const LOGINS = 30;
const OLD_ROWS = 6_000;
const MANAGERS = 12;

let harness: Harness;
let outgoing: ReturnType<typeof outbox>;

/** An instance that slept until three o'clock, where everything is due and Threads is down. */
beforeEach(async () => {
  outgoing = outbox();
  const { email } = outgoing;
  const { config } = createDeps(env);
  harness = new Harness({ email, config: { ...config, emailFrom: "akimbo@example.com" } });
  await env.DB.exec("DELETE FROM chores; DELETE FROM accounts; DELETE FROM events;");
  await finishChores(harness);
  harness.advance(18 * 3_600);
  harness.network = async () => {
    throw new TypeError("Connection refused.");
  };
  const owner = await createMember();
  const other = await createMember();
  const gone = await createMember();
  for (let i = 1; i < MANAGERS; i++) {
    await joinTeam(owner.teamId, (await createMember()).userId, "ADMIN");
  }
  const now = Date.now();
  const { teamId } = other;
  const logins = await Promise.all(
    Array.from({ length: LOGINS }, async (_, i) => {
      const id = `acc_tick_${i}`;
      const { credentials } = await sealCredentials(
        harness.deps,
        { teamId, id, platform: "threads" },
        { accessToken: `token-${i}`, refreshToken: null, expiresAt: new Date(now + 9 * DAY_MS) },
      );
      return { id, credentials };
    }),
  );
  const account = (team: number, id: string, renewAt: string, endsAt: number) =>
    `SELECT ${id}, ${team}, 'threads', ${id}, 'Ada', 'live', 'active', 1, ${renewAt}, ${endsAt}`;
  const columns = `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode,
    status, connected_at, renew_at, login_ends_at, credentials)`;
  const numbers = (max: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${max})`;
  await env.DB.prepare(
    `${columns} ${account(teamId, "value ->> 'id'", String(now - 1), now + 9 * DAY_MS)},
      value ->> 'credentials' FROM json_each(?)`,
  )
    .bind(JSON.stringify(logins))
    .run();
  const old = START.getTime() - 100 * DAY_MS;
  await store([
    `${numbers(50)} ${columns} ${account(owner.teamId, "'ending-' || i", "NULL", now + DAY_MS)}, 'x' FROM n`,
    `${numbers(50)} ${columns} ${account(owner.teamId, "'ended-' || i", "NULL", now - 1)}, 'x' FROM n`,
    `${numbers(OLD_ROWS)} INSERT INTO idempotency (team_id, route, key, fingerprint, answer, created_at)
      SELECT ${teamId}, 'x', 'key-' || i, 'x', '{}', ${old} FROM n`,
    `${numbers(OLD_ROWS)} INSERT INTO events (team_id, id, name, data, created_at)
      SELECT ${teamId}, 'evt_' || printf('%012x', ${old} + i) || printf('%016x', i), 'x', '{}', ${old} FROM n`,
    `UPDATE teams SET deleted_at = ${now - 3 * DAY_MS} WHERE id = ${gone.teamId}`,
  ]);
});

async function tick() {
  const before = outgoing.mails.length;
  const { costs } = await measure(harness, () => runSchedule(harness.deps));
  const { roundTrips, queueSends, storageCalls, fetches } = costs;
  const sent = outgoing.mails.length - before;
  // The heartbeat is a call too.
  const calls = roundTrips.length + queueSends.length + storageCalls.length + fetches.length + 1;
  return { calls: calls + sent, fetches: fetches.length };
}

test("a tick at three o'clock with everything due and a platform down keeps to the free plan", async () => {
  const first = await tick();
  console.log(`The tick at three with everything due: ${first.calls} subrequests.`);
  expect(first.calls).toBeLessThanOrEqual(MAX_SUBREQUESTS);
  expect(first.fetches).toBe(12);
  expect(outgoing.mails).toEqual([]);
  let max = first.calls;
  for (let minute = 1; minute < 30; minute++) {
    harness.advance(60);
    max = Math.max(max, (await tick()).calls);
  }
  await harness.drainNotices();
  expect(new Set(outgoing.mails.map(({ to }) => to)).size).toBe(10);
  console.log(`The half hour after it: at most ${max} subrequests in a tick.`);
  expect(max).toBeLessThanOrEqual(MAX_SUBREQUESTS);
  const { results } = await env.DB.prepare(
    `SELECT (SELECT count(*) FROM idempotency WHERE route = 'x') AS answers,
      (SELECT count(*) FROM events WHERE name = 'x') AS events,
      (SELECT count(*) FROM accounts WHERE id LIKE 'ended-%' AND status = 'active') AS ended,
      (SELECT count(*) FROM accounts WHERE id LIKE 'ending-%' AND ending_told_for IS NULL) AS untold,
      (SELECT count(*) FROM teams WHERE deleted_at IS NOT NULL) AS teams`,
  ).all();
  expect(results).toEqual([{ answers: 0, events: 0, ended: 0, untold: 0, teams: 0 }]);
}, 180_000);
