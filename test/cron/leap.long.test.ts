import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { moveClock, now, releaseClock } from "../../src/core/clock.ts";
import type { Platform } from "../../src/core/platforms.ts";
import { connectMeasured, MEASURED, measuredPost } from "../platforms/measured.ts";
import { createMember, form, Harness, harnessWith, type Member } from "../support/harness.ts";

let harness: Harness;
let owner: Member;

const forget = () =>
  env.DB.batch(
    ["DELETE FROM chores", "UPDATE accounts SET deleted_at = 1"].map((sql) => env.DB.prepare(sql)),
  );

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  await forget();
});

afterEach(async () => {
  releaseClock();
  moveClock(0);
  await forget();
});

const send = async (path: string, body: object, to = harness) => {
  const init = { method: "POST", body: JSON.stringify(body) };
  const reply = await to.request(`/sandbox/api/${path}`, init);
  return { status: reply.status, body: await reply.json<Record<string, unknown>>() };
};
const leapTo = (at: string, ticks = 1) => send("clock", { at, ticks });

const connect = (platform: Platform) => connectMeasured(harness, owner, platform);

async function plan(accountId: string, platform: Platform, at: string): Promise<number> {
  const fields = await measuredPost(owner, platform, "Ours");
  const body = form({ ...fields, accountId, schedule_date: at });
  const answer = await harness.call("POST", "/upload", { token: owner.token, body });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.uploadId;
}

const read = async (path: string) =>
  (await harness.call("GET", path, { token: owner.token })).body.data;

test.each(MEASURED)(
  "a leap publishes what is due on %s, and a night's measures it, with what was posted by hand",
  async (platform, { hasOthers, instantMs }) => {
    const id = await connect(platform);
    const uploadId = await plan(id, platform, "2026-12-01T18:00:00Z");
    expect((await leapTo("2026-12-01T18:00:00Z")).status).toBe(200);
    expect(await read(`/upload/${uploadId}`)).toMatchObject({ status: "completed" });

    const at = "2026-12-02T12:00:00.000Z";
    const text = "By hand #home";
    expect((await send("posts", { at, accountId: id, text })).status).toBe(200);
    expect(now().toISOString().slice(0, 16)).toBe("2026-12-02T12:00");
    await leapTo("2026-12-03T03:05:00Z", 6);
    await leapTo("2026-12-04T03:05:00Z", 6);

    const { videos, dailyHistory, syncErrors } = await read(`/analytics/${id}`);
    expect(syncErrors).toEqual([]);
    expect(dailyHistory.at(-1)).toMatchObject({ date: "2026-12-04" });
    const ours = { source: "mut", uploadId };
    const publishedAt = instantMs === 1 ? at : expect.stringMatching(/^2026-12-02T12:00:00/);
    const byHand = { source: "external", uploadId: null, title: text, publishedAt };
    expect(videos).toMatchObject(hasOthers ? [byHand, ours] : [ours]);
    expect(videos[0].url).toMatch(/^https:/);
    expect(videos[0].likes + videos[0].shares).toBeGreaterThan(0);
  },
  60_000,
);

test("a leap never goes back, and the clock runs on from where it came to", async () => {
  expect(await leapTo("2026-12-03T10:00:00Z")).toMatchObject({
    status: 200,
    body: { success: true, now: "2026-12-03T10:00:00.000Z" },
  });
  harness.advance(60);
  expect(await leapTo("2026-12-01T10:00:00Z")).toMatchObject({
    body: { now: "2026-12-03T10:01:00.000Z" },
  });
  expect(await leapTo("2026-12-04T10:00:00Z", 3)).toMatchObject({
    body: { now: "2026-12-04T10:02:00.000Z" },
  });
});

test("a leap ends within three minutes, and leaves what is due later to its time", async () => {
  const id = await connect("bluesky");
  const fields = { accountId: id, description: "Later [sandbox:5xx=3]" };
  const body = form({ ...fields, schedule_date: "2026-12-05T18:00:00Z" });
  const answer = await harness.call("POST", "/upload", { token: owner.token, body });
  const { uploadId } = answer.body.data;
  const leap = await leapTo("2026-12-05T18:00:00Z", 3);
  expect(Date.parse(String(leap.body.now))).toBeLessThanOrEqual(Date.parse("2026-12-05T18:03:00Z"));
  expect(await read(`/upload/${uploadId}`)).toMatchObject({ status: "processing" });
  await leapTo("2026-12-05T18:30:00Z");
  expect(await read(`/upload/${uploadId}`)).toMatchObject({ status: "completed" });
});

test.each([
  ["clock", { at: "tomorrow" }],
  ["clock", { at: "2026-12-03T10:00:00Z", ticks: 0 }],
  ["clock", { at: "2026-12-03T10:00:00Z", ticks: 61 }],
  ["clock", { at: "2026-12-03T10:00:00Z", offsetSeconds: 60 }],
  ["posts", { accountId: "acc_1" }],
  ["posts", { accountId: "acc_1", text: "" }],
  ["posts", { accountId: "acc_1", text: "x".repeat(281) }],
  ["posts", { accountId: "acc_1", text: "Hello", at: 5 }],
])("POST /sandbox/api/%s refuses %o (400)", async (path, body) => {
  expect((await send(path, body)).status).toBe(400);
});

test("an account without a post has none by hand (404)", async () => {
  expect(await send("posts", { accountId: await connect("x"), text: "Hello" })).toMatchObject({
    ...{ status: 404, body: { success: false } },
  });
});

test("in production neither call exists (404)", async () => {
  const production = harnessWith({ isDevelopment: false, sandboxEnabled: true });
  const at = "2026-12-03T10:00:00Z";
  expect((await send("clock", { at }, production)).status).toBe(404);
  expect((await send("posts", { accountId: "acc_1", text: "Hello" }, production)).status).toBe(404);
});
