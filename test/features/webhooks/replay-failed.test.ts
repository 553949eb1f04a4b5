import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { forgetSlow } from "../../../src/features/webhooks/round.ts";
import { fails, Hooks, succeeds } from "../../support/hooks.ts";

let hooks: Hooks;
let id: number;

const HOURS_MS = 3_600_000;

beforeEach(async () => {
  forgetSlow();
  hooks = await Hooks.open();
  ({ id } = await hooks.subscribe());
});

const ago = (hours: number): string =>
  new Date(hooks.harness.deps.now().getTime() - hours * HOURS_MS).toISOString();

const replay = async (since: unknown, webhook = id) =>
  hooks.call("POST", `/webhooks/${webhook}/replay-failed`, { since });

const replayed = async (hours: number): Promise<number> => {
  const { status, body } = await replay(ago(hours));
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.replayed;
};

/** An event whose six attempts fail. */
async function exhaust(): Promise<void> {
  hooks.reply = fails;
  await hooks.suggest();
  await hooks.harness.drainEvents();
  hooks.reply = succeeds;
}

describe("events that failed", () => {
  test("are sent again with their own ids, and arrive", async () => {
    await exhaust();
    await exhaust();
    const ids = new Set(hooks.arrivals.map(({ eventId }) => eventId));
    expect(ids.size).toBe(2);
    hooks.arrivals.length = 0;
    expect(await replayed(24 * 30)).toBe(2);
    await hooks.harness.drainEvents();
    expect(hooks.arrivals.map(({ eventId }) => eventId)).toEqual([...ids]);
    expect(await replayed(24 * 30)).toBe(0);
  });

  test("are sent once by two calls at the same time", async () => {
    await exhaust();
    const answers = await Promise.all([replayed(24), replayed(24), replayed(24)]);
    expect(answers.sort()).toEqual([0, 0, 1]);
  });

  test("before the time are left", async () => {
    await exhaust();
    hooks.harness.advance(3 * 3_600);
    expect(await replayed(1)).toBe(0);
    expect(await replayed(24)).toBe(1);
  });

  test("that are tried again anyway are left, also when one replay fails", async () => {
    hooks.reply = fails;
    await hooks.suggest();
    await hooks.harness.deliverEvents();
    expect(await hooks.count("deliveries")).toBe(1);
    expect(await replayed(24)).toBe(0);
    await hooks.harness.drainEvents();
    expect(await replayed(24)).toBe(1);
    await hooks.harness.deliverEvents();
    expect(await replayed(24)).toBe(0);
  });

  test("are 500 a call at most, the oldest first", async () => {
    const at = hooks.harness.deps.now().getTime();
    const hex = at.toString(16).padStart(12, "0");
    await env.DB.batch([
      env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
          INSERT INTO events (team_id, id, name, data, created_at)
          SELECT ?1, 'evt_failed_' || printf('%04d', i), 'suggestion.created', '{}', ?2 FROM n`,
      ).bind(hooks.member.teamId, at),
      env.DB.prepare(`DELETE FROM deliveries WHERE team_id = ?`).bind(hooks.member.teamId),
      env.DB.prepare(
        `INSERT INTO attempts (webhook_id, id, team_id, event_id, event, attempt, success, duration_ms, created_at)
          SELECT ?1, 'dlv_${hex}' || printf('%016d', row_number() OVER (ORDER BY id)), team_id, id, name, 6, 0, 5, ?3
          FROM events WHERE team_id = ?2 AND id LIKE 'evt_failed_%'`,
      ).bind(id, hooks.member.teamId, at),
    ]);
    expect(await replayed(1)).toBe(500);
    const first = env.DB.prepare(
      "SELECT min(event_id) AS first, max(event_id) AS last FROM deliveries WHERE team_id = ?",
    );
    expect(await first.bind(hooks.member.teamId).first()).toEqual({
      first: "evt_failed_0001",
      last: "evt_failed_0500",
    });
    expect(await replayed(1)).toBe(200);
    await env.DB.prepare("DELETE FROM deliveries WHERE team_id = ?")
      .bind(hooks.member.teamId)
      .run();
    await env.DB.prepare("DELETE FROM events WHERE id LIKE 'evt_failed_%'").run();
  });
});

test("a ping that failed is no event", async () => {
  hooks.reply = fails;
  await hooks.call("POST", `/webhooks/${id}/test`);
  await hooks.harness.drainEvents();
  expect(await replayed(24)).toBe(0);
});

describe("is refused", () => {
  test("for a webhook that is off, of another team, or of nobody", async () => {
    await hooks.call("PATCH", `/webhooks/${id}`, { isActive: false });
    expect(await replay(ago(1))).toMatchObject({ status: 409, body: { code: "WEBHOOK_DISABLED" } });
    const other = await Hooks.open();
    const { id: foreign } = await other.subscribe();
    expect((await replay(ago(1), foreign)).status).toBe(404);
    expect((await replay(ago(1), 999_999)).status).toBe(404);
  });

  test.each([
    ["yesterday"],
    ["2026-11-24"],
    ["2026-11-24T10:00:00"],
    [1_790_000_000_000],
    [null],
    [undefined],
  ])("since %j", async (since) => {
    const { status, body } = await replay(since);
    expect(status).toBe(400);
    expect(body.errors?.[0]?.field ?? body.message).toContain("since");
  });
});
