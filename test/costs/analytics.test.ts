import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { PLATFORMS } from "../../src/core/platforms.ts";
import { DAY } from "../../src/core/time.ts";
import { accountById } from "../../src/features/accounts/repo.ts";
import { rehearsedPosts } from "../../src/features/analytics/repo/read.ts";
import { accountsInUse, ownPosts } from "../../src/features/analytics/repo/write.ts";
import { openCredentials, sealCredentials } from "../../src/features/logins/platform-access.ts";
import { connectSandbox, createMember, Harness, type Member } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { Browser } from "../support/person.ts";
import { plantAccounts, removeAccounts } from "./night.ts";
import { slowPlans } from "./support.ts";
import { DAYS, POSTS, yearOf } from "./years.ts";

/** Bar of an overview of 100 accounts with 365 days and 1,000 posts each. */
const MAX_READ = 2_000;
const ACCOUNTS = 100;

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

async function plantYears(
  teamId: number,
  accounts: number,
  platforms: readonly string[] = ["tiktok"],
): Promise<void> {
  const { series, summary, posts } = yearOf();
  for (let i = 0; i < accounts; i++) {
    const id = `acc_${teamId}_${i}`;
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode,
          status, connected_at) VALUES (?, ?, ?, ?, ?, 'sandbox', 'active', 0)`,
      ).bind(id, teamId, platforms[i % platforms.length] ?? "", id, `Account number ${i}`),
      env.DB.prepare("INSERT INTO analytics VALUES (?, ?, 1, NULL, NULL, 1, '[]', ?, ?)").bind(
        ...[teamId, id, series, summary],
      ),
      env.DB.prepare("INSERT INTO analytics_posts VALUES (?, ?, ?)").bind(teamId, id, posts),
    ]);
  }
}

test("an overview of 100 accounts, a year and 1,000 posts each is one round trip of few rows", async ({
  task,
}) => {
  await plantYears(owner.teamId, ACCOUNTS);
  const other = await createMember();
  await plantYears(other.teamId, 3);
  const { result, costs } = await measure(harness, () =>
    harness.call("GET", "/analytics/overview", { token: owner.token }),
  );
  expect(result.body.data.overview).toMatchObject({
    ...{ accountCount: ACCOUNTS, videoCount: ACCOUNTS * POSTS },
  });
  expect(result.body.data.dailyHistory).toHaveLength(DAYS);
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.rowsRead).toBeLessThanOrEqual(MAX_READ);
  Object.assign(task.meta, { measured: `${costs.rowsRead} rows read` });
});

const MAX_PAGE_ROWS = 250;
/** Compressed. */
const MAX_PAGE_BYTES = 60_000;

async function compressedSize(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer()).byteLength;
}

test("the page of 100 accounts over any period and split is one round trip of few rows, and small", async ({
  task,
}) => {
  await plantYears(owner.teamId, ACCOUNTS, PLATFORMS);
  const browser = await new Browser(harness).signIn(owner);
  const told: string[] = [];
  const year = "/app/analytics?period=365";
  const first = `/app/analytics/accounts/acc_${owner.teamId}_0`;
  for (const path of [
    ...["/app/analytics", year, `${year}&split=platform`, `${year}&split=account`],
    ...["/app/analytics?period=90&split=account", "/app/analytics/views.csv?period=365"],
    ...[`${first}?period=365`, `${first.replace("accounts", "posts")}/post-3-with-an-id`],
  ]) {
    const { result: page, costs } = await measure(harness, () => browser.get(path));
    expect(page.status).toBe(200);
    const bytes = await compressedSize(page.html);
    told.push(`${path}: ${costs.rowsRead} rows read, ${bytes} bytes`);
    expect(costs.roundTrips).toHaveLength(1);
    expect(costs.rowsRead).toBeLessThanOrEqual(MAX_PAGE_ROWS);
    expect(costs.rowsWritten).toBe(0);
    expect(bytes).toBeLessThanOrEqual(MAX_PAGE_BYTES);
  }
  console.log(told.join("\n"));
  Object.assign(task.meta, { measured: told.join("; ") });
}, 60_000);

test("a report of 100 accounts over a year is one round trip of few rows, and small", async ({
  task,
}) => {
  await plantYears(owner.teamId, ACCOUNTS, PLATFORMS);
  const json = { days: 365, split: "account" };
  const { body } = await harness.call("POST", "/reports", { token: owner.token, json });
  const client = new Browser(harness);
  const { pathname } = new URL(body.data.url);
  const { result: page, costs } = await measure(harness, () => client.get(pathname));
  expect(page.status).toBe(200);
  const bytes = await compressedSize(page.html);
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.rowsRead).toBeLessThanOrEqual(MAX_PAGE_ROWS);
  expect(costs.rowsWritten).toBe(0);
  expect(bytes).toBeLessThanOrEqual(MAX_PAGE_BYTES);
  const told = `${costs.rowsRead} rows read, ${bytes} bytes`;
  console.log(told);
  Object.assign(task.meta, { measured: told });
});

test("fifty report links add few rows to the page", async () => {
  await plantYears(owner.teamId, 1);
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      INSERT INTO reports (team_id, created_by, created_at, expires_at, filter)
      SELECT ?1, ?2, ?3, ?3 + 86400000,
        '{"days":30,"split":"none","account":"","platform":"","tag":""}' FROM n`,
  )
    .bind(owner.teamId, owner.userId, harness.deps.now().getTime())
    .run();
  const browser = await new Browser(harness).signIn(owner);
  const { result: page, costs } = await measure(harness, () => browser.get("/app/analytics"));
  expect(page.html.match(/class="address"/g)).toHaveLength(50);
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.rowsRead).toBeLessThanOrEqual(MAX_PAGE_ROWS);
});

