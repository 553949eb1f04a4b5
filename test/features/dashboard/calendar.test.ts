import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { connectSandbox } from "../../support/harness.ts";
import { beginLife, type Life, mediaOf } from "../../support/life.ts";
import { measure } from "../../support/meter.ts";
import { Browser, formsOf } from "../../support/person.ts";

let life: Life;
let browser: Browser;

beforeEach(async () => {
  life = await beginLife();
  browser = await new Browser(life.harness).signIn(life.member);
});

const setZone = (zone: string) =>
  env.DB.prepare("UPDATE teams SET zone = ? WHERE id = ?").bind(zone, life.member.teamId).run();

const plan = (at: string, columns = {}) =>
  life.insert({ status: "scheduled", scheduled_for: Date.parse(at), ...columns });

const show = async (query = "") => {
  const page = await browser.get(`/app/calendar${query}`);
  expect(page.status, page.html).toBe(200);
  return page.html;
};

/** The days of the page with the posts in each. */
function daysIn(html: string): Map<string, number[]> {
  const days = new Map<string, number[]>();
  for (const part of html.split('data-day="').slice(1)) {
    const ids = [...part.matchAll(/id="post-(\d+)"/g)].map(([, id]) => Number(id));
    days.set(part.slice(0, 10), ids);
  }
  return days;
}

/** The markup of one post in the calendar. */
const entryIn = (html: string, id: number): string =>
  new RegExp(`<li class="entry[^>]*id="post-${id}"[\\s\\S]*?</li>`).exec(html)?.[0] ?? "";

describe("the view", () => {
  test.each<[query: string, first: string, last: string, days: number, title: string]>([
    ["", "2026-11-30", "2027-01-03", 35, "December 2026"],
    ["?month=2026-11", "2026-10-26", "2026-12-06", 42, "November 2026"],
    ["?month=2027-02", "2027-02-01", "2027-02-28", 28, "February 2027"],
    ["?week=2026-11-25", "2026-11-23", "2026-11-29", 7, "23 Nov 2026 – 29 Nov 2026"],
    ["?day=2026-11-24", "2026-11-24", "2026-11-24", 1, "Tuesday, 24 November 2026"],
  ])("%s", async (query, first, last, count, title) => {
    const html = await show(query);
    const days = [...daysIn(html).keys()];
    expect([days[0], days.at(-1), days.length]).toEqual([first, last, count]);
    expect(html).toContain(`<h2>${title}</h2>`);
  });

  test.each<[query: string, mistake: string]>([
    ["?month=2026-13", "Write the month as 2026-11."],
    ["?week=soon", "Write the week as 2026-11-23."],
    ["?day=2026-02-30", "Write the day as 2026-11-24."],
    ["?month=9999-12", "Write the month as 2026-11."],
    ["?platform=orkut", "There is no such platform."],
    ["?status=gone", "There is no such state."],
    [`?tag=${"x".repeat(200)}`, "There is no such tag."],
  ])("a mistake is told: %s", async (query, mistake) => {
    const html = await show(query);
    expect(html).toContain(mistake);
    expect(html).toContain("<h2>December 2026</h2>");
  });

  test("begins in the workspace's month, also where that of UTC is another", async () => {
    await setZone("Pacific/Auckland");
    life.harness.advance(30 * 86_400 + 4 * 3_600);
    expect(life.harness.deps.now().toISOString()).toBe("2026-12-31T13:00:00.000Z");
    browser = await new Browser(life.harness).signIn(life.member);
    const id = await plan("2027-01-20T10:00:00Z");
    const html = await show();
    expect(html).toContain("<h2>January 2027</h2>");
    expect(daysIn(html).get("2027-01-20")).toEqual([id]);
    expect(html).toMatch(/class="day[^"]*today[^"]*" data-day="2027-01-01"/);
  });

  test("has links that keep the filters", async () => {
    const html = await show("?month=2026-11&platform=x&tag=news");
    expect(html).toContain("/app/calendar?month=2026-10&amp;platform=x&amp;tag=news");
    expect(html).toContain("/app/calendar?month=2026-12&amp;platform=x&amp;tag=news");
  });
});

test("a post stands on its day in the workspace's zone, with account, time, picture and state", async () => {
  await setZone("Europe/Berlin");
  const [sha256 = ""] = await life.storeFiles(1);
  const id = await plan("2026-12-24T23:30:00Z", {
    media: mediaOf(sha256),
    title: "<b>Bold</b>",
    posts: 2,
  });
  const html = await show();
  expect(daysIn(html).get("2026-12-25")).toEqual([id]);
  const entry = entryIn(html, id);
  expect(entry).toContain('<span class="time">00:30</span> Ada');
  expect(entry).toContain("&lt;b&gt;Bold&lt;/b&gt; (thread of 2)");
  expect(entry).toContain(`/${sha256}/thumbnail?`);
  expect(entry).toContain(">Scheduled</span>");
  expect(entry).toContain(`href="/app/uploads/${id}"`);
  expect(entry).toContain('value="2026-12-25"');
  expect(entry).toContain('value="00:30"');
  expect(html).toContain("Times are in Europe/Berlin");
});

