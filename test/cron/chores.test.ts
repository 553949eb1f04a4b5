import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { Harness } from "../support/harness.ts";

const MINUTE_MS = 60_000;

beforeEach(async () => {
  await env.DB.exec("DELETE FROM chores");
});

/** Chores that came to an end at ticks from `from` on, by the minutes after it. */
async function doneAt(harness: Harness, from: string, minutes: readonly number[]) {
  const done: Record<string, number[]> = {};
  for (const minute of minutes) {
    vi.setSystemTime(Date.parse(from) + minute * MINUTE_MS);
    harness.logs.length = 0;
    await harness.tick();
    for (const entry of harness.logs) {
      if (!("chore" in entry)) continue;
      const name = String(entry.chore);
      done[name] = [...(done[name] ?? []), minute];
    }
  }
  return done;
}

const NIGHTLY = [
  "remove unused objects",
  "check credits",
  "forget old answers",
  "forget old events",
  "forget consents",
  "re-encrypt logins",
];

const EVERY_MINUTE = Array.from({ length: 60 }, (_, minute) => minute);

describe("the chores of a night", () => {
  test("are done at the first ticks of three o'clock, once", async () => {
    const harness = new Harness();
    await doneAt(harness, "2026-12-05T02:00:00Z", [0]);
    const done = await doneAt(harness, "2026-12-05T02:01:00Z", EVERY_MINUTE);
    for (const name of NIGHTLY) expect([name, done[name]]).toEqual([name, [59]]);
  });

  test.each([
    ["an instance that slept until noon", "2026-12-05T12:34:10Z"],
    ["at a full hour", "2026-12-05T09:00:00Z"],
    ["one that slept through midnight", "2026-12-06T00:10:00Z"],
    ["one that comes back just before the next", "2026-12-06T02:59:00Z"],
  ])("that were missed are made up for at the next tick: %s", async (_, at) => {
    const harness = new Harness();
    await doneAt(harness, "2026-12-04T03:00:00Z", [0]);
    const done = await doneAt(harness, at, [0, 1, 1, 2]);
    for (const name of NIGHTLY) expect(done[name]?.slice(0, 1)).toEqual([0]);
    const again = Date.parse(at) >= Date.parse("2026-12-06T02:59:00Z") ? 2 : 1;
    for (const name of NIGHTLY) expect(done[name]).toHaveLength(again);
  });

  test("are made up for once, however long the sleep was", async () => {
    const harness = new Harness();
    await doneAt(harness, "2026-12-04T03:00:00Z", [0]);
    const done = await doneAt(harness, "2027-03-01T15:00:00Z", [0, 1, 2, 3]);
    for (const name of NIGHTLY) expect([name, done[name]]).toEqual([name, [0]]);
  });

  test("that fail are tried again at the next tick", async () => {
    const harness = new Harness();
    const { media } = harness.deps;
    harness.deps.media = new Proxy(media, {
      get: (bucket, name) =>
        name === "list"
          ? () => Promise.reject(new Error("Out of order"))
          : Reflect.get(bucket, name).bind(bucket),
    });
    const at = "2026-12-05T12:34:00Z";
    const failed = await doneAt(harness, at, [0]);
    expect(failed["remove unused objects"]).toEqual([0]);
    expect(harness.logs).toContainEqual(
      expect.objectContaining({ event: "chore.failed", chore: "remove unused objects" }),
    );
    harness.deps.media = media;
    expect(await doneAt(harness, at, [1, 2])).toMatchObject({ "remove unused objects": [1] });
  });

  test("that need many ticks rest around the full hour", async () => {
    const harness = new Harness();
    // A storage with a page more at every look.
    harness.deps.media = new Proxy(harness.deps.media, {
      get: (bucket, name) =>
        name === "list"
          ? async () => {
              looks.push(new Date().getUTCMinutes());
              return { objects: [], truncated: true, cursor: `page ${looks.length}` };
            }
          : Reflect.get(bucket, name).bind(bucket),
    });
    const looks: number[] = [];
    await doneAt(harness, "2026-12-05T08:57:00Z", [0, 1, 2, 3, 4, 5, 6]);
    expect(looks).toEqual([57, 58, 2, 3]);
  });
});

const HOURLY = ["renew logins", "watch logins", "expire files"];

test("the chores of an hour begin off the full hour, and are made up for when missed", async () => {
  const harness = new Harness();
  const all = (at: number[]) => Object.fromEntries(HOURLY.map((name) => [name, at]));
  expect(await doneAt(harness, "2026-12-05T09:05:00Z", [0])).toMatchObject(all([0]));
  expect(await doneAt(harness, "2026-12-05T09:00:00Z", EVERY_MINUTE)).toMatchObject(all([17]));
  expect(await doneAt(harness, "2026-12-05T11:48:00Z", [0, 1])).toMatchObject(all([0]));
});