test("reading one account with 1,000 posts is one round trip of few rows", async () => {
  await plantYears(owner.teamId, 2);
  const { result, costs } = await measure(harness, () =>
    harness.call("GET", `/analytics/acc_${owner.teamId}_0`, { token: owner.token }),
  );
  expect(result.body.data.videos).toHaveLength(POSTS);
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.rowsRead).toBeLessThanOrEqual(20);
});

/** Posts of an account that has more than are read. */
const LISTED = 1_200;
const PUBLISHED = "2026-11-20T10:00:00+0000";

type Answer = (url: URL) => object;

/** A network of one account with many posts, which gives out new tokens where it is asked to. */
const NETWORKS: Record<string, Answer> = {
  instagram: (url) => {
    if (url.pathname.endsWith("/insights")) {
      const ids = (url.searchParams.get("ids") ?? "").split(",");
      const data = [{ name: "views", values: [{ value: 10 }] }];
      return Object.fromEntries(ids.map((id) => [id, { data }]));
    }
    return url.pathname.endsWith("/media") ? listOf(url, () => ({})) : ME;
  },
  threads: (url) => {
    if (url.pathname.endsWith("/threads_insights")) {
      return { data: [{ name: "followers_count", total_value: { value: 12 } }] };
    }
    const insights = { data: [{ name: "views", values: [{ value: 10 }] }] };
    return url.pathname.endsWith("/threads") ? listOf(url, () => ({ insights })) : ME;
  },
  facebook: (url) => {
    const insights = { data: [{ name: "post_media_view", values: [{ value: 10 }] }] };
    const more = (i: number) => ({ insights, id: `7_${i}`, created_time: PUBLISHED });
    return url.pathname.endsWith("/published_posts") ? listOf(url, more) : { ...ME, id: "7" };
  },
};

const ME = { user_id: "7", id: "7", username: "ada", name: "Ada", followers_count: 12 };

function listOf({ searchParams }: URL, more: (i: number) => object) {
  const from = Number(searchParams.get("after") ?? 0);
  const count = Math.min(Number(searchParams.get("limit")), LISTED - from);
  const data = Array.from({ length: count }, (_, i) => ({
    ...{ id: String(from + i), timestamp: PUBLISHED },
    ...more(from + i),
  }));
  return { data, paging: { cursors: { after: String(from + count) }, next: "https://next" } };
}

