import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import type { Platform } from "../../src/core/platforms.ts";
import { runSchedule } from "../../src/cron/schedule.ts";
import { sealCredentials } from "../../src/features/logins/platform-access.ts";
import { connectorOf } from "../../src/platforms/registry.ts";
import { createMember, type Harness, harnessWith } from "../support/harness.ts";
import { loadOf } from "../support/load.ts";
import { type Costs, measure } from "../support/meter.ts";
import { LOGINS, type Logins, readToken } from "./logins.ts";
import { finishChores } from "./support.ts";

/** Source: Cloudflare, "Workers limits", free plan. */
const MAX_SUBREQUESTS = 50;

const ACCOUNTS = loadOf(180, 1_000);
/** Calls to a platform that is down for three hours: each account of few is tried every hour. */
const MAX_FAILED = loadOf(3 * (ACCOUNTS / 6) + 1, 200);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const PLATFORMS = Object.keys(LOGINS) as Platform[];
/** Source: atproto, `REFRESH_GRACE_MS` of the PDS. */
const GRACE_MS = 2 * HOUR_MS;

const platformOf = (i: number) => PLATFORMS[i % PLATFORMS.length] as Platform;
const loginsOf = (platform: Platform) => LOGINS[platform] as Logins;

interface Fate {
  /** The reply never arrives, though the platform did its work. `nth`: of the calls for this account. */
  isLost?(account: number, nth: number): boolean;
  /** The platform does nothing and gives no answer. */
  isDown?(platform: Platform): boolean;
  /** A platform that is asked about the app gives an answer that does not tell whether its keys are right. */
  isUnclearAboutApp?: boolean;
}

/** The platforms' token endpoints, each with the tokens that it takes. */
class Platforms {
  readonly calls: number[] = [];
  /** Renewals by account, with the moment of the last. */
  readonly #renewals = new Map<number, { count: number; at: number }>();
  readonly #fate: Fate;

  constructor(fate: Fate) {
    this.#fate = fate;
  }

