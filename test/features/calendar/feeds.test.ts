import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { MAX_FEEDS } from "../../../src/features/calendar/rules.ts";
import { createToken, joinTeam } from "../../support/harness.ts";
import { beginLife, type Life, later } from "../../support/life.ts";
import { measure } from "../../support/meter.ts";

let life: Life;

beforeEach(async () => {
  life = await beginLife();
});

const DAY_SECONDS = 86_400;

const make = async (token?: string) => {
  const { status, body } = await life.call("POST", "/calendar/feeds", undefined, token);
  if (status !== 200) throw new Error(body.error);
  const { id, url } = body.data as { id: number; url: string };
  return { id, path: new URL(url).pathname };
};

const fetchFeed = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await life.harness.request(path, { headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

const statusOf = async (path: string) => (await fetchFeed(path)).status;

/** Unfolds lines, and reads each event's properties. */
function eventsIn(text: string): Record<string, string>[] {
  const lines = text.replaceAll("\r\n ", "").split("\r\n");
  const events: Record<string, string>[] = [];
  for (const line of lines) {
    if (line === "BEGIN:VEVENT") events.push({});
    const [name = "", value = ""] = line.split(/:(.*)/s);
    const event = events.at(-1);
    if (event) event[name] ??= value;
  }
  return events;
}

test("a feed has the scheduled and published posts of the next 90 and last 30 days", async () => {
  const place = (columns: Record<string, string | number>, days: number) =>
    life.insert({ ...columns, scheduled_for: later(days * DAY_SECONDS).getTime() });
  const scheduled = await place({ status: "scheduled", title: "Soon" }, 89);
  await place({ status: "scheduled", title: "Late" }, 91);
  await place({ status: "draft", title: "Draft" }, 1);
  await place({ status: "failed", title: "Failed" }, 1);
  const published = await life.insert({
    status: "completed",
    title: "Out",
    sort_at: later(-29 * DAY_SECONDS).getTime(),
    uploaded_at: later(-29 * DAY_SECONDS + 5).getTime(),
  });
  const stranger = await beginLife(life.harness);
  await stranger.insert({ status: "scheduled", scheduled_for: later(DAY_SECONDS).getTime() });
  const { path } = await make();
  expect(path).toMatch(/^\/calendar\/\d+-[0-9a-f]{64}\.ics$/);
  const { status, headers, text } = await fetchFeed(path);
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/calendar; charset=utf-8");
  const events = eventsIn(text);
  expect(events.map(({ UID }) => UID)).toEqual([
    `upload-${published}@akimbo.test`,
    `upload-${scheduled}@akimbo.test`,
  ]);
  expect(events[0]).toMatchObject({
    DTSTAMP: "20261201T090000Z",
    DTSTART: "20261102T090005Z",
    DTEND: "20261102T091505Z",
    SUMMARY: expect.stringMatching(/^Ada.* \(Bluesky\): Out$/),
    DESCRIPTION: expect.stringMatching(/^Published on Ada/),
    URL: `https://akimbo.test/app/uploads/${published}`,
  });
});

test("its lines end with CRLF, are folded at 75 octets between characters, and escaped", async () => {
  await life.insert({
    status: "scheduled",
    title: `A; B, C\\ D\r\nBEGIN:VALARM\u0007 ${"é".repeat(60)}👩‍👩‍👧‍👦${"x".repeat(60)}`,
    scheduled_for: later(60 * 60).getTime(),
  });
  const { text } = await fetchFeed((await make()).path);
  expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  expect(text).toMatch(
    /^BEGIN:VCALENDAR\r\n[\s\S]*\r\nX-PUBLISHED-TTL:PT15M\r\n[\s\S]*END:VCALENDAR\r\n$/,
  );
  const lengths = text.split("\r\n").map((line) => new TextEncoder().encode(line).length);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(75);
  const [event = {}] = eventsIn(text);
  expect(event.SUMMARY).toContain("A\\; B\\, C\\\\ D\\nBEGIN:VALARM  é");
  expect(text).not.toContain("\r\nBEGIN:VALARM");
  expect(event.SUMMARY).toContain("👩‍👩‍👧‍👦");
});

test("an unchanged feed answers 304, and a changed one anew", async () => {
  const id = await life.insert({
    status: "scheduled",
    scheduled_for: later(DAY_SECONDS).getTime(),
  });
  const { path } = await make();
  const etag = (await fetchFeed(path)).headers.get("etag") ?? "";
  life.harness.advance(60);
  const strong = etag.replace(/^W\//, "");
  for (const known of [etag, strong, `"other", ${etag}`, "*"]) {
    const again = await fetchFeed(path, { "if-none-match": known });
    expect({ status: again.status, text: again.text }, known).toEqual({ status: 304, text: "" });
  }
  await env.DB.prepare("UPDATE uploads SET title = 'New' WHERE id = ?").bind(id).run();
  const changed = await fetchFeed(path, { "if-none-match": etag });
  expect(changed.status).toBe(200);
  expect(changed.headers.get("etag")).not.toBe(etag);
});

test("a feed is one round trip; a forged address is none", async () => {
  const { id, path } = await make();
  const real = await measure(life.harness, () => fetchFeed(path));
  expect(real.costs.roundTrips).toHaveLength(1);
  for (const forged of [`/calendar/${id}-${"0".repeat(64)}.ics`, "/calendar/x.ics", "/calendar/"]) {
    const { costs, result } = await measure(life.harness, () => fetchFeed(forged));
    expect(result.status, forged).toBe(404);
    expect(costs.roundTrips, forged).toHaveLength(0);
  }
});

test("a revoked feed answers 404, the others go on", async () => {
  const [one, other] = [await make(), await make()];
  expect((await life.call("DELETE", `/calendar/feeds/${one.id}`)).status).toBe(200);
  expect(await statusOf(one.path)).toBe(404);
  expect(await statusOf(other.path)).toBe(200);
  expect((await life.call("DELETE", `/calendar/feeds/${one.id}`)).status).toBe(404);
  const { body } = await life.call("GET", "/calendar/feeds");
  expect(body.data.map(({ id }: { id: number }) => id)).toEqual([other.id]);
  expect(JSON.stringify(body)).not.toContain(other.path);
});

test("a feed ends with the token that made it", async () => {
  const token = await createToken(life.member.userId);
  const { path } = await make(token);
  expect(await statusOf(path)).toBe(200);
  await env.DB.prepare(
    "UPDATE tokens SET revoked_at = 1 WHERE id = (SELECT token_id FROM calendar_feeds ORDER BY id DESC LIMIT 1)",
  ).run();
  expect(await statusOf(path)).toBe(404);
});

test("a feed ends when the person who made it leaves, also if they come back", async () => {
  const token = await life.colleague("MEMBER");
  const { path } = await make(token);
  const { teamId } = life.member;
  const colleague = await env.DB.prepare(
    "SELECT user_id FROM members WHERE team_id = ? AND role = 'MEMBER'",
  )
    .bind(teamId)
    .first<number>("user_id");
  expect(await statusOf(path)).toBe(200);
  const set = (active: number) =>
    env.DB.prepare("UPDATE members SET is_active = ? WHERE team_id = ? AND user_id = ?")
      .bind(active, teamId, colleague)
      .run();
  await set(0);
  expect(await statusOf(path)).toBe(404);
  await env.DB.prepare("DELETE FROM members WHERE team_id = ? AND user_id = ?")
    .bind(teamId, colleague)
    .run();
  life.harness.advance(60);
  await joinTeam(teamId, colleague ?? 0, "MEMBER");
  await env.DB.prepare("UPDATE members SET joined_at = ? WHERE team_id = ? AND user_id = ?")
    .bind(later(0).getTime(), teamId, colleague)
    .run();
  expect(await statusOf(path)).toBe(404);
});

test("a member revokes their own feed, and no other", async () => {
  const member = await life.colleague("MEMBER");
  const own = await make(member);
  const other = await make();
  const refused = await life.call("DELETE", `/calendar/feeds/${other.id}`, undefined, member);
  expect(refused.status).toBe(403);
  expect((await life.call("DELETE", `/calendar/feeds/${own.id}`, undefined, member)).status).toBe(
    200,
  );
});

test("a team has so many feeds at most", async () => {
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO calendar_feeds (team_id, created_by, created_at) SELECT ?, ?, ? FROM n`,
  )
    .bind(MAX_FEEDS, life.member.teamId, life.member.userId, later(0).getTime())
    .run();
  const { status, body } = await life.call("POST", "/calendar/feeds");
  expect(status).toBe(409);
  expect(body.code).toBe("PLAN_LIMIT");
});
