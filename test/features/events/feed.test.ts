import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { timeSortedId } from "../../../src/core/ids.ts";
import { emit, emitForEach } from "../../../src/features/events/repo.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";

const ALWAYS = sql`1`;
const DEFAULT_LIMIT = 100;

let harness: Harness;
let member: Member;

beforeEach(async () => {
  harness = new Harness();
  member = await createMember();
});

interface Page {
  data: { id: string; event: string; data: { title: string } }[];
  nextCursor: string;
  hasMore: boolean;
}

const readPage = async (
  after: string | null,
  query: Record<string, string> = {},
): Promise<Page> => {
  const search = new URLSearchParams({ ...(after ? { after } : {}), ...query });
  const { token } = member;
  return (await harness.call("GET", `/events?${search}`, { token })).body;
};

const suggestionOf = (title: string) => ({
  team: member.teamId,
  name: "suggestion.created" as const,
  data: { suggestionId: 1, title, status: "open" as const },
});

/** Stores an event like a Worker whose clock is off. */
async function store(title: string, skewSeconds = 0): Promise<void> {
  const now = () => new Date(Date.now() + skewSeconds * 1_000);
  const clock = { now, newEventId: () => timeSortedId("evt", now()) };
  await harness.deps.db.run([emit(clock, suggestionOf(title), ALWAYS)]);
}

async function storeMany(titles: readonly string[]): Promise<void> {
  await harness.deps.db.runAll(
    titles.map((title) => emit(harness.deps, suggestionOf(title), ALWAYS)),
  );
}

const titlesOf = ({ data }: Pick<Page, "data">): string[] => data.map((one) => one.data.title);

test("a reader that asks until a page is empty gets 350 events of this moment once each, in five calls", async () => {
  const titles = Array.from({ length: 350 }, (_, i) => `Idea ${i}`);
  await storeMany(titles);
  const read: string[] = [];
  let cursor: string | null = null;
  let calls = 0;
  for (let isEmpty = false; !isEmpty && calls < 101; calls++) {
    const page: Page = await readPage(cursor);
    expect(page.hasMore).toBe(calls < 3);
    read.push(...titlesOf(page));
    isEmpty = page.data.length === 0;
    cursor = page.nextCursor;
  }
  expect(read).toEqual(titles);
  expect(calls).toBe(5);
});

test("an event that is stored late, with an earlier time, comes behind the events that were read before", async () => {
  await storeMany(Array.from({ length: DEFAULT_LIMIT }, (_, i) => `Idea ${i}`));
  const full = await readPage(null);
  expect(full).toMatchObject({ hasMore: false });
  for (const skew of [-29, 0, -5, -29]) await store(`Skewed by ${skew}`, skew);
  const late = await readPage(full.nextCursor);
  expect(titlesOf(late)).toEqual([-29, 0, -5, -29].map((skew) => `Skewed by ${skew}`));
  expect(await readPage(late.nextCursor)).toMatchObject({ data: [], nextCursor: late.nextCursor });
  expect(titlesOf(await readPage(null, { limit: "1000" }))).toHaveLength(DEFAULT_LIMIT + 4);
});

test("an event of a Worker whose clock is ahead hides none that comes after it", async () => {
  await store("Ahead", 20);
  const { nextCursor } = await readPage(null);
  await store("Right");
  await harness.deps.db.run([
    emitForEach(
      harness.deps,
      {
        team: sql`n.team_id`,
        name: "subscription.expired",
        data: { plan: null, previousPlan: "pro" },
      },
      sql`FROM (SELECT ${member.teamId} AS team_id UNION ALL SELECT ${member.teamId}) n`,
    ),
  ]);
  await store("Right again");
  const page = await readPage(nextCursor);
  expect(page.data.map(({ event, data }) => data.title ?? event)).toEqual([
    "Right",
    "subscription.expired",
    "subscription.expired",
    "Right again",
  ]);
  for (const { id } of page.data) expect(id).toMatch(/^evt_[0-9a-f]{28}$/);
});

test("a ping is no event of the feed, and its delivery finds it beside an event of a clock that is ahead", async () => {
  await store("Ahead", 20);
  const { nextCursor } = await readPage(null);
  const { token } = member;
  const hook = { url: "https://receiver.example/hook", events: ["suggestion.updated"] };
  const { body } = await harness.call("POST", "/webhooks", { token, json: hook });
  await harness.call("POST", `/webhooks/${body.data.id}/test`, { token });
  const waiting = await env.DB.prepare(
    "SELECT COUNT(*) AS n FROM deliveries d JOIN events e ON e.team_id = d.team_id AND e.id = d.event_id WHERE d.webhook_id = ?",
  )
    .bind(body.data.id)
    .first("n");
  expect(waiting).toBe(1);
  await store("After the ping");
  expect(titlesOf(await readPage(nextCursor))).toEqual(["After the ping"]);
});

test("a reader of one name goes on behind the events of other names", async () => {
  await storeMany(["One", "Two"]);
  const type = { type: "suggestion.updated" };
  const none = await readPage(null, type);
  expect(none).toMatchObject({ data: [], hasMore: false });
  const all = await readPage(null);
  expect(none.nextCursor).toBe(all.nextCursor);
  expect(await readPage(none.nextCursor)).toMatchObject({ data: [] });
});
