import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { grantPack } from "../../../src/features/credits/repo/packs.ts";
import type { Fetch } from "../../../src/platforms/connector.ts";
import { x } from "../../../src/platforms/x/index.ts";
import { type Around, aroundBatches } from "../../support/database.ts";
import { createMember, Harness } from "../../support/harness.ts";
import { loadOf } from "../../support/load.ts";
import { drifts, setPlan } from "./support.ts";

const ROUNDS = loadOf(1, 20);
const POSTS = 200;
const PACK = 60;
const PER_MONTH = 50;
/** Seconds to one minute before the month ends. */
const TO_LAST_MINUTE = (30 * 24 + 14) * 3_600 + 59 * 60;

/** A seeded linear congruential generator. */
function createChance(seed: number): (probability: number) => boolean {
  let state = seed;
  return (probability) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 < probability;
  };
}

type Chance = ReturnType<typeof createChance>;

let posts = 1_000_000;

/** Accepts some posts, refuses others, and sometimes does not answer. */
const moodyX =
  (chance: Chance): Fetch =>
  async (input, init) => {
    const { pathname } = new URL(new Request(input, init).url);
    if (pathname === "/2/users/me") {
      return Response.json({ data: { id: "12", name: "Ada", username: "ada" } });
    }
    const refuse = (status: number) =>
      Response.json({ title: "No", detail: "No", status }, { status });
    if (pathname !== "/2/tweets") return refuse(403);
    if (chance(0.3)) return refuse(403);
    if (chance(0.1)) return refuse(429);
    if (chance(0.1)) throw new TypeError("Network connection lost.");
    return Response.json({ data: { id: String(++posts), text: "" } }, { status: 201 });
  };

/** Throws now and then, before or after a write. */
function killWorkers(harness: Harness, chance: Chance): () => void {
  const dying: Around = async (run) => {
    if (chance(0.02)) throw new Error("Killed before the write.");
    const results = await run();
    if (chance(0.02)) throw new Error("Killed after the write.");
    return results;
  };
  return aroundBatches(harness, dying);
}

async function connectX(harness: Harness, token: string): Promise<string> {
  harness.network = moodyX(() => false);
  const connected = await harness.call("POST", "/accounts", {
    token,
    json: { platform: "x", credentials: { accessToken: "token" } },
  });
  expect(connected.body).toMatchObject({ success: true });
  return connected.body.data.id;
}

/** Due posts, every seventh with a link. */
async function storePosts(teamId: number, accountId: string): Promise<number[]> {
  const { results } = await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO uploads (team_id, account_id, platform, status, status_group, title, settings,
       media, sort_at, created_at, due_at)
     SELECT ?2, ?3, 'x', 'pending', 'pending', 'Post ' || i || iif(i % 7, '', ' example.com'),
       ?5, '[]', ?4, ?4, ?4 FROM n RETURNING id`,
  )
    .bind(POSTS, teamId, accountId, Date.now(), JSON.stringify(x.settings.read({}).values))
    .all<{ id: number }>();
  return results.map(({ id }) => id);
}

const unfinished = async (teamId: number): Promise<number[]> => {
  const { results } = await env.DB.prepare(
    "SELECT id FROM uploads WHERE team_id = ? AND status_group = 'pending'",
  )
    .bind(teamId)
    .all<{ id: number }>();
  return results.map(({ id }) => id);
};

const leftInDecember = async (teamId: number): Promise<number> =>
  (await env.DB.prepare(
    "SELECT included FROM credit_periods WHERE team_id = ? AND period = '2026-12'",
  )
    .bind(teamId)
    .first<number>("included")) ?? 0;

async function playRound(seed: number) {
  const chance = createChance(seed);
  const harness = new Harness();
  if (seed % 2 === 0) harness.advance(TO_LAST_MINUTE);
  const { config, db, now } = harness.deps;
  harness.deps.config = { ...config, plans: { ...config.plans, dailyCaps: { x: 1_000 } } };
  const { token, teamId } = await createMember();
  await setPlan(teamId, "basic");
  await db.runAll(grantPack(now(), { id: `pack_${seed}`, teamId, name: "Starter", credits: PACK }));
  const ids = await storePosts(teamId, await connectX(harness, token));
  harness.network = moodyX(chance);
  const revive = killWorkers(harness, chance);
  let remaining = ids;
  for (let i = 0; i < 20 && remaining.length > 0; i++) {
    await Promise.all(
      remaining.map((uploadId) => harness.consume([{ kind: "publish" as const, uploadId }])),
    );
    harness.advance(700);
    remaining = await unfinished(teamId);
  }
  revive();
  return { harness, token, teamId };
}

test(`F16: ${POSTS} posts at once on a short balance, at the turn of a month too, ${ROUNDS} times`, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const { harness, token, teamId } = await playRound(seed);
    const { results } = await env.DB.prepare(
      `SELECT status, coalesce(failure_code, '') AS code, COUNT(*) AS n,
         SUM(coalesce(credits_spent, 0)) AS spent, SUM(coalesce(credits_refunded, 0)) AS refunded,
         MIN(coalesce(credits_spent, 0) - coalesce(credits_refunded, 0)) AS least,
         SUM(error_message LIKE 'Not enough%') AS short
       FROM uploads WHERE team_id = ? GROUP BY 1, 2`,
    )
      .bind(teamId)
      .all<Record<string, number>>();
    const net = results.reduce((sum, { spent = 0, refunded = 0 }) => sum + spent - refunded, 0);
    const { balance } = (await harness.call("GET", "/x-credits", { token })).body.data;
    const months = seed % 2 === 0 ? 2 : 1;
    const unused = await leftInDecember(teamId);
    expect(balance.total + (months - 1) * unused).toBe(months * PER_MONTH + PACK - net);
    expect(balance.includedRemaining).toBeGreaterThanOrEqual(0);
    expect(balance.purchased).toBeGreaterThanOrEqual(0);
    for (const { status, code, spent = 0, refunded = 0, least, short } of results) {
      expect(least).toBeGreaterThanOrEqual(0);
      const isKept =
        String(status) === "completed" || String(code) === "platform_processing_timeout";
      if (!isKept) expect(spent).toBe(refunded);
      if (short) seen.add("short");
      seen.add(`${status} ${code}`);
    }
    expect(await drifts({ harness })).toEqual([]);
  }
  expect([...seen].sort()).toEqual([
    "completed ",
    "failed platform_processing_timeout",
    "failed rate_limited",
    "failed unknown",
    "short",
  ]);
}, 240_000);
