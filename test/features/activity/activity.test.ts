import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { timeSortedId } from "../../../src/core/ids.ts";
import { runSchedule } from "../../../src/cron/schedule.ts";
import { KEPT_MS } from "../../../src/features/activity/expiry.ts";
import { clientOf } from "../../../src/features/activity/repo.ts";
import { approveUploads } from "../../../src/features/approval/decide.ts";
import { callTool } from "../../support/agent.ts";
import {
  createMember,
  createToken,
  Harness,
  joinTeam,
  type Member,
  START,
} from "../../support/harness.ts";
import { beginLife } from "../../support/life.ts";
import { type Costs, measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";
import { PoolTeam } from "../../support/pools.ts";
import { openStage } from "../../support/stage.ts";

interface Shown {
  id: string;
  at: string;
  actor: { type: string; id: number | null; name: string };
  action: string;
  subject: { type: string; id: string | null };
}

const plant = (
  teamId: number,
  count: number,
  { at = START, kind = "token", subject = "pool" } = {},
) =>
  env.DB.batch(
    Array.from({ length: count }, () =>
      env.DB.prepare(
        `INSERT INTO activity (team_id, id, at, actor_kind, actor_id, actor_name, action, subject_kind, subject_id)
          VALUES (?, ?, ?, ?, 1, 'One', ?, ?, '1')`,
      ).bind(
        teamId,
        timeSortedId("act", at),
        at.getTime(),
        kind,
        subject === "pool" ? "pool.changed" : "account.changed",
        subject,
      ),
    ),
  );

const read = async (harness: Harness, token: string, query = "") => {
  const { status, body } = await harness.call("GET", `/activity${query}`, { token });
  return { status, lines: body.data as Shown[], next: body.nextCursor as string | null, body };
};

test("lines are read newest first, on pages of any size, and by their subject", async () => {
  const [harness, { teamId, token }, other] = [
    new Harness(),
    await createMember(),
    await createMember(),
  ];
  await plant(teamId, 30);
  await plant(teamId, 10, { subject: "account" });
  await plant(other.teamId, 5);
  const whole = await read(harness, token, "?limit=200");
  expect(whole).toMatchObject({ status: 200, next: null });
  expect(whole.lines).toHaveLength(40);
  expect(whole.lines.map(({ id }) => id)).toEqual(
    whole.lines
      .map(({ id }) => id)
      .toSorted()
      .reverse(),
  );
  const paged: Shown[] = [];
  let after: string | null = null;
  do {
    const page = await read(harness, token, `?limit=7${after ? `&after=${after}` : ""}`);
    paged.push(...page.lines);
    after = page.next;
  } while (after !== null);
  expect(paged).toEqual(whole.lines);
  const accounts = await read(harness, token, "?type=account");
  expect(accounts.lines).toHaveLength(10);
  expect((await read(harness, token)).lines).toHaveLength(40);
});

test.each(["limit=0", "limit=201", "limit=x", "after=evt_1", "after=act_", "type=else", "type="])(
  "%s is refused as a bad value of the query",
  async (query) => {
    const [harness, { token }] = [new Harness(), await createMember()];
    const { status, body } = await read(harness, token, `?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, error: expect.any(String) });
  },
);

test("a page of 50 lines costs one round trip and about 50 rows", async () => {
  const [harness, { teamId, token }] = [new Harness(), await createMember()];
  await plant(teamId, 300);
  const { costs } = await measure(harness, () => read(harness, token));
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.rowsRead).toBeLessThanOrEqual(58);
});

test("a person, a token and an agent are told apart", async () => {
  const life = await beginLife();
  const { harness, member } = life;
  const id = await life.insert({ status: "draft" });
  await life.call("PATCH", `/upload/${id}`, { title: "By a token" });
  await callTool(harness, member.token, "update_post", { postId: id, title: "By an agent" });
  const browser = await new Browser(harness).signIn(member);
  await browser.post(`/app/uploads/${id}/edit`, { description: "By a person" });
  const { lines } = await read(harness, member.token);
  expect(lines.map(({ actor, action, subject }) => [actor.type, action, subject.id])).toEqual([
    ["person", "upload.edited", String(id)],
    ["agent", "upload.edited", String(id)],
    ["token", "upload.edited", String(id)],
    ["token", "account.connected", life.accountId],
  ]);
  const [person, , token] = lines;
  expect(person?.actor).toMatchObject({ id: member.userId, name: expect.stringContaining("@") });
  expect(token?.actor.name).not.toBe("");
  const linesOn = async (query: string) => {
    const { html } = await browser.get(`/app/activity${query}`);
    const list = /<ol class="list activity">(.*?)<\/ol>/s.exec(html)?.[1] ?? "";
    return list.split("<li>").slice(1);
  };
  expect(await linesOn("")).toHaveLength(lines.length);
  const [agent, ...others] = await linesOn("?by=agent&type=upload");
  expect(agent).toContain(`<a href="/app/uploads/${id}">`);
  expect(others).toEqual([]);
  expect(await linesOn("?type=webhook")).toEqual([]);
});

test("an invitation leaves a line when it is made and when it is accepted", async () => {
  const [harness, home, guest] = [new Harness(), await createMember(), await createMember()];
  const json = { role: "MEMBER" };
  const { body } = await harness.call("POST", "/teams/invites", { token: home.token, json });
  const { pathname } = new URL(body.data.inviteLink);
  const browser = await new Browser(harness).signIn(guest);
  for (let i = 0; i < 2; i++) await browser.post(`${pathname}/accept`);
  const { lines } = await read(harness, home.token);
  expect(lines.map(({ actor, action, subject }) => [actor.type, action, subject.id])).toEqual([
    ["person", "member.joined", String(guest.userId)],
    ["token", "invite.created", expect.any(String)],
  ]);
});

const insertsOf = ({ roundTrips }: Costs) =>
  roundTrips.flat().filter(({ sql }) => sql.includes("INTO activity"));

test("a client's decisions leave one line a call", async () => {
  const life = await beginLife();
  const { harness, member } = life;
  const held = { status: "pending_approval" };
  const ids = await life.insertMany([held, { ...held, title: "Another" }]);
  const work = { deps: harness.deps, teamId: member.teamId, by: clientOf(7, "A client") };
  const posts = ids.map((id) => ({ id }));
  const { costs } = await measure(harness, () => approveUploads(work, posts, { by: "client" }));
  expect(insertsOf(costs).reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)).toBe(1);
  const [line] = (await read(harness, member.token)).lines;
  expect(line).toMatchObject({
    actor: { type: "client", id: 7 },
    action: "upload.approved",
    subject: { type: "upload", id: null },
  });
});

test("a refused change leaves no line, and a repeated call leaves one", async () => {
  const [harness, { token }] = [new Harness(), await createMember()];
  const json = { url: "https://example.com/a" };
  const headers = { "idempotency-key": "once" };
  await harness.call("POST", "/short-links", { token, json, headers });
  await harness.call("POST", "/short-links", { token, json, headers });
  await harness.call("POST", "/short-links", { token, json: { url: "nothing" } });
  await harness.call("DELETE", "/short-links/999", { token });
  const { lines } = await read(harness, token);
  expect(lines.map(({ action }) => action)).toEqual(["link.created"]);
});

test("a call that retries many posts leaves one line, and one that retries none leaves none", async () => {
  const life = await beginLife();
  const failure = { status: "failed", failure_code: "rate_limited" };
  await life.insertMany([failure, { ...failure, title: "Another" }]);
  const { body } = await life.call("POST", "/upload/retry-failed", {});
  expect(body.data.retried).toHaveLength(2);
  await life.call("POST", "/upload/retry-failed", {});
  const { lines } = await read(life.harness, life.member.token, "?type=upload");
  expect(lines).toMatchObject([{ action: "upload.retried", subject: { id: null } }]);
});

test("a paused webhook is paused once, and switched on again", async () => {
  const [harness, { token }] = [new Harness(), await createMember()];
  const json = { url: "https://example.com/a", events: ["upload.completed"] };
  const { body } = await harness.call("POST", "/webhooks", { token, json });
  for (const isActive of [false, false, true]) {
    await harness.call("PATCH", `/webhooks/${body.data.id}`, { token, json: { isActive } });
  }
  const { lines } = await read(harness, token);
  expect(lines.map(({ action }) => action)).toEqual([
    "webhook.resumed",
    "webhook.paused",
    "webhook.created",
  ]);
});

const countOf = async ({ teamId }: Pick<Member, "teamId">): Promise<number> =>
  (await env.DB.prepare("SELECT count(*) AS n FROM activity WHERE team_id = ?")
    .bind(teamId)
    .first<number>("n")) ?? 0;

test("lines older than 13 months are removed at night, and younger ones stay", async () => {
  const [harness, member] = [new Harness(), await createMember()];
  await plant(member.teamId, 700, { at: new Date(START.getTime() - KEPT_MS - 1) });
  await plant(member.teamId, 3, { at: new Date(START.getTime() - KEPT_MS + 86_400_000) });
  for (let tick = 0; tick < 30; tick++) await runSchedule(harness.deps);
  expect(await countOf(member)).toBe(3);
});

test("who closes their account stands in other teams' lines without their address", async () => {
  const [harness, home] = [new Harness(), await createMember()];
  const guest = await createMember();
  await joinTeam(home.teamId, guest.userId, "ADMIN");
  const browser = (await new Browser(harness).signIn(guest)).show(home.teamId);
  await browser.post("/app/calendar/feeds");
  expect((await read(harness, home.token)).lines[0]?.actor.name).toContain("@");
  const { slug } = (await env.DB.prepare("SELECT slug FROM teams WHERE id = ?")
    .bind(guest.teamId)
    .first<{ slug: string }>()) ?? { slug: "" };
  const json = { confirm: slug };
  await harness.call("DELETE", `/teams/${guest.teamId}`, { token: guest.token, json });
  expect((await read(harness, home.token)).lines[0]?.actor).toMatchObject({
    type: "person",
    name: "deleted",
  });
});

test("a token's last use, by whom and from where, costs no row a call", async () => {
  const [harness, { userId, teamId }] = [new Harness(), await createMember()];
  const token = await createToken(userId, { teamId });
  const rowOf = () =>
    env.DB.prepare(
      "SELECT last_used_at, last_used_from, agent_used_at FROM tokens WHERE user_id = ? ORDER BY id DESC",
    )
      .bind(userId)
      .first();
  await env.DB.prepare("UPDATE tokens SET last_used_at = NULL WHERE user_id = ?")
    .bind(userId)
    .run();
  const call = () => harness.call("GET", "/accounts", { token });
  await call();
  await harness.settle();
  expect(await rowOf()).toMatchObject({ last_used_at: START.getTime(), agent_used_at: null });
  const { costs } = await measure(harness, async () => {
    await call();
    await harness.settle();
  });
  expect(costs.rowsWritten).toBe(0);
  await callTool(harness, token, "list_accounts", {});
  await harness.settle();
  expect(await rowOf()).toMatchObject({ agent_used_at: START.getTime() });
  const { html } = await (await new Browser(harness).signIn({ userId })).get("/app/tokens");
  expect(html.match(/Used by an agent/g)).toHaveLength(1);
  expect(html).toContain("Last used");
});

const THREAD = { thread: JSON.stringify(["One", "Two"]), first_comment: "And this" };

test.each<[way: string, fields: Record<string, string>, end: string]>([
  ["is published at once", {}, "completed"],
  ["is planned", { schedule_date: "2026-12-01T09:30:00Z" }, "completed"],
  ["begins a thread", THREAD, "completed"],
  ["is published at the second try", { description: "Late [sandbox:5xx=1]" }, "completed"],
  ["fails", { description: "No luck [sandbox:unknown]" }, "failed"],
])("a post that %s costs no row of activity on its way", async (_, fields, end) => {
  const stage = await openStage("bluesky", { usual: () => ({ description: "Text" }) });
  const { result, costs } = await measure(stage.harness, () => stage.publish(fields));
  expect(result.upload.status).toBe(end);
  expect(insertsOf(costs)).toEqual([]);
});

test("a slot that fires costs no row of activity, and the post that it makes none", async () => {
  const team = await PoolTeam.make();
  const pool = await team.pool();
  await team.fill(pool.id, ["A tip"]);
  const { costs } = await measure(team.harness, () => team.runUntil("2026-12-01T09:31:00Z"));
  const { body } = await team.call("GET", "/upload");
  expect(body.data).toMatchObject([{ title: "A tip", status: "completed" }]);
  expect(insertsOf(costs)).toEqual([]);
});

test("the page says of a team without lines that they begin now", async () => {
  const [harness, member] = [new Harness(), await createMember()];
  const { html } = await (await new Browser(harness).signIn(member)).get("/app/activity");
  expect(html).toContain("There is no line yet. Changes are listed here from now on.");
});

test("the page names an account with its platform", async () => {
  const { harness, member } = await beginLife();
  const browser = await new Browser(harness).signIn(member);
  const name = await env.DB.prepare(
    "SELECT account_name FROM accounts WHERE team_id = ? AND platform = 'bluesky'",
  )
    .bind(member.teamId)
    .first<string>("account_name");
  const { html } = await browser.get("/app/activity");
  expect(html).toContain(`connected <a href="/app/accounts/`);
  expect(html).toContain(`>${name} (Bluesky)</a>`);
});
