import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { yearOf } from "../../costs/years.ts";
import { ended, idsInDatabase, moveAll } from "../../support/archive.ts";
import { form } from "../../support/harness.ts";
import { beginLife, type Life } from "../../support/life.ts";
import { Browser } from "../../support/person.ts";
import { photo } from "../../support/stage.ts";
import { Visits } from "../../support/visits.ts";

let life: Life;

beforeEach(async () => {
  life = await beginLife();
});

/** Old posts, and a newest one that stays. */
const plant = async (count = 3): Promise<number[]> => {
  const ids = await life.insertMany(
    Array.from({ length: count }, (_, i) => ended(`2025-03-0${i + 1}T10:00:00Z`)),
  );
  await life.insert({ status: "draft" });
  return ids;
};

test("figures of an account are the same before and after its posts move", async () => {
  const [post = 0] = await plant();
  const { series, summary, posts } = yearOf();
  const { teamId } = life.member;
  await env.DB.batch([
    env.DB.prepare("INSERT INTO analytics VALUES (?, ?, 1, NULL, NULL, ?, '[]', ?, ?)").bind(
      teamId,
      life.accountId,
      Date.now(),
      series,
      summary,
    ),
    env.DB.prepare("INSERT INTO analytics_posts VALUES (?, ?, ?)").bind(
      teamId,
      life.accountId,
      posts.replace('"uploadId":1', `"uploadId":${post}`),
    ),
  ]);
  const figures = async () => {
    const paths = ["/analytics/overview", `/analytics/accounts/${life.accountId}`];
    const answers = await Promise.all(paths.map((path) => life.call("GET", path)));
    return answers.map(({ status, body }) => ({ status, data: body.data }));
  };
  const before = await figures();
  expect(before[0]?.status).toBe(200);
  await moveAll(life.harness);
  expect(await idsInDatabase(teamId)).toHaveLength(1);
  expect(await figures()).toEqual(before);
});

test("a short link goes on redirecting and counting", async () => {
  await plant();
  const { body } = await life.call("POST", "/short-links", { url: "https://example.com/spring" });
  await moveAll(life.harness);
  const visits = new Visits(life.harness);
  expect(await visits.follow(body.shortUrl)).toBe("https://example.com/spring");
  await visits.deliver();
  expect((await life.call("GET", `/short-links/${body.id}`)).body.clicks).toBe(1);
});

test("credits, the calendar, activity and review pages of old posts answer as before", async () => {
  const [post = 0] = await plant();
  const { teamId, userId } = life.member;
  await env.DB.batch([
    env.DB.prepare("INSERT INTO credit_ledger VALUES (?, ?, 'debit', '2025-03', 1, 0, 5)").bind(
      teamId,
      `job_${post}_1`,
    ),
    env.DB.prepare(
      "INSERT INTO review_links (team_id, upload_ids, created_by, created_at, expires_at) VALUES (?, ?, ?, 0, 1)",
    ).bind(teamId, JSON.stringify([post]), userId),
  ]);
  const credits = await life.call("GET", "/x-credits");
  await moveAll(life.harness);
  expect((await life.call("GET", "/x-credits")).body).toEqual(credits.body);
  const calendar = await life.call(
    "GET",
    "/calendar?startDate=2025-03-01T00:00:00Z&endDate=2025-03-31T00:00:00Z",
  );
  expect(calendar.status).toBeLessThan(500);
  const browser = await new Browser(life.harness).signIn(life.member);
  for (const path of [
    "/app",
    "/app/uploads",
    "/app/activity",
    "/app/calendar",
    "/app/calendar?month=2025-03",
    "/app/reviews",
    "/app/analytics",
    `/app/accounts/${life.accountId}`,
    `/app/compose?upload=${post}`,
    "/app/media",
  ]) {
    expect((await browser.get(path)).status, path).toBeLessThan(500);
  }
  const made = await life.call("POST", "/upload/review-links", { uploadIds: [post] });
  expect(made.status).toBe(404);
});

test("a pool whose item goes out again and again keeps its turns when old posts move", async () => {
  const { harness, member, accountId } = life;
  const slots = [{ time: "09:00", days: [1], accountIds: [accountId] }];
  const { body } = await life.call("POST", "/pools", { name: "Tips", timezone: "UTC", slots });
  const poolId = body.pool.id;
  await harness.call("POST", `/pools/${poolId}/videos`, {
    token: member.token,
    body: form({
      title: "Tip",
      photo: photo(),
      repeat: JSON.stringify({ every: { days: 30 }, times: 9 }),
    }),
  });
  const [post = 0] = await plant(1);
  await env.DB.prepare(
    `UPDATE pool_items SET first_upload_id = ?1, last_upload_id = ?1, dispatches = 4,
      last_local = '2025-03-01 09:00' WHERE pool_id = ?2`,
  )
    .bind(post, poolId)
    .run();
  const read = async () => {
    const paths = ["", "/videos", "/preview", "/capacity"];
    const answers = await Promise.all(
      paths.map((path) => life.call("GET", `/pools/${poolId}${path}`)),
    );
    return answers.map(({ status, body }) => ({ status, body }));
  };
  const before = await read();
  expect(before.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await moveAll(harness);
  expect(await idsInDatabase(member.teamId)).toHaveLength(1);
  expect(await read()).toEqual(before);
  const browser = await new Browser(harness).signIn(member);
  expect((await browser.get(`/app/pools/${poolId}`)).status).toBe(200);
});
