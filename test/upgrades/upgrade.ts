import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { OURS } from "../support/empty.ts";
import { form } from "../support/harness.ts";
import { signatureOf } from "../support/hooks.ts";
import { PAGE_PERMISSIONS } from "../support/page-permission-table.ts";
import { Browser } from "../support/person.ts";
import { Visits } from "../support/visits.ts";
import { countRows, type Earlier, load, Upgraded, upgrade } from "./earlier.ts";

const OWNER = { userId: 1 };

/** Tables whose rows a migration adds or takes on purpose: how many more there are, and why. */
const CHANGED: Record<string, { why: string; more(counts: Record<string, number>): number }> = {};

/** Pages that are about nothing in particular. */
const PAGES = Object.keys(PAGE_PERMISSIONS)
  .filter((name) => name.startsWith("GET /") && !name.includes(":"))
  .map((name) => name.slice("GET ".length))
  .filter((path) => path !== "/app/compose/sent");

interface SchemaObject {
  type: string;
  name: string;
  sql: string;
}

/** Everything in the database by its name: columns of a table, whatever their order, and the SQL of the others. */
async function readSchema(): Promise<Record<string, unknown>> {
  const { results } = await env.DB.prepare(
    `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND ${OURS} AND name <> 'd1_migrations'`,
  ).all<SchemaObject>();
  const tables = results.filter(({ type }) => type === "table");
  const columns = await env.DB.batch<{ name: string; cid: number }>(
    tables.map(({ name }) => env.DB.prepare(`PRAGMA table_info("${name}")`)),
  );
  return Object.fromEntries([
    ...tables.map(({ name }, i) => [
      name,
      Object.fromEntries(
        (columns[i]?.results ?? []).map(({ cid: _, name: column, ...rest }) => [column, rest]),
      ),
    ]),
    ...results
      .filter(({ type }) => type !== "table")
      .map(({ name, sql }) => [name, sql.replaceAll(/\s+/g, " ")]),
  ]);
}

/** Upgrades the database of each state, and uses it at today's doors. */
export function describeUpgrades(states: readonly Earlier[]): void {
  let fresh: Record<string, unknown> = {};
  beforeAll(async () => {
    fresh = await readSchema();
  });
  describe.each(states)("a database of $name ($day)", (state) =>
    describeUpgrade(state, () => fresh),
  );
}