test.each<[status: string, isMovable: boolean]>([
  ["draft", true],
  ["pending_approval", true],
  ["scheduled", true],
  ["failed", false],
])("a %s post can be moved: %s", async (status, isMovable) => {
  const id = await plan("2026-12-24T10:00:00Z", { status });
  expect(entryIn(await show(), id).includes("Move to…")).toBe(isMovable);
});

test("filters leave out the others", async () => {
  const other = await connectSandbox(life.harness, life.member, "Bo", "threads");
  await env.DB.prepare("UPDATE accounts SET tags = 'news' WHERE id = ?").bind(other).run();
  const ours = await plan("2026-12-24T10:00:00Z");
  const theirs = await plan("2026-12-24T11:00:00Z", { account_id: other, platform: "threads" });
  const shown = async (query: string) => daysIn(await show(query)).get("2026-12-24");
  expect(await shown("")).toEqual([ours, theirs]);
  expect(await shown(`?account=${other}`)).toEqual([theirs]);
  expect(await shown("?platform=bluesky")).toEqual([ours]);
  expect(await shown("?tag=news")).toEqual([theirs]);
  expect(await shown("?status=failed")).toEqual([]);
});

test("a full day has a link to all of it", async () => {
  await life.insertMany(
    Array.from({ length: 6 }, (_, i) => ({
      status: "scheduled",
      scheduled_for: Date.parse("2026-12-24T10:00:00Z") + i,
    })),
  );
  const html = await show("?month=2026-12&status=scheduled");
  expect(daysIn(html).get("2026-12-24")).toHaveLength(3);
  expect(html).toContain("/app/calendar?day=2026-12-24&amp;status=scheduled");
  expect(daysIn(await show("?day=2026-12-24")).get("2026-12-24")).toHaveLength(6);
});

describe("a month counts what it leaves out", () => {
  const HOUR_MS = 3_600_000;

  interface ApiEntry {
    at: string;
    uploadId: number;
  }

  /** By local day, as `GET /calendar` has them. */
  async function entriesOfApi(zone: string): Promise<Map<string, ApiEntry[]>> {
    const { body } = await life.harness.call("GET", "/calendar?from=2027-01-25&to=2027-03-28", {
      token: life.member.token,
    });
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
    const entries = (body as { data: ApiEntry[] }).data;
    return Map.groupBy(entries, ({ at }) => format.format(new Date(at)));
  }

  const leftIn = (html: string, day: string): number => {
    const [part = ""] = html.split(`data-day="${day}"`)[1]?.split("data-day=") ?? [];
    return Number(/class="more"[^>]*>(\d+) more/.exec(part)?.[1] ?? 0);
  };

  // Casablanca's clock changes twice within this month's page: Ramadan 2027 is from 8 February to 9 March.
  test.each([
    "UTC",
    "Africa/Casablanca",
    "America/New_York",
    "Asia/Kathmandu",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
  ])("%s", async (zone) => {
    await setZone(zone);
    const from = Date.parse("2027-01-25T00:10:00Z");
    const hours = Array.from({ length: 60 * 24 }, (_, i) => i).filter((i) => (i * 7) % 5 < 2);
    await Promise.all(hours.map((hour) => plan(new Date(from + hour * HOUR_MS).toISOString())));
    const api = await entriesOfApi(zone);
    for (const month of ["2027-02", "2027-02", "2027-03"]) {
      const html = await show(`?month=${month}`);
      for (const [day, ids] of daysIn(html)) {
        if (day < "2027-01-26" || day > "2027-03-24") continue;
        const expected = api.get(day) ?? [];
        expect(ids, day).toEqual(expected.slice(0, 3).map(({ uploadId }) => uploadId));
        expect(leftIn(html, day), day).toBe(Math.max(expected.length - 3, 0));
      }
    }
  });
});

test("today and the days to come lead to the composer, past days do not", async () => {
  const html = await show();
  expect(html).toContain("/app/compose?at=2026-12-01T10:00");
  expect(html).toContain("/app/compose?at=2026-12-24T10:00");
  expect(html).not.toContain("/app/compose?at=2026-11-30");
});