const SUNDAY = new Date("2026-12-06T03:10:00Z");

/** Facebook's logins cannot be renewed: the account is taken for expired. */
test.each([
  ["instagram", "a good", 1_000],
  ["threads", "a good", 1_000],
  ["facebook", "a good", 1_000],
  ["facebook", "a lost", 0],
])(
  "a Sunday on %s with %s login writes at most four rows",
  async (platform, login, posts) => {
    harness.network = async (input, init) => {
      const url = new URL(new Request(input, init).url);
      if (login === "a lost" && Date.now() >= SUNDAY.getTime()) {
        return Response.json({ error: { message: "Expired", code: 190 } }, { status: 400 });
      }
      return Response.json(NETWORKS[platform]?.(url) ?? {});
    };
    const connected = await harness.call("POST", "/accounts", {
      token: owner.token,
      json: { platform, credentials: { accessToken: "token" } },
    });
    const accountId: string = connected.body.data.id;
    harness.advance((SUNDAY.getTime() - Date.now()) / 1_000);
    const costs = await collectionCosts(accountId, "2026-12-06");
    const { body } = await harness.call("GET", `/analytics/${accountId}`, { token: owner.token });
    expect(body.data.overview.videoCount).toBe(posts);
    expect(body.data.syncErrors).toHaveLength(login === "a good" ? 0 : 1);
    expect(costs.rowsWritten).toBeLessThanOrEqual(4);
    console.log(
      `A Sunday on ${platform}: ${costs.rowsWritten} rows, ${costs.fetches.length} calls.`,
    );
  },
  60_000,
);

test("five large accounts in one batch keep to the calls of an invocation, and are all read", async () => {
  const { deps } = harness;
  deps.wait = (ms) => scheduler.wait(ms);
  harness.network = async (input, init) =>
    Response.json(NETWORKS.instagram?.(new URL(new Request(input, init).url)) ?? {});
  const planted = { teamId: owner.teamId, platform: "instagram", count: 5 } as const;
  const ids = await plantAccounts(harness, planted);
  harness.advance((SUNDAY.getTime() - Date.now()) / 1_000);
  let messages = ids.map((accountId) => ({
    ...{ kind: "collect" as const, teamId: owner.teamId, accountId, collection: "2026-12-06" },
  }));
  let batches = 0;
  for (; messages.length > 0; batches++) {
    const { costs } = await measure(harness, () => harness.consume(messages));
    messages = harness.sentCollections.splice(0).map(({ message }) => message);
    const calls = costs.roundTrips.length + costs.fetches.length + messages.length;
    expect(calls).toBeLessThanOrEqual(50);
  }
  for (const id of ids) {
    const { body } = await harness.call("GET", `/analytics/${id}`, { token: owner.token });
    expect(body.data.overview.videoCount).toBeGreaterThanOrEqual(1_000);
    expect(body.data.syncErrors).toEqual([]);
  }
  console.log(`A Sunday of five large accounts: ${batches} batches.`);
  await removeAccounts(owner.teamId);
}, 60_000);

test("a Sunday on threads that refuses one of 1,000 posts writes at most four rows", async () => {
  const refused = "45";
  harness.network = async (input, init) => {
    const url = new URL(new Request(input, init).url);
    const { pathname, searchParams } = url;
    const [from, limit] = ["after", "limit"].map((name) => Number(searchParams.get(name) ?? 0));
    const isAsked = searchParams.get("fields")?.includes("insights") && limit !== undefined;
    const isOnPage =
      isAsked && Number(refused) >= (from ?? 0) && Number(refused) < (from ?? 0) + limit;
    if (isOnPage || pathname.endsWith(`/${refused}/insights`)) {
      return Response.json({ error: { message: "Invalid parameter", code: 100 } }, { status: 400 });
    }
    if (/\/\d+\/insights$/.test(pathname)) {
      return Response.json({ data: [{ name: "views", values: [{ value: 10 }] }] });
    }
    return Response.json(NETWORKS.threads?.(url) ?? {});
  };
  const connected = await harness.call("POST", "/accounts", {
    token: owner.token,
    json: { platform: "threads", credentials: { accessToken: "token" } },
  });
  const id: string = connected.body.data.id;
  harness.advance((SUNDAY.getTime() - Date.now()) / 1_000);
  const costs = await collectionCosts(id, "2026-12-06");
  const { body } = await harness.call("GET", `/analytics/${id}`, { token: owner.token });
  expect(body.data.overview.videoCount).toBeGreaterThanOrEqual(999);
  expect(body.data.syncErrors).toHaveLength(1);
  console.log(`A refused post: ${costs.rowsWritten} rows, ${costs.fetches.length} calls.`);
  expect(costs.rowsWritten).toBeLessThanOrEqual(4);
});

