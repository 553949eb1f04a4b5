import { describe, expect, test } from "vitest";
import { ZoneClock } from "../../../src/core/zone.ts";
import {
  dueFirings,
  firingsBetween,
  nextFiring,
  rescheduled,
  type SlotTimes,
  slotsPerDay,
} from "../../../src/features/pools/rules.ts";

const at = (text: string) => Date.parse(`${text}:00Z`);
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const NINE = { time: "09:00", days: EVERY_DAY };
const utc = new ZoneClock("UTC");

describe("what is due of a slot", () => {
  const due = { at: at("2026-12-01T09:00"), day: "2026-12-01" };

  test.each([
    ["at its minute", "2026-12-01T09:00", [false], "2026-12-02"],
    ["15 minutes late", "2026-12-01T09:15", [false], "2026-12-02"],
    ["16 minutes late: missed", "2026-12-01T09:16", [true], "2026-12-02"],
    [
      "after two days: only the last one fires",
      "2026-12-03T09:05",
      [true, true, false],
      "2026-12-04",
    ],
    [
      "after two days and an hour: none fires",
      "2026-12-03T10:00",
      [true, true, true],
      "2026-12-04",
    ],
  ])("%s", (_, now, missed, next) => {
    const found = dueFirings(utc, NINE, due, at(now));
    expect(found.firings.map(({ isMissed }) => isMissed)).toEqual(missed);
    expect(found.next?.day).toBe(next);
  });

  test("after a year of outage is recorded for the last month", () => {
    const { firings } = dueFirings(utc, NINE, due, at("2027-12-01T12:00"));
    expect(firings).toHaveLength(32);
    expect(firings.every(({ isMissed }) => isMissed)).toBe(true);
  });
});

describe("a slot that is changed", () => {
  const fired: SlotTimes = {
    nextAt: new Date(at("2026-12-02T09:00")),
    nextDay: "2026-12-02",
    lastAt: new Date(at("2026-12-01T09:00")),
    lastDay: "2026-12-01",
  };
  const waiting: SlotTimes = {
    ...fired,
    lastAt: new Date(at("2026-11-30T09:00")),
    lastDay: "2026-11-30",
  };
  const todayAtNine = {
    ...waiting,
    nextAt: new Date(at("2026-12-01T09:00")),
    nextDay: "2026-12-01",
  };

  test.each([
    [
      "to a later hour fires once today, where it has not",
      "11:00",
      "2026-12-01T08:00",
      todayAtNine,
      "2026-12-01T11:00",
    ],
    [
      "to an earlier hour fires once today, where it has not",
      "08:30",
      "2026-12-01T08:00",
      todayAtNine,
      "2026-12-01T08:30",
    ],
    [
      "to a later hour does not fire twice today",
      "11:00",
      "2026-12-01T10:00",
      fired,
      "2026-12-02T11:00",
    ],
    [
      "while it is due still fires for that",
      "08:00",
      "2026-12-01T09:00",
      todayAtNine,
      "2026-12-01T09:00",
    ],
    [
      "to an hour that has passed fires tomorrow",
      "07:00",
      "2026-12-01T08:00",
      todayAtNine,
      "2026-12-02T07:00",
    ],
  ])("%s", (_, time, now, times, next) => {
    const found = rescheduled(utc, { time, days: EVERY_DAY }, times, {
      now: new Date(at(now)),
      isNewZone: false,
    });
    expect(found.nextAt?.getTime()).toBe(at(next));
  });

  test("in its zone fires once on each day of the new one", () => {
    const now = { now: new Date(at("2026-12-01T10:00")), isNewZone: true };
    // Nine o'clock UTC was four in the morning there, on the same day.
    const newYork = rescheduled(new ZoneClock("America/New_York"), NINE, fired, now);
    expect(newYork.nextAt?.toISOString()).toBe("2026-12-02T14:00:00.000Z");
    // It was 23:00 of the first there, and it fires on the second.
    const auckland = rescheduled(new ZoneClock("Pacific/Auckland"), NINE, fired, now);
    expect(auckland.lastDay).toBe("2026-12-01");
    expect(auckland.nextAt?.toISOString()).toBe("2026-12-01T20:00:00.000Z");
    // Fired for the second in Auckland, which is the first in Honolulu: the second there is not lost.
    const east = { ...fired, lastAt: new Date(at("2026-12-01T20:00")), lastDay: "2026-12-02" };
    const honolulu = rescheduled(new ZoneClock("Pacific/Honolulu"), NINE, east, {
      now: new Date(at("2026-12-01T21:00")),
      isNewZone: true,
    });
    expect(honolulu.nextAt?.toISOString()).toBe("2026-12-02T19:00:00.000Z");
  });

  /** A small generator with a seed, so that a failure is the same again. */
  const random = (seed: number) => {
    let state = seed;
    return (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
  };

  test("a thousand times, in zone and hour, never fires twice on a local day nor passes over one", () => {
    const pick = random(7);
    const zones = ["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"];
    let zone = new ZoneClock("UTC");
    let recurrence = NINE;
    let now = at("2026-01-01T00:00");
    const first = nextFiring(zone, recurrence, { after: now, lastDay: null });
    let times: SlotTimes = {
      ...{ nextAt: first && new Date(first.at), nextDay: first?.day ?? null },
      ...{ lastAt: null, lastDay: null },
    };
    for (let edit = 0; edit < 1_000; edit++) {
      const until = now + pick(3 * 1_440) * 60_000;
      while (times.nextAt && times.nextAt.getTime() <= until) {
        now = times.nextAt.getTime();
        const { firings, next } = dueFirings(
          zone,
          recurrence,
          { at: now, day: times.nextDay ?? "" },
          now,
        );
        expect(firings).toHaveLength(1);
        if (times.lastAt) expect(zone.dayAt(now) > zone.dayAt(times.lastAt.getTime())).toBe(true);
        times = {
          ...{ lastAt: new Date(now), lastDay: firings[0]?.day ?? null },
          ...{ nextAt: next && new Date(next.at), nextDay: next?.day ?? null },
        };
      }
      now = until;
      const isNewZone = pick(2) === 0;
      if (isNewZone) zone = new ZoneClock(zones[pick(zones.length)] as string);
      // Off the hours that are skipped: there the day of the firing may be the next.
      const hour = String(4 + pick(18)).padStart(2, "0");
      recurrence = { ...NINE, time: `${hour}:00` };
      times = rescheduled(zone, recurrence, times, { now: new Date(now), isNewZone });
      const today = zone.dayAt(now);
      const isStillToCome = zone.instantOf(today, recurrence.time).at > now;
      const hasFired = times.lastDay !== null && times.lastDay >= today;
      if (isStillToCome && !hasFired) expect(times.nextDay).toBe(today);
    }
  });
});

test("the firings of a week are those of its days", () => {
  const weekdays = { time: "09:00", days: [1, 2, 3, 4, 5] };
  const found = firingsBetween(utc, weekdays, {
    ...{ after: at("2026-11-30T00:00"), until: at("2026-12-07T00:00"), lastDay: null },
  });
  expect(found.map(({ day }) => day)).toEqual([
    ...["2026-11-30", "2026-12-01", "2026-12-02", "2026-12-03", "2026-12-04"],
  ]);
  expect(slotsPerDay([weekdays, { days: [0, 6] }])).toBe(1);
});
