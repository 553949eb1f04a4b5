import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { connectSandbox, createToken } from "../../support/harness.ts";
import { beginLife, type Life, mediaOf } from "../../support/life.ts";
import { measure } from "../../support/meter.ts";
import { PoolTeam } from "../../support/pools.ts";

let life: Life;

beforeEach(async () => {
  life = await beginLife();
});

const ms = (at: string) => Date.parse(at);

const setZone = (teamId: number, zone: string) =>
  env.DB.prepare("UPDATE teams SET zone = ? WHERE id = ?").bind(zone, teamId).run();

const read = async (query: string, token?: string) => {
  const { status, body } = await life.call("GET", `/calendar?${query}`, undefined, token);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

const idsIn = async (query: string): Promise<number[]> =>
  (await read(query)).data.map(({ uploadId }: { uploadId: number }) => uploadId);

const DECEMBER = "from=2026-12-01&to=2027-01-01";

describe("posts stand in their place", () => {
  const at = ms("2026-12-10T12:00:00Z");
  const elsewhere = ms("2027-02-10T12:00:00Z");

  test.each<[name: string, columns: Record<string, string | number | null>, place: number | null]>([
    ["scheduled", { status: "scheduled", scheduled_for: at }, at],
    ["pending", { status: "pending", sort_at: at }, at],
    ["processing", { status: "processing", sort_at: at }, at],
    ["failed, when it was due", { status: "failed", scheduled_for: at, failed_at: elsewhere }, at],
    [
      "published, when it was",
      { status: "completed", sort_at: at, uploaded_at: at + 40 * 3_600_000 },
      at + 40 * 3_600_000,
    ],
    [
      "published after the range",
      {
        status: "completed",
        sort_at: ms("2026-12-31T23:00:00Z"),
        uploaded_at: ms("2027-01-01T01:00:00Z"),
      },
      null,
    ],
    [
      "published in the range, planned before it",
      {
        status: "completed",
        sort_at: ms("2026-11-30T23:00:00Z"),
        uploaded_at: ms("2026-12-01T01:00:00Z"),
      },
      ms("2026-12-01T01:00:00Z"),
    ],
    ["draft with a date", { status: "draft", scheduled_for: at }, at],
    ["draft without a date", { status: "draft", sort_at: at }, null],
    ["held with a date", { status: "pending_approval", scheduled_for: at }, at],
    ["removed", { status: "scheduled", scheduled_for: at, deleted_at: 1 }, null],
  ])("%s", async (_, columns, place) => {
    await life.insert(columns);
    const { data } = await read(DECEMBER);
    expect(data.map((entry: { at: string }) => ms(entry.at))).toEqual(
      place === null ? [] : [place],
    );
  });
});

test("a post has its account, state, text, picture and failure", async () => {
  const [sha256 = ""] = await life.storeFiles(1);
  const id = await life.insert({
    status: "failed",
    title: "é".repeat(150),
    failure_code: "rate_limited",
    scheduled_for: ms("2026-12-10T12:00:00Z"),
    media: mediaOf(sha256),
    posts: 3,
  });
  const { zone, data, truncated } = await read(DECEMBER);
  expect({ zone, truncated }).toEqual({ zone: "UTC", truncated: false });
  expect(data).toEqual([
    {
      kind: "post",
      id: String(id),
      at: "2026-12-10T12:00:00.000Z",
      uploadId: id,
      accountId: life.accountId,
      accountName: expect.stringMatching(/^Ada/),
      platform: "bluesky",
      status: "failed",
      text: "é".repeat(140),
      posts: 3,
      thumbnailUrl: expect.stringContaining(`/${sha256}/thumbnail?`),
      failureCode: "rate_limited",
      unpublishedAt: null,
    },
  ]);
});

describe("a day begins in the workspace's zone", () => {
  test.each<[zone: string, day: string, next: string, first: string, last: string]>([
    ["UTC", "2026-12-10", "2026-12-11", "2026-12-10T00:00:00Z", "2026-12-10T23:59:59.999Z"],
    [
      "Europe/Berlin",
      "2026-03-29",
      "2026-03-30",
      "2026-03-28T23:00:00Z",
      "2026-03-29T21:59:59.999Z",
    ],
    [
      "Europe/Berlin",
      "2026-10-25",
      "2026-10-26",
      "2026-10-24T22:00:00Z",
      "2026-10-25T22:59:59.999Z",
    ],
    [
      "Pacific/Kiritimati",
      "2026-12-10",
      "2026-12-11",
      "2026-12-09T10:00:00Z",
      "2026-12-10T09:59:59.999Z",
    ],
    [
      "Pacific/Midway",
      "2026-12-10",
      "2026-12-11",
      "2026-12-10T11:00:00Z",
      "2026-12-11T10:59:59.999Z",
    ],
  ])("%s, %s", async (zone, day, next, first, last) => {
    await setZone(life.member.teamId, zone);
    const place = (at: number) => life.insert({ status: "failed", scheduled_for: at });
    await place(ms(first) - 1);
    const ids = [await place(ms(first)), await place(ms(last))];
    await place(ms(last) + 1);
    expect(await idsIn(`from=${day}&to=${next}`)).toEqual(ids);
    const instants = `from=${first}&to=${new Date(ms(last) + 1).toISOString()}`;
    expect(await idsIn(instants)).toEqual(ids);
  });
});

describe("bad ranges are refused", () => {
  test.each<[query: string, field: string, message: RegExp]>([
    ["to=2026-12-02", "from", /is needed/],
    ["from=2026-12-01", "to", /is needed/],
    ["from=2026-12-01T00:00&to=2026-12-02", "from", /with an offset/],
    ["from=2026-02-30&to=2026-03-02", "from", /must be a date/],
    ["from=yesterday&to=2026-12-02", "from", /must be a date/],
    ["from=2026-12-02&to=2026-12-02", "to", /must be after from/],
    ["from=2026-12-02&to=2026-12-01T00:00:00Z", "to", /must be after from/],
    ["from=2026-12-01&to=2027-02-02", "to", /at most 62 days/],
    [`${DECEMBER}&platform=orkut`, "platform", /must be one of/],
    [`${DECEMBER}&status=gone`, "status", /must be one of/],
  ])("%s", async (query, field, message) => {
    const { status, body } = await life.call("GET", `/calendar?${query}`);
    expect(status).toBe(400);
    expect(body.errors[0].field).toBe(field);
    expect(body.error).toMatch(message);
  });
});

test("62 days are the most", async () => {
  expect((await read("from=2026-12-01&to=2027-02-01")).data).toEqual([]);
});

test("filters are those of the account, its platform, its tag and the state", async () => {
  const other = await connectSandbox(life.harness, life.member, "Bo", "threads");
  await env.DB.prepare("UPDATE accounts SET tags = 'news,Fun' WHERE id = ?").bind(other).run();
  const at = ms("2026-12-10T12:00:00Z");
  const ours = await life.insert({ status: "scheduled", scheduled_for: at });
  const theirs = await life.insert({
    status: "failed",
    scheduled_for: at + 1,
    account_id: other,
    platform: "threads",
  });
  expect(await idsIn(DECEMBER)).toEqual([ours, theirs]);
  expect(await idsIn(`${DECEMBER}&account=${other}`)).toEqual([theirs]);
  expect(await idsIn(`${DECEMBER}&platform=bluesky`)).toEqual([ours]);
  expect(await idsIn(`${DECEMBER}&tag=fun`)).toEqual([theirs]);
  expect(await idsIn(`${DECEMBER}&tag=fu`)).toEqual([]);
  expect(await idsIn(`${DECEMBER}&status=scheduled`)).toEqual([ours]);
  expect(await idsIn(`${DECEMBER}&account=unknown`)).toEqual([]);
});

test("another team sees nothing of it", async () => {
  await life.insert({ status: "scheduled", scheduled_for: ms("2026-12-10T12:00:00Z") });
  const stranger = await beginLife(life.harness);
  expect((await stranger.call("GET", `/calendar?${DECEMBER}`)).body.data).toEqual([]);
});

describe("more than 2,000 entries", () => {
  const many = async (count: number, from: number, stepMs: number) => {
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
        INSERT INTO uploads (team_id, account_id, platform, status, status_group, description, settings,
          media, scheduled_for, sort_at, created_at)
        SELECT ?2, ?3, 'bluesky', 'failed', 'failed', 'Post ' || i, '{}', '[]', ?4 + i * ?5, ?4 + i * ?5, 0
        FROM n`,
    )
      .bind(count, life.member.teamId, life.accountId, from, stepMs)
      .run();
  };

  test("are cut, and the days that are left out named", async () => {
    await many(2_100, ms("2026-12-03T00:00:00Z"), 60_000 * 2);
    const { costs, result } = await measure(life.harness, () =>
      life.call("GET", "/calendar?from=2026-12-03&to=2026-12-08"),
    );
    expect(costs.roundTrips).toHaveLength(2);
    const { data, truncated, narrow } = result.body;
    expect(data).toHaveLength(2_000);
    expect(truncated).toBe(true);
    expect(narrow).toEqual(["2026-12-05", "2026-12-06", "2026-12-07"]);
    expect((await read("from=2026-12-05&to=2026-12-06")).data).toHaveLength(660);
  });

  test("2,000 are not cut", async () => {
    await many(2_000, ms("2026-12-03T00:00:00Z"), 1_000);
    const { data, truncated, narrow } = await read("from=2026-12-03&to=2026-12-04");
    expect({ length: data.length, truncated, narrow }).toEqual({ length: 2_000, truncated: false });
  });

  test("posts beside the range do not take the place of posts in it", async () => {
    await setZone(life.member.teamId, "America/New_York");
    await many(2_100, ms("2026-12-03T00:00:00Z"), 1_000);
    const inside = await life.insert({
      status: "failed",
      scheduled_for: ms("2026-12-03T12:00:00Z"),
    });
    const { data, truncated } = await read("from=2026-12-03&to=2026-12-04");
    expect(data.map(({ uploadId }: { uploadId: number }) => uploadId)).toEqual([inside]);
    expect(truncated).toBe(false);
  });
});

describe("firings of pools that are to come", () => {
  let team: PoolTeam;

  beforeEach(async () => {
    team = await PoolTeam.make();
  });

  const firings = async (query: string, token = team.member.token) =>
    (await team.call("GET", `/calendar?${query}`, undefined, token)).body.data;

  test("have the item that would go, as the pool's preview says", async () => {
    const pool = await team.pool({ timezone: "Europe/Berlin" });
    await team.fill(pool.id, ["First", "Second"]);
    const data = await firings("from=2026-12-02&to=2026-12-05");
    expect(data[0]).toEqual({
      kind: "firing",
      id: `${pool.slots[0]?.id}-${ms("2026-12-02T08:30:00Z")}`,
      at: "2026-12-02T08:30:00.000Z",
      poolId: pool.id,
      poolName: "Tips",
      slotId: pool.slots[0]?.id,
      wallTime: "2026-12-02T09:30",
      accountIds: [team.accountId],
      item: { id: expect.any(Number), title: "First" },
    });
    const { firings: coming } = await team.send("GET", `/pools/${pool.id}/preview?days=4`);
    const titles = (list: { at: string; item: { title: string } | null }[]) =>
      list.map(({ at, item }) => [at, item?.title ?? null]);
    expect(titles(data)).toEqual(titles(coming).slice(0, 3));
    expect(titles(data)).toEqual([
      ["2026-12-02T08:30:00.000Z", "First"],
      ["2026-12-03T08:30:00.000Z", "Second"],
      ["2026-12-04T08:30:00.000Z", null],
    ]);
    const later = await firings("from=2026-12-03&to=2026-12-04");
    expect(titles(later)).toEqual([["2026-12-03T08:30:00.000Z", "Second"]]);
  });

  test("repeat as the preview says", async () => {
    const pool = await team.pool();
    await team.add(pool.id, {
      description: "Again",
      photo: new File(["x"], "a.png"),
      repeat: '{"every":{"days":2},"times":3}',
    });
    await team.fill(pool.id, ["Once"]);
    const item = (entry: { item: { title: string } | null }) => entry.item?.title ?? null;
    const { firings: coming } = await team.send("GET", `/pools/${pool.id}/preview?days=9`);
    const data = await firings("from=2026-12-01&to=2026-12-10");
    expect(data.map(item)).toEqual(coming.map(item).slice(0, data.length));
  });

  test.each<[name: string, query: string]>([
    ["past days", "from=2026-11-01&to=2026-12-01"],
    ["a filter by state", "from=2026-12-02&to=2026-12-05&status=scheduled"],
    ["another account", "from=2026-12-02&to=2026-12-05&account=other"],
    ["another platform", "from=2026-12-02&to=2026-12-05&platform=x"],
    ["another tag", "from=2026-12-02&to=2026-12-05&tag=news"],
  ])("are not shown for %s", async (_, query) => {
    await team.pool();
    expect(await firings(query)).toEqual([]);
  });

  test("need pools:read", async () => {
    await team.pool();
    const query = "from=2026-12-02&to=2026-12-05";
    const token = await createToken(team.member.userId, { scopes: ["posts:read"] });
    expect(await firings(query, token)).toEqual([]);
    expect(await firings(query)).toHaveLength(3);
  });

  test("of a pool that is off, or of a slot without accounts, are none", async () => {
    await team.pool({ isActive: false });
    const { slots } = await team.pool();
    await env.DB.prepare("UPDATE pool_slots SET account_ids = '[]' WHERE id = ?")
      .bind(Number(slots[0]?.id))
      .run();
    expect(await firings("from=2026-12-02&to=2026-12-05")).toEqual([]);
  });

  test("stop at 2,000, and say on which day", async () => {
    const slots = Array.from({ length: 50 }, (_, i) =>
      team.slot({ time: `${String(Math.floor(i / 4)).padStart(2, "0")}:${(i % 4) * 15 || "00"}` }),
    );
    for (let i = 0; i < 2; i++) await team.pool({ slots });
    const { body } = await team.call("GET", "/calendar?from=2026-12-02&to=2026-12-30");
    expect(body.data).toHaveLength(2_000);
    expect(body.narrow[0]).toBe("2026-12-22");
    expect(body.narrow.at(-1)).toBe("2026-12-29");
  });
});