/** Does a collection from its first message to its last. */
async function collectionCosts(accountId: string, collection: string) {
  const message = { kind: "collect" as const, teamId: owner.teamId, accountId, collection };
  const { costs } = await measure(harness, async () => {
    await harness.consume([message]);
    await harness.drainCollections();
  });
  return costs;
}

/** Ends the access token of an account, as hours do. */
async function endToken(id: string): Promise<void> {
  const { deps } = harness;
  const [[account]] = await deps.db.run([accountById(owner.teamId, id)]);
  if (!account) throw new Error("There is no account.");
  const login = { ...(await openCredentials(deps, account)), expiresAt: new Date(0) };
  const { credentials } = await sealCredentials(deps, account, login);
  await env.DB.prepare("UPDATE accounts SET credentials = ? WHERE id = ?")
    .bind(credentials, id)
    .run();
}

/** Logins of these platforms last for hours, so that each night renews them: two rows. */
test.each(["youtube", "x", "tiktok"])(
  "a night on %s with a login that has to be renewed writes at most four rows",
  async (platform) => {
    const id = await connectSandbox(harness, owner, "Ada", platform);
    // The first renewal may tell an end that nobody knew.
    await endToken(id);
    await collectionCosts(id, "2026-12-01");
    harness.advance(DAY / 1_000);
    await endToken(id);
    const { rowsWritten } = await collectionCosts(id, "2026-12-02");
    const { body } = await harness.call("GET", `/analytics/${id}`, { token: owner.token });
    expect(body.data).toMatchObject({ neverSynced: false, syncErrors: [] });
    expect(rowsWritten).toBe(4);
  },
);

test("finding the accounts of a night and the posts of one walks no table", async () => {
  const statements = [
    accountsInUse({ after: "", max: 100 }),
    ownPosts({ team: owner.teamId, id: "acc_1", max: 1_000 }),
    rehearsedPosts({ team: owner.teamId, id: "acc_1" }),
  ];
  const { costs } = await measure(harness, () => harness.deps.db.run(statements));
  expect(await slowPlans(costs.roundTrips.flat())).toEqual([]);
});

test("the posts of rehearsals cost an account without any nothing", async () => {
  const { teamId } = owner;
  await env.DB.batch(
    ["acc_1", "acc_1", "acc_2"].map((accountId) =>
      env.DB.prepare(
        `INSERT INTO rehearsals (team_id, account_id, platform, text, stage, platform_post_id,
          created_at, updated_at) VALUES (?, ?, 'x', 'T', 'over', '1', 0, 0)`,
      ).bind(teamId, accountId),
    ),
  );
  const rowsOf = async (id: string) => {
    const read = () => harness.deps.db.run([rehearsedPosts({ team: teamId, id })]);
    return (await measure(harness, read)).costs.rowsRead;
  };
  expect(await rowsOf("acc_3")).toBe(0);
  expect(await rowsOf("acc_2")).toBeLessThanOrEqual(2);
});

test("no statement walks a table", async () => {
  await plantYears(owner.teamId, 1);
  const statements = [];
  for (const path of ["overview", `acc_${owner.teamId}_0`]) {
    const { costs } = await measure(harness, () =>
      harness.call("GET", `/analytics/${path}`, { token: owner.token }),
    );
    statements.push(...costs.roundTrips.flat());
  }
  expect(await slowPlans(statements)).toEqual([]);
});
