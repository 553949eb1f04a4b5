import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { connectSandbox, createMember, form, Harness } from "../../support/harness.ts";
import { testPng } from "../../support/videos.ts";

const keys = async (teamId: number) =>
  (await env.MEDIA.list({ prefix: `media/${teamId}/` })).objects.map(({ key }) => key);

const DAY_MS = 86_400_000;
const THREE_TEN_MS = (3 * 60 + 10) * 60_000;

/** Storage uses real time: the next 03:10, and the same a day later. */
function nights(): Date[] {
  const real = vi.getRealSystemTime();
  const tonight = Math.floor((real - THREE_TEN_MS) / DAY_MS + 1) * DAY_MS + THREE_TEN_MS;
  return [new Date(tonight), new Date(tonight + DAY_MS)];
}

beforeEach(async () => {
  await env.DB.exec("DELETE FROM chores");
});

async function prepare() {
  const harness = new Harness();
  const member = await createMember();
  const accountId = await connectSandbox(harness, member);
  const photo = new Blob([testPng, String(member.teamId)], { type: "image/png" });
  const body = form({ accountId, status: "draft", photo });
  await harness.call("POST", "/upload", { token: member.token, body });
  const orphan = `media/${member.teamId}/${"0".repeat(32)}`;
  await env.MEDIA.put(orphan, "left behind");
  return { harness, ...member, orphan };
}

test("at night, objects that no file stands for are removed once they are a day old", async () => {
  const { harness, teamId, orphan } = await prepare();
  const before = await keys(teamId);
  expect(before).toHaveLength(2);
  const [tonight = 0, tomorrow = 0] = nights();
  vi.setSystemTime(tonight);
  await harness.tick();
  expect(await keys(teamId)).toEqual(before);

  vi.setSystemTime(tomorrow);
  await harness.tick();
  expect(await keys(teamId)).toEqual(before.filter((key) => key !== orphan));
});

test("the work of a night is done once, however often its ticks come", async () => {
  const { harness, teamId } = await prepare();
  vi.setSystemTime(nights()[1] ?? 0);
  await harness.tick();
  const late = `media/${teamId}/${"1".repeat(32)}`;
  await env.MEDIA.put(late, "left behind later");
  harness.advance(60);
  await harness.tick();
  expect(await keys(teamId)).toContain(late);
  const done = harness.logs.flatMap((entry) => ("chore" in entry ? [entry.chore] : []));
  expect(done).toContain("remove unused objects");
  expect(new Set(done).size).toBe(done.length);
});

test("by day nothing is looked for once the night's work is done; else it is made up for", async () => {
  const { harness, teamId, orphan } = await prepare();
  const [tonight = 0, tomorrow = 0] = nights();
  vi.setSystemTime(tonight);
  await harness.tick();
  harness.advance(12 * 3_600);
  await harness.tick();
  expect(await keys(teamId)).toContain(orphan);

  vi.setSystemTime(Number(tomorrow) + 12 * 3_600_000);
  await harness.tick();
  expect(await keys(teamId)).not.toContain(orphan);
});
