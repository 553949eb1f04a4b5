import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { DEFAULT_PLANS, type Plans } from "../../../src/core/plans.ts";
import { essence, isAlike, trigramsOf } from "../../../src/features/limits/content-rules.ts";
import {
  createMember,
  type Fields,
  form,
  Harness,
  harnessWith,
  START,
} from "../../support/harness.ts";
import { testPng } from "../../support/videos.ts";

const withPlans = (change: Partial<Plans>) =>
  harnessWith({ plans: { ...DEFAULT_PLANS, ...change } });
const limited = (monthlyPosts: number): Partial<Plans> => ({
  plans: { ...DEFAULT_PLANS.plans, owner: { ...DEFAULT_PLANS.plans.owner, monthlyPosts } },
});

async function onStage(harness = new Harness(), platform = "bluesky") {
  const member = await createMember();
  const { token, teamId } = member;
  const connect = async (name: string): Promise<string> => {
    const answer = await harness.call("POST", "/accounts", {
      token,
      json: { platform, sandbox: true, name: `${name} ${teamId}` },
    });
    return answer.body.data.id;
  };
  const accountId = await connect("Ada");
  return {
    harness,
    teamId,
    accountId,
    connect,
    post: (fields: Fields) =>
      harness.call("POST", "/upload", { token, body: form({ accountId, ...fields }) }),
    fill: (count: number, columns: Record<string, string | number>) =>
      env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         INSERT INTO uploads (team_id, account_id, platform, settings, media, sort_at, created_at,
           ${Object.keys(columns).join(", ")})
         SELECT ${teamId}, '${accountId}', '${platform}', '{}', '[]', ${START.getTime()}, ${START.getTime()},
           ${Object.values(columns)
             .map((value) => `'${value}'`)
             .join(", ")} FROM n`,
      ).run(),
  };
}

const COMPLETED = {
  status: "completed",
  status_group: "completed",
  counted_at: START.getTime() - 1,
};
const PENDING = { status: "pending", status_group: "pending" };

const violation = (type: string) => ({
  success: false,
  error: expect.any(String),
  message: expect.any(String),
  violations: [{ platform: "bluesky", type, message: expect.any(String) }],
});

describe("the daily cap", () => {
  test("is told with its figures (429), and does not keep a draft or a planned post away", async () => {
    const stage = await onStage(withPlans({ dailyCaps: { bluesky: 3 } }));
    await stage.fill(3, COMPLETED);
    const answer = await stage.post({ description: "One more" });
    expect(answer.status).toBe(429);
    expect(answer.body).toEqual({
      success: false,
      error: expect.stringContaining("3 posts in 24 hours on Bluesky"),
      message: expect.stringContaining("2026-12-02T08:59:59.999Z"),
      violations: [
        {
          platform: "bluesky",
          type: "hard_cap",
          message: expect.any(String),
          used_last_24h: 3,
          cap: 3,
        },
      ],
    });
    expect((await stage.post({ description: "A draft", status: "draft" })).status).toBe(200);
    const later = { description: "Later", schedule_date: "2026-12-03T09:00:00Z" };
    expect((await stage.post(later)).status).toBe(200);
  });

  test("has room again when the oldest post leaves its window", async () => {
    const stage = await onStage(withPlans({ dailyCaps: { bluesky: 1 } }));
    await stage.fill(1, COMPLETED);
    expect((await stage.post({ description: "One more" })).status).toBe(429);
    stage.harness.advance(86_400);
    expect((await stage.post({ description: "One more" })).status).toBe(200);
  });

  test("of 100 posts at once lets exactly 15 out, and failures give their places back", {
    timeout: 30_000,
  }, async () => {
    const CAP = 15;
    const stage = await onStage(withPlans({ dailyCaps: { bluesky: CAP } }));
    const { harness, accountId } = stage;
    const rows = async () => {
      const { results } = await env.DB.prepare(
        "SELECT id, status, failure_code AS code, counted_at AS countedAt FROM uploads WHERE account_id = ?",
      )
        .bind(accountId)
        .all<{ id: number; status: string; code: string | null; countedAt: number | null }>();
      return results;
    };
    const placesTaken = async () => (await rows()).filter((row) => row.countedAt !== null).length;
    /** Posts at once, with a consumer of its own for each as soon as it is queued. */
    const burst = (texts: string[]) =>
      Promise.all(
        texts.map(async (description) => {
          const answer = await stage.post({ description });
          const sent = harness.sent.splice(0);
          const consuming = Promise.all(sent.map(({ message }) => harness.consume([message])));
          expect(await placesTaken()).toBeLessThanOrEqual(CAP);
          await consuming;
          return answer;
        }),
      );

    // Every fourth is a good one, so that those before it hold places which they give back.
    await burst(
      Array.from({ length: 100 }, (_, i) =>
        i % 4 === 3 ? `Good ${i}` : `Bad ${i} [sandbox:content_flagged]`,
      ),
    );
    const codes = new Set((await rows()).map(({ code }) => code));
    expect(codes).toEqual(new Set([null, "content_flagged", "rate_limited"]));
    expect(await placesTaken()).toBeLessThan(CAP);

    await burst(Array.from({ length: 30 }, (_, i) => `Better ${i}`));
    const outcomes = await rows();
    const { results: events } = await env.DB.prepare(
      "SELECT name || ' ' || (data ->> 'uploadId') AS told FROM events WHERE team_id = ? AND name LIKE 'upload.%'",
    )
      .bind(stage.teamId)
      .all<{ told: string }>();
    const completed = outcomes.filter(({ status }) => status === "completed");
    expect([completed.length, await placesTaken()]).toEqual([CAP, CAP]);
    expect(events.map(({ told }) => told).sort()).toEqual(
      outcomes.map(({ id, status }) => `upload.${status} ${id}`).sort(),
    );
    expect(outcomes).toHaveLength(130);

    const late = await burst(Array.from({ length: 20 }, (_, i) => `Late ${i}`));
    const violation = { platform: "bluesky", type: "hard_cap", used_last_24h: CAP, cap: CAP };
    for (const { status, body } of late) {
      expect({ status, ...body }).toMatchObject({ status: 429, violations: [violation] });
    }
  });
});

describe("the plan and the queue (409)", () => {
  test("a plan without the platform", async () => {
    const owner = { ...DEFAULT_PLANS.plans.owner, platforms: ["x" as const] };
    const plans = { ...DEFAULT_PLANS.plans, owner };
    const stage = await onStage(withPlans({ plans }));
    const answer = await stage.post({ description: "Words" });
    expect(answer).toMatchObject({ status: 409, body: { code: "PLAN_LIMIT" } });
  });

  test("a month's posts: what failed or is a draft gives its place back", async () => {
    const stage = await onStage(withPlans(limited(2)));
    await stage.fill(5, { status: "failed", status_group: "failed" });
    await stage.fill(5, { status: "draft", status_group: "draft" });
    await stage.fill(1, COMPLETED);
    expect((await stage.post({ description: "The second" })).status).toBe(200);
    const answer = await stage.post({ description: "The third" });
    expect(answer).toMatchObject({ status: 409, body: { code: "PLAN_LIMIT" } });
    expect((await stage.post({ description: "A draft", status: "draft" })).status).toBe(200);
    stage.harness.advance(31 * 86_400);
    expect((await stage.post({ description: "Next month" })).status).toBe(200);
  });

  test("too many on their way, of the account and of the team", async () => {
    const stage = await onStage();
    await stage.fill(100, PENDING);
    const busy = await stage.post({ description: "One more" });
    expect(busy).toMatchObject({ status: 409, body: { code: "QUEUE_BUSY" } });
    await stage.fill(900, PENDING);
    const full = await stage.post({ description: "One more" });
    expect(full).toMatchObject({ status: 409, body: { code: "QUEUE_FULL" } });
  });
});

describe("a post that the account has had", () => {
  const LONG = "The quick brown fox jumps over the lazy dog near the old river bank today";

  test.each<[string, Fields, Fields]>([
    ["the same text", { description: "Hello" }, { description: "Hello" }],
    ["the same letters", { description: "Hello, World!" }, { description: "hello  world" }],
    ["no letters at all", { description: "🎉🎉" }, { description: "🎉🎉" }],
    ["almost the same long text", { description: LONG }, { description: `${LONG}!?` }],
    ["one word more", { description: `${LONG} ${LONG}` }, { description: `${LONG} ${LONG} x` }],
  ])("with %s is refused", async (_, first, second) => {
    const stage = await onStage();
    expect((await stage.post(first)).status).toBe(200);
    const answer = await stage.post(second);
    expect(answer).toMatchObject({ status: 400, body: violation("duplicate_content") });
  });

  test.each<[string, Fields]>([
    ["another text", { description: "Something quite different" }],
    ["another file", { description: LONG, photo: new Blob([testPng], { type: "image/png" }) }],
    ["the first half of it", { description: LONG.slice(0, 36) }],
  ])("but for %s is taken", async (_, second) => {
    const stage = await onStage();
    await stage.post({ description: LONG });
    expect((await stage.post(second)).status).toBe(200);
  });

  test("is taken after 48 hours, and again when the first one failed or is a draft", async () => {
    const stage = await onStage();
    await stage.post({ description: "Hello", status: "draft" });
    expect((await stage.post({ description: "Hello" })).status).toBe(200);
    stage.harness.advance(2 * 86_400 + 1);
    expect((await stage.post({ description: "Hello" })).status).toBe(200);
  });

  test("is one of this account alone", async () => {
    const stage = await onStage();
    const other = await stage.connect("Other");
    await stage.post({ description: "Hello" });
    expect((await stage.post({ accountId: other, description: "Hello" })).status).toBe(200);
  });

  test("planned for the same days counts too", async () => {
    const stage = await onStage();
    const at = (day: number) => `2026-12-${day}T09:00:00Z`;
    await stage.post({ description: "Hello", schedule_date: at(20) });
    const near = await stage.post({ description: "Hello", schedule_date: at(21) });
    expect(near).toMatchObject({ status: 400, body: violation("duplicate_content") });
    expect((await stage.post({ description: "Hello", schedule_date: at(23) })).status).toBe(200);
  });
});

describe("mentions and words", () => {
  test("21 mentions are too many, 20 are not", async () => {
    const stage = await onStage();
    const mentions = (count: number) => Array.from({ length: count }, (_, i) => `@a${i}`).join(" ");
    expect((await stage.post({ description: mentions(20) })).status).toBe(200);
    const answer = await stage.post({ description: `${mentions(21)} more` });
    expect(answer).toMatchObject({ status: 400, body: violation("mention_spam") });
  });

  test("one account in five posts of a day is too often; addresses are no mentions", async () => {
    const stage = await onStage();
    for (let i = 0; i < 4; i++) {
      expect((await stage.post({ description: `Post ${i} for @ada` })).status).toBe(200);
    }
    const answer = await stage.post({ description: "Post 4 for @ADA" });
    expect(answer).toMatchObject({ status: 400, body: violation("mention_spam") });
    expect((await stage.post({ description: "Write to me@ada" })).status).toBe(200);
    stage.harness.advance(86_400 + 60);
    expect((await stage.post({ description: "Post 5 for @ada" })).status).toBe(200);
  });

  test("a word of the team's blocklist is refused", async () => {
    const stage = await onStage();
    await env.DB.prepare("UPDATE teams SET blocklist = ? WHERE id = ?")
      .bind(JSON.stringify(["casino"]), stage.teamId)
      .run();
    const answer = await stage.post({ description: "Visit the CASINO tonight" });
    expect(answer).toMatchObject({ status: 400, body: violation("unsafe_content") });
    expect((await stage.post({ description: "Visit the museum" })).status).toBe(200);
  });

  test("a hashtag that the platform hides is refused by name", async () => {
    const stage = await onStage(new Harness(), "tiktok");
    const photo = new Blob([testPng], { type: "image/png" });
    const answer = await stage.post({ title: "Look #skinnytok", photo });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body.errors)).toContain("#skinnytok");
  });
});

/** Letters of which no three follow each other twice. */
const LETTERS = Array.from({ length: 92 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");

test.each<[string, string, boolean]>([
  ["abcdef", "abcdef", true],
  ["abcdef", "uvwxyz", false],
  ["abcd", "abce", false],
  ["", "", false],
  // 81 of 90, and 80 of 90.
  [LETTERS, LETTERS.slice(0, 83), true],
  [LETTERS, LETTERS.slice(0, 82), false],
  [LETTERS.slice(0, 83), LETTERS, true],
  [LETTERS.slice(0, 82), LETTERS, false],
])("whether %j and %j share nine tenths of their runs: %j", (a, b, expected) => {
  expect(isAlike(trigramsOf(a), b)).toBe(expected);
});

test.each<[string, string]>([
  ["Héllo, Wörld! 12", "héllowörld12"],
  ["ＡＢＣ①", "abc1"],
  ["👩‍👩‍👧 @you #tag", "youtag"],
])("of %j, %j is compared", (text, expected) => {
  expect(essence(text)).toBe(expected);
});
