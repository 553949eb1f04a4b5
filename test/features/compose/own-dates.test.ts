import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_PLANS } from "../../../src/core/plans.ts";
import {
  connectSandbox,
  createMember,
  type Fields,
  form,
  Harness,
  harnessWith,
  type Member,
} from "../../support/harness.ts";
import { photo } from "../../support/stage.ts";

const DAY_ONE = "2026-12-05T08:00:00.000Z";
const DAY_TWO = "2026-12-06T08:00:00.000Z";
const NEXT_MONTH = "2027-01-06T08:00:00.000Z";

let harness: Harness;
let owner: Member;
let accounts: string[];

async function begin(made = new Harness()): Promise<void> {
  harness = made;
  owner = await createMember();
  accounts = [
    await connectSandbox(harness, owner, "One"),
    await connectSandbox(harness, owner, "Two"),
    await connectSandbox(harness, owner, "Ada", "threads"),
  ];
}

beforeEach(() => begin());

const send = (path: string, overrides: object, fields: Fields = {}, headers = {}) => {
  const own = { accounts: JSON.stringify(accounts), overrides: JSON.stringify(overrides) };
  const body = form({ title: "Hello", description: "Hello", ...fields, ...own });
  return harness.call("POST", path, { token: owner.token, body, headers });
};

const datesOf = (list: { scheduledFor: string | null }[]) =>
  list.map(({ scheduledFor }) => scheduledFor);

const rows = async () =>
  (
    await env.DB.prepare(
      "SELECT status, scheduled_for, sort_at, due_at FROM uploads WHERE team_id = ? ORDER BY id",
    )
      .bind(owner.teamId)
      .all<{ status: string; scheduled_for: number; sort_at: number; due_at: number }>()
  ).results;