function describeUpgrade(state: Earlier, fresh: () => Record<string, unknown>): void {
  const { facts } = state;
  const open = (at?: string) => new Upgraded(facts, at);

  let after: Record<string, number> = {};

  beforeAll(async () => {
    await load(state);
    expect(await countRows(Object.keys(facts.counts))).toEqual(facts.counts);
    await upgrade();
    after = await countRows(Object.keys(facts.counts));
  });

  test("loses no row", () => {
    const { d1_migrations: _, ...before } = facts.counts;
    const { d1_migrations: __, ...now } = after;
    const expected = Object.entries(before).map(([name, count]) => [
      name,
      count + (CHANGED[name]?.more(before) ?? 0),
    ]);
    expect(now).toEqual(Object.fromEntries(expected));
  });

  test("is whole, and has today's schema", async () => {
    const [check, keys] = await env.DB.batch([
      env.DB.prepare("PRAGMA quick_check"),
      env.DB.prepare("PRAGMA foreign_key_check"),
    ]);
    expect(check?.results).toEqual([{ quick_check: "ok" }]);
    expect(keys?.results).toEqual([]);
    expect(await readSchema()).toEqual(fresh());
  });

  test("knows its tokens and their scopes", async () => {
    const upgraded = open();
    const { data } = await upgraded.get("/accounts");
    expect(data.length).toBeGreaterThan(0);
    expect(data.filter(({ status }: { status: string }) => status !== "active")).toEqual([]);
    if (!facts.reader) return;
    const { token } = facts.reader;
    expect(await upgraded.call("GET", "/upload", undefined, token)).toMatchObject({ status: 200 });
    expect(await upgraded.call("GET", "/accounts", undefined, token)).toMatchObject({
      status: 403,
      body: { code: "INSUFFICIENT_SCOPE" },
    });
  });

  test("lists and reads every post as it was", async () => {
    const upgraded = open();
    const { data } = await upgraded.get("/upload?limit=100");
    const read = await Promise.all(facts.posts.map(({ id }) => upgraded.get(`/upload/${id}`)));
    for (const answers of [data, read.map((one) => one.data)]) {
      expect(
        answers.map(({ id, status, description }: (typeof facts.posts)[number]) => ({
          id,
          status,
          description,
        })),
      ).toEqual(facts.posts);
    }
  });

  test.each(PAGES)("shows %s", async (path) => {
    const upgraded = open();
    const browser = await new Browser(upgraded.harness).signIn(OWNER);
    const page = await browser.get(path);
    expect([page.status, page.location, page.html.slice(0, 300)]).toMatchObject([200, null, /./]);
  });

  test("answers every read of the API, and exports all of its posts", async () => {
    const upgraded = open();
    const api = await upgraded.harness.call("GET", "/openapi.json");
    type Operation = { parameters?: { required?: boolean }[] };
    const paths = Object.entries(api.body.paths as Record<string, { get?: Operation }>).filter(
      ([path, { get }]) =>
        get && !path.includes("{") && !get.parameters?.some(({ required }) => required),
    );
    expect(paths.length).toBeGreaterThan(15);
    for (const [path] of paths) await upgraded.get(path.slice("/api/v1".length));
    const lines = await upgraded.get("/export");
    const exported = JSON.stringify(lines);
    for (const { description } of facts.posts) {
      if (description) expect(exported).toContain(JSON.stringify(description).slice(1, -1));
    }
  });

  test("opens the pages to which its links lead", async () => {
    const { harness } = open();
    const paths = [facts.openInvite, facts.connectionLink, facts.report, facts.feed, facts.review];
    for (const { path } of paths.filter((one) => one !== undefined)) {
      const response = await harness.request(path);
      expect([path, response.status]).toEqual([path, 200]);
      const text = await response.text();
      if (path === facts.review?.path) expect(text).toContain("For the client, before the upgrade");
    }
  });

  test.runIf(facts.member)("has its members and invites", async () => {
    const upgraded = open();
    const { data } = await upgraded.get("/teams/members");
    expect(JSON.stringify(data)).toContain(facts.member?.email);
    expect((await upgraded.get("/teams/invites")).data).toHaveLength(1);
  });

  test.runIf(facts.once)("answers a repeated call with the post of the first", async () => {
    const { key, body, id } = facts.once ?? { key: "", body: {}, id: 0 };
    const upgraded = open();
    const answer = await upgraded.harness.call("POST", "/upload", {
      token: facts.token,
      headers: { "idempotency-key": key },
      body: form({ accountId: facts.planned.accountId, ...body }),
    });
    expect(answer.body).toMatchObject({ success: true, data: { uploadId: id } });
  });

  test.runIf(facts.webhooks)("delivers what waited, signed with the secret of then", async () => {
    const upgraded = open();
    await upgraded.finish();
    const { deadUrl = "", deadSecret = "" } = facts.webhooks ?? {};
    const arrived = upgraded.called.filter(({ url }) => url === deadUrl);
    expect(arrived.length).toBeGreaterThan(0);
    for (const request of arrived) {
      const body = await request.text();
      expect(request.headers.get("x-webhook-signature")).toContain(
        await signatureOf(deadSecret, { headers: request.headers, body }),
      );
    }
  });

  test("submits its draft, which is approved and published", async () => {
    const upgraded = open();
    const submitted = await upgraded.call("POST", `/upload/${facts.draft}/submit`);
    expect(submitted.body).toMatchObject({ success: true, data: { status: "pending_approval" } });
    const approved = await upgraded.call("POST", `/upload/${facts.draft}/approve`);
    expect(approved.body).toMatchObject({ success: true, data: { status: "pending" } });
    await upgraded.harness.drain();
    const { data } = await upgraded.get(`/upload/${facts.draft}`);
    expect(data).toMatchObject({ status: "completed", errorMessage: null });
  });

  test("retries its failed post, which its platform takes now", async () => {
    const upgraded = open();
    const answer = await upgraded.call("POST", `/upload/${facts.failed}/retry`, { force: true });
    expect(answer.body).toMatchObject({ success: true });
    await upgraded.withoutRefusal(() => upgraded.finish());
    const { data } = await upgraded.get(`/upload/${facts.failed}`);
    expect(data).toMatchObject({ status: "completed", failure: null });
  });

  test.runIf(facts.shortLink)(
    "sends visitors of its short link on, and counts them on",
    async () => {
      const upgraded = open();
      const visits = new Visits(upgraded.harness);
      const { id, slug, destination, clicks } = facts.shortLink ?? { id: 0, clicks: 0 };
      const address = `https://akimbo.test/s/${slug}`;
      expect(await visits.follow(address)).toBe(destination);
      expect(await visits.follow(address, { country: "DE" })).toBe("https://example.com/de");
      await visits.deliver();
      const link = await upgraded.get(`/short-links/${id}`);
      expect(link).toMatchObject({ clicks: clicks + 2, slug });
      const { days } = link.statistics;
      expect(days.reduce((sum: number, one: { clicks: number }) => sum + one.clicks, 0)).toBe(
        clicks + 2,
      );
    },
  );

  test.runIf(facts.pool)("fires its pool at the time of its slot", async () => {
    const { id = "", itemId = 0, nextAt = "" } = facts.pool ?? {};
    const upgraded = open(nextAt);
    await upgraded.finish();
    const { firings } = await upgraded.get(`/pools/${id}/firings`);
    expect(firings).toMatchObject([{ at: nextAt, outcome: "dispatched" }]);
    const { items } = await upgraded.get(`/pools/${id}/videos?status=dispatched`);
    expect(items.map((item: { id: number }) => item.id)).toContain(itemId);
  });

  test("publishes its planned posts at their second, once", async () => {
    const { at, accountId } = facts.planned;
    const upgraded = open(new Date(Date.parse(at) - 60_000).toISOString());
    const { harness } = upgraded;
    const planned = facts.posts.filter(({ id }) => [facts.planned.id, facts.photo.id].includes(id));
    const published = () =>
      Promise.all(planned.map(({ description }) => upgraded.published(accountId, description)));
    await harness.tick();
    expect(harness.sent.map((one) => new Date(one.at).toISOString())).toEqual([at, at]);
    upgraded.moveTo(Date.parse(at) - 1_000);
    await harness.deliver();
    expect(await published()).toEqual([0, 0]);
    upgraded.moveTo(at);
    await harness.deliver();
    await upgraded.finish();
    expect(await published()).toEqual([1, 1]);
    for (const { id } of planned) {
      const { data } = await upgraded.get(`/upload/${id}`);
      expect(data).toMatchObject({ status: "completed", scheduledFor: at });
    }
  });

  test.runIf(facts.thread)("publishes a planned thread in its order", async () => {
    const { id, at } = facts.thread ?? { id: 0, at: "" };
    const upgraded = open(at);
    await upgraded.finish();
    const { data } = await upgraded.get(`/upload/${id}`);
    expect(data).toMatchObject({ status: "completed" });
    expect(data.parts.map(({ status }: { status: string }) => status)).toEqual([
      "completed",
      "completed",
    ]);
  });
}