describe("Move to…", () => {
  test.each<[zone: string, date: string, time: string, at: string]>([
    ["UTC", "2026-12-27", "18:00", "2026-12-27T18:00:00.000Z"],
    ["Europe/Berlin", "2027-03-27", "02:30", "2027-03-27T01:30:00.000Z"],
    // The hour is skipped: the first minute after it.
    ["Europe/Berlin", "2027-03-28", "02:30", "2027-03-28T01:00:00.000Z"],
    ["Europe/Berlin", "2027-03-29", "10:00", "2027-03-29T08:00:00.000Z"],
    // The hour is repeated: the first time.
    ["America/Santiago", "2027-04-03", "23:30", "2027-04-04T02:30:00.000Z"],
  ])("%s %s %s", async (zone, date, time, at) => {
    await setZone(zone);
    const id = await plan("2026-12-24T10:00:00Z");
    const answer = await browser.post(`/app/calendar/${id}/move?month=2026-12&tag=news`, {
      date,
      time,
    });
    expect(answer.status).toBe(303);
    expect(answer.location).toBe(`/app/calendar?month=2026-12&tag=news&done=moved#post-${id}`);
    expect(new Date((await life.row(id)).scheduled_for).toISOString()).toBe(at);
  });

  test.each<[name: string, date: string, time: string, status: number, message: string]>([
    ["past", "2026-11-01", "10:00", 400, ">The time must be in the future"],
    ["too far", "2027-09-01", "10:00", 400, ">The time must be within 6 months"],
    ["no day", "", "10:00", 400, "Write the day as 2026-11-24"],
    ["no time", "2026-12-27", "25:00", 400, "Write the day as 2026-11-24"],
  ])("a refusal comes back at the post: %s", async (_, date, time, status, message) => {
    const id = await plan("2026-12-24T10:00:00Z");
    const answer = await browser.post(`/app/calendar/${id}/move?month=2026-12`, { date, time });
    expect(answer.status).toBe(status);
    expect(daysIn(answer.html).get("2026-12-24")).toEqual([id]);
    const entry = entryIn(answer.html, id);
    expect(entry).toContain(`id="refusal-${id}"`);
    expect(entry).toContain(message);
    expect(entry).toContain(`aria-describedby="refusal-${id}"`);
    expect(entry).toContain(`value="${date}"`);
    expect(entry).toContain("<details open");
    expect((await life.row(id)).scheduled_for).toBe(Date.parse("2026-12-24T10:00:00Z"));
  });

  test("a post that is being published is locked", async () => {
    const id = await plan("2026-12-24T10:00:00Z", { status: "processing" });
    const answer = await browser.post(`/app/calendar/${id}/move?month=2026-12`, {
      date: "2026-12-27",
      time: "10:00",
    });
    expect(answer.status).toBe(409);
    expect(answer.html).toContain("The post is being published and cannot be edited.");
  });

  test("a member whose posts need approval is told that it is held", async () => {
    const { teamId } = life.member;
    await env.DB.prepare("UPDATE teams SET requires_approval = 1 WHERE id = ?").bind(teamId).run();
    await life.colleague("MEMBER");
    const userId = await env.DB.prepare(
      "SELECT user_id FROM members WHERE team_id = ? AND role = 'MEMBER'",
    )
      .bind(teamId)
      .first<number>("user_id");
    const member = await new Browser(life.harness).signIn({ userId: userId ?? 0 });
    member.show(teamId);
    const id = await plan("2026-12-24T10:00:00Z");
    const fields = { date: "2026-12-27", time: "10:00" };
    const answer = await member.post(`/app/calendar/${id}/move`, fields);
    expect(answer.location).toContain("done=held");
    expect((await life.row(id)).status).toBe("pending_approval");
  });

  test("a post of another team is not found", async () => {
    const stranger = await beginLife(life.harness);
    const id = await stranger.insert({ status: "scheduled", scheduled_for: Date.now() + 1e6 });
    const fields = { date: "2026-12-27", time: "10:00" };
    expect((await browser.post(`/app/calendar/${id}/move`, fields)).status).toBe(404);
  });
});

test("a feed's address is shown once, and revoked on the page", async () => {
  const made = await browser.post("/app/calendar/feeds");
  const path = /https:\/\/akimbo\.test(\/calendar\/[^<]*\.ics)/.exec(made.html)?.[1] ?? "";
  expect((await life.harness.request(path)).status).toBe(200);
  const html = await show();
  expect(html).not.toContain(path);
  const revoke = formsOf(html).find((address) => address.includes("/revoke")) ?? "";
  expect((await browser.sendForm(revoke)).status).toBe(303);
  expect((await life.harness.request(path)).status).toBe(404);
});

test("the page is one round trip", async () => {
  await plan("2026-12-24T10:00:00Z");
  const { costs } = await measure(life.harness, () => show("?month=2026-12"));
  expect(costs.roundTrips).toHaveLength(1);
});