describe("scheduledFor of an override", () => {
  test("is the date of a platform or account alone; null publishes at once", async () => {
    const [one = "", two = ""] = accounts;
    const overrides = {
      bluesky: { scheduledFor: DAY_TWO },
      [one]: { scheduledFor: "2026-12-07T09:00:00+01:00" },
      threads: { scheduledFor: null },
    };
    const checked = await send("/upload/validate", overrides, { schedule_date: DAY_ONE });
    const dates = ["2026-12-07T08:00:00.000Z", DAY_TWO, null];
    expect(checked.body).toMatchObject({ valid: true });
    expect(datesOf(checked.body.targets)).toEqual(dates);
    const key = { "Idempotency-Key": "own dates" };
    const made = await send("/upload/bulk", overrides, { schedule_date: DAY_ONE }, key);
    expect(datesOf(made.body.results)).toEqual(dates);
    expect((await rows()).map(({ status }) => status)).toEqual([
      "scheduled",
      "scheduled",
      "pending",
    ]);
    const again = await send("/upload/bulk", overrides, { schedule_date: DAY_ONE }, key);
    expect(again.body).toEqual(made.body);
    expect(await rows()).toHaveLength(3);
    const other = { ...overrides, [two]: { scheduledFor: DAY_ONE } };
    expect((await send("/upload/bulk", other, { schedule_date: DAY_ONE }, key)).body.code).toBe(
      "IDEMPOTENCY_MISMATCH",
    );
  });

  test("publishes each post at its own date", async () => {
    const [one = ""] = accounts;
    const overrides = { [one]: { scheduledFor: "2026-12-01T09:00:30.000Z" } };
    await send("/upload/bulk", overrides, { schedule_date: "2026-12-01T10:00:00.000Z" });
    const statuses = async () => (await rows()).map(({ status }) => status);
    await harness.settle();
    harness.advance(35);
    await harness.drain();
    expect(await statuses()).toEqual(["completed", "scheduled", "scheduled"]);
    harness.advance(3_600);
    await harness.tick();
    await harness.drain();
    expect(await statuses()).toEqual(["completed", "completed", "completed"]);
  });

  test.each<[what: string, at: string, why: string]>([
    ["past", "2026-11-30T00:00:00Z", "must be in the future."],
    ["too far away", "2027-12-01T00:00:00Z", "must be within 6 months."],
  ])("that is %s refuses that account alone", async (_, at, why) => {
    const [one = ""] = accounts;
    const made = await send("/upload/bulk", { [one]: { scheduledFor: at } });
    const error = `overrides.${one}.scheduledFor: ${why}`;
    expect(made.body.results).toMatchObject([
      { success: false, error },
      { success: true },
      { success: true },
    ]);
    const other = { title: "Something else", description: "Something else" };
    const ofPlatform = await send("/upload/validate", { threads: { scheduledFor: at } }, other);
    expect(ofPlatform.body.errors).toMatchObject([
      { platform: "threads", error: `overrides.threads.scheduledFor: ${why}` },
    ]);
  });

  test.each([["tomorrow"], ["2026-12-05T08:00:00"], [5]])("%s is no date", async (scheduledFor) => {
    const refused = await send("/upload/bulk", { threads: { scheduledFor } });
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toMatchObject([
      { field: "overrides", message: expect.stringContaining("ISO 8601 with an offset") },
    ]);
    expect(await rows()).toEqual([]);
  });

  test.each([["account"], ["platform"]])(
    "of an %s is where its post is compared with others",
    async (by) => {
      const [one = "", two = ""] = accounts;
      accounts = [one];
      await send("/upload/bulk", {}, { schedule_date: DAY_TWO });
      accounts = [one, two];
      const key = by === "account" ? one : "bluesky";
      const made = await send("/upload/bulk", { [key]: { scheduledFor: DAY_ONE } });
      expect(made.body.results).toMatchObject([
        { success: false, error: expect.stringContaining("is the same or very similar") },
        { success: true, scheduledFor: by === "account" ? null : DAY_ONE },
      ]);
    },
  );

  test("comes after a file in the form, and counts all the same", async () => {
    const [one = ""] = accounts;
    accounts = [one];
    const fields = { photo: photo(), title: "Hello", description: "Hello" };
    const body = form({ accounts: JSON.stringify(accounts), ...fields });
    body.append("overrides", JSON.stringify({ bluesky: { scheduledFor: DAY_ONE } }));
    const made = await harness.call("POST", "/upload/bulk", { token: owner.token, body });
    expect(datesOf(made.body.results)).toEqual([DAY_ONE]);
  });
});

describe("a plan's months", () => {
  const limited = (monthlyPosts: number) => {
    const plans = { ...DEFAULT_PLANS.plans, owner: { ...DEFAULT_PLANS.plans.owner, monthlyPosts } };
    return harnessWith({ plans: { ...DEFAULT_PLANS, plans } });
  };

  test("count each post in the month of its own date", async () => {
    await begin(limited(2));
    const made = await send("/upload/bulk", { threads: { scheduledFor: NEXT_MONTH } });
    expect(made.body.results).toMatchObject(accounts.map(() => ({ success: true })));
    const more = await send(
      "/upload/bulk",
      { bluesky: { scheduledFor: NEXT_MONTH } },
      {
        title: "Another",
        description: "Another",
      },
    );
    expect(more.body.results.map(({ success }: { success: boolean }) => success)).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("are held by twenty calls at once", async () => {
    await begin(limited(5));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        send(
          "/upload/bulk",
          { threads: { scheduledFor: NEXT_MONTH } },
          {
            title: `Text number ${"abcdefghijklmnopqrst"[i]}${i * 7_919} of twenty`,
            description: `Text number ${"abcdefghijklmnopqrst"[i]}${i * 7_919} of twenty`,
          },
        ),
      ),
    );
    expect(new Set(answers.map(({ status }) => status >= 500)).has(true)).toBe(false);
    const months = Map.groupBy(await rows(), ({ sort_at }) =>
      new Date(sort_at).toISOString().slice(0, 7),
    );
    for (const posts of months.values()) expect(posts.length).toBeLessThanOrEqual(5);
  });
});