  async answer(request: Request): Promise<Response> {
    if (request.url.startsWith(DIRECTORY)) {
      return Response.json(documentOf(request.url.slice(DIRECTORY.length)));
    }
    if (new URL(request.url).pathname.endsWith("/debug_token")) return Response.json({ data: {} });
    const given = await tokenIn(request);
    if (given === null) return this.#answerAboutApp();
    const [i] = readToken(given);
    const logins = loginsOf(platformOf(i));
    if (!this.#renew(given)) return Response.json(logins.refusal, { status: 400 });
    const nth = this.calls.filter((account) => account === i).length;
    if (this.#fate.isLost?.(i, nth)) throw new TypeError("Network connection lost.");
    const token = logins.tokenOf(i, this.#renewals.get(i)?.count ?? 0);
    return Response.json(logins.grantOf(i, token));
  }

  /** Answers a call by the app's keys alone. */
  #answerAboutApp(): Response {
    if (this.#fate.isUnclearAboutApp) return Response.json({ code: 29 }, { status: 403 });
    return Response.json({ access_token: "app", token_type: "bearer" });
  }

  /** Renews the login of this token; false where it is taken no more. */
  #renew(token: string): boolean {
    const [i, given] = readToken(token);
    this.calls.push(i);
    if (this.#fate.isDown?.(platformOf(i))) throw new TypeError("Connection refused.");
    const { count, at } = this.#renewals.get(i) ?? { count: 0, at: 0 };
    const { used } = loginsOf(platformOf(i));
    if (given === count) {
      this.#renewals.set(i, { count: count + 1, at: Date.now() });
      return true;
    }
    return used === "stays" || (used === "grace" && Date.now() <= at + GRACE_MS);
  }
}

const DIRECTORY = "https://plc.directory/";

const documentOf = (id: string) => ({
  id,
  service: [
    {
      id: "#atproto_pds",
      type: "AtprotoPersonalDataServer",
      serviceEndpoint: LOGINS.bluesky?.service,
    },
  ],
});

/** Returns the token that a call brings; null for one that brings the app's keys alone. */
async function tokenIn(request: Request): Promise<string | null> {
  const { searchParams } = new URL(request.url);
  const form = new URLSearchParams(await new Response(request.body).text());
  const [, bearer = null] = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  return searchParams.get("access_token") ?? form.get("refresh_token") ?? bearer;
}

/** A harness with accounts whose logins are all due, on a clock of three o'clock. */
async function prepare(fate: Fate = {}): Promise<{ harness: Harness; platforms: Platforms }> {
  const keys = { clientId: "id", clientSecret: "secret" };
  const harness = harnessWith({
    appKeys: { tiktok: keys, pinterest: keys, linkedin: keys },
  });
  await finishChores(harness);
  harness.advance(18 * 3_600);
  const platforms = new Platforms(fate);
  harness.network = (input, init) => platforms.answer(new Request(input, init));
  const { teamId } = await createMember();
  const rows = await Promise.all(
    Array.from({ length: ACCOUNTS }, async (_, i) => {
      const platform = platformOf(i);
      const { accountOf, tokenOf, renewsItself = false, service = null } = loginsOf(platform);
      const id = `acc_${teamId}_${i}`;
      const token = tokenOf(i, 0);
      const ahead = connectorOf(platform).refreshAheadSeconds ?? 0;
      const at = Date.now() - (i % 60) * 1_000;
      const soon = new Date(at + ahead * 1_000);
      const sealed = await sealCredentials(
        harness.deps,
        { teamId, id, platform },
        {
          accessToken: token,
          refreshToken: renewsItself ? null : token,
          expiresAt: renewsItself ? soon : new Date(Date.now() + 1),
          refreshEndsAt: renewsItself ? null : soon,
        },
      );
      return { id, platform, account: accountOf(i), at, sealed, service };
    }),
  );
  await env.DB.prepare(
    `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status,
       credentials, connected_at, renew_at, login_ends_at, service)
     SELECT value ->> 'id', ?, value ->> 'platform', value ->> 'account', 'Ada', 'live', 'active',
       value -> 'sealed' ->> 'credentials', 1, value ->> 'at', ?,
       value ->> 'service' FROM json_each(?)`,
  )
    .bind(teamId, Date.now() + 8 * DAY_MS, JSON.stringify(rows))
    .run();
  return { harness, platforms };
}

const subrequestsOf = ({ roundTrips, queueSends, storageCalls, fetches }: Costs) =>
  roundTrips.length + queueSends.length + storageCalls.length + fetches.length + 1;

/** Ticks every minute for some hours; the subrequests of each tick, the heartbeat's call among them. */
async function tickFor(harness: Harness, hours: number) {
  const spent: number[] = [];
  const renewing: number[] = [];
  for (let minute = 0; minute < hours * 60; minute++) {
    const { costs } = await measure(harness, () => runSchedule(harness.deps));
    spent.push(subrequestsOf(costs));
    if (costs.fetches.length > 0) renewing.push(costs.fetches.length);
    harness.advance(60);
  }
  const max = Math.max(...spent);
  console.log(`Renewals: ${renewing.length} ticks, at most ${max} subrequests in one.`);
  return { max, renewing };
}

/** Accounts in use whose logins were renewed, some for the last time, and all, by platform. */
async function outcome() {
  const { results } = await env.DB.prepare(
    `SELECT platform, count(*) AS accounts, sum(status = 'active' AND
       (renew_at > ?1 OR (renew_at IS NULL AND login_ends_at > ?2))) AS renewed
       FROM accounts GROUP BY platform`,
  )
    .bind(Date.now() + 5 * DAY_MS, Date.now() + 60 * DAY_MS)
    .all<{ platform: Platform; accounts: number; renewed: number }>();
  return results;
}

/** Hundreds of ticks take a while on a machine that has other work. */
const LONG_MS = 180_000;

beforeEach(async () => {
  await env.DB.exec("DELETE FROM chores; DELETE FROM accounts; DELETE FROM events;");
  // Other tests leave domains, whose looks are calls to the network too.
  await env.DB.exec("UPDATE domains SET check_at = NULL; UPDATE pool_slots SET next_at = NULL;");
});

test(
  `${ACCOUNTS} logins that are due in one night are each renewed once, spread over its ticks`,
  async () => {
    const { harness, platforms } = await prepare();
    const { max, renewing } = await tickFor(harness, 4);
    expect(platforms.calls).toHaveLength(ACCOUNTS);
    expect(new Set(platforms.calls).size).toBe(ACCOUNTS);
    // Beside each of a page's six, a look at the document of an account of Bluesky.
    expect(Math.max(...renewing)).toBeLessThanOrEqual(12);
    expect(renewing.length).toBeLessThanOrEqual(Math.ceil(ACCOUNTS / 6));
    expect(max).toBeLessThanOrEqual(MAX_SUBREQUESTS);
    for (const { platform, accounts, renewed } of await outcome()) {
      expect([platform, renewed]).toEqual([platform, accounts]);
    }
  },
  LONG_MS,
);

test(
  "with every second reply lost, no login is lost that could be kept",
  async () => {
    // By account, not in the order of calls, which is another in each run.
    const { harness, platforms } = await prepare({
      isLost: (account, nth) => (Math.floor(account / PLATFORMS.length) + nth) % 2 === 0,
    });
    const { max, renewing } = await tickFor(harness, 6);
    expect(max).toBeLessThanOrEqual(MAX_SUBREQUESTS);
    expect(renewing.length).toBeLessThan(240);
    expect(platforms.calls.length).toBeLessThan(3 * ACCOUNTS);
    for (const { platform, accounts, renewed } of await outcome()) {
      const isKept = loginsOf(platform).used !== "dies";
      if (isKept) expect([platform, renewed]).toEqual([platform, accounts]);
      else expect(Math.abs(renewed - accounts / 2)).toBeLessThanOrEqual(1);
    }
  },
  LONG_MS,
);

test(
  "logins that a platform refuses without a clear reason do not keep its other logins waiting",
  async () => {
    // Both the logins that are due first and those that are due last.
    const isRefused = (account: number) => account % 60 < 20 || account % 60 >= 40;
    const { harness } = await prepare({
      isLost: (account, nth) => isRefused(account) && nth === 1,
      isUnclearAboutApp: true,
    });
    await tickFor(harness, loadOf(1, 4));
    const refused = Array.from({ length: ACCOUNTS }, (_, i) => i).filter(
      (i) => isRefused(i) && platformOf(i) === "pinterest",
    );
    for (const { platform, accounts, renewed } of await outcome()) {
      if (platform !== "pinterest") continue;
      expect(renewed).toBe(accounts - refused.length);
    }
  },
  LONG_MS,
);

test(
  "a platform that is down costs the others nothing, and is made up for when it is back",
  async () => {
    let isDown = true;
    const { harness, platforms } = await prepare({
      isDown: (platform) => isDown && platform === "threads",
    });
    const { max } = await tickFor(harness, 3);
    const failed = platforms.calls.filter((i) => platformOf(i) === "threads").length;
    expect(failed).toBeLessThan(MAX_FAILED);
    expect(max).toBeLessThanOrEqual(MAX_SUBREQUESTS);
    for (const { platform, accounts, renewed } of await outcome()) {
      expect([platform, renewed]).toEqual([platform, platform === "threads" ? 0 : accounts]);
    }
    isDown = false;
    harness.advance(86_400);
    await tickFor(harness, 2);
    for (const { platform, accounts, renewed } of await outcome()) {
      expect([platform, renewed]).toEqual([platform, accounts]);
    }
  },
  LONG_MS,
);
