import { describe, expect, test } from "vitest";
import { addDays, formatOffset, ZoneClock } from "../../src/core/zone.ts";
import { nextFiring } from "../../src/features/pools/rules.ts";
import { loadOf } from "../support/load.ts";

const DAY_MS = 86_400_000;
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const iso = (at: number) => new Date(at).toISOString();

/** Formats a wall time independently of the code under test. */
const wallFormats = new Map<string, Intl.DateTimeFormat>();
function wallTime(zone: string, at: number): string {
  const format =
    wallFormats.get(zone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  wallFormats.set(zone, format);
  return format.format(at).replace(" ", "T");
}

describe("the instant of a wall time", () => {
  test.each([
    ["Europe/Paris", "2027-03-28", "02:30", "2027-03-28T01:00:00.000Z", "skipped_hour"],
    ["Europe/Paris", "2027-10-31", "02:30", "2027-10-31T00:30:00.000Z", "repeated_hour"],
    ["Europe/Paris", "2027-10-31", "03:00", "2027-10-31T02:00:00.000Z", null],
    ["Europe/Paris", "2027-03-28", "03:00", "2027-03-28T01:00:00.000Z", null],
    ["America/New_York", "2027-03-14", "02:00", "2027-03-14T07:00:00.000Z", "skipped_hour"],
    ["America/New_York", "2027-11-07", "01:59", "2027-11-07T05:59:00.000Z", "repeated_hour"],
    // Half an hour is skipped and repeated.
    ["Australia/Lord_Howe", "2027-10-03", "02:15", "2027-10-02T15:30:00.000Z", "skipped_hour"],
    ["Australia/Lord_Howe", "2027-04-04", "01:45", "2027-04-03T14:45:00.000Z", "repeated_hour"],
    ["Asia/Kathmandu", "2028-02-29", "09:00", "2028-02-29T03:15:00.000Z", null],
    // The clocks change at midnight.
    ["Africa/Cairo", "2027-04-30", "00:30", "2027-04-29T22:00:00.000Z", "skipped_hour"],
    ["America/Havana", "2027-11-07", "00:30", "2027-11-07T04:30:00.000Z", "repeated_hour"],
    // The hour before midnight is skipped, so the first valid minute is tomorrow's.
    ["America/Scoresbysund", "2027-03-27", "23:30", "2027-03-28T01:00:00.000Z", "skipped_hour"],
    ["UTC", "2027-01-01", "00:00", "2027-01-01T00:00:00.000Z", null],
  ])("in %s on %s at %s is %s (%s)", (zone, day, time, at, rule) => {
    const instant = new ZoneClock(zone).instantOf(day, time);
    expect({ at: iso(instant.at), rule: instant.rule }).toEqual({ at, rule });
  });

  test("has an offset as ISO 8601 writes it", () => {
    const at = Date.parse("2027-07-01T12:00:00Z");
    const offsets = ["Asia/Kathmandu", "America/St_Johns", "UTC", "Europe/Paris"].map((zone) =>
      formatOffset(new ZoneClock(zone).offsetAt(at)),
    );
    expect(offsets).toEqual(["+05:45", "-02:30", "+00:00", "+02:00"]);
  });
});

/** Days that differ from the one before are always compared with the runtime, others this rarely. */
const COMPARED_EVERY = 9;

/** Follows a slot's firings, one per local day, and compares them with the zone's clocks. */
function follow(zone: string, time: string, from: number, days: number): number {
  const clock = new ZoneClock(zone);
  let last = nextFiring(clock, { time, days: EVERY_DAY }, { after: from, lastDay: null });
  let special = 0;
  for (let i = 1; i < days; i++) {
    if (!last) throw new Error(`${zone} ${time} fires no more`);
    const next = nextFiring(
      clock,
      { time, days: EVERY_DAY },
      { after: last.at, lastDay: last.day },
    );
    if (!next || next.at <= last.at || next.day !== addDays(last.day, 1)) {
      throw new Error(`${zone} ${time}: ${JSON.stringify([last, next])}`);
    }
    const isCompared =
      next.rule !== null || next.at - last.at !== DAY_MS || i % COMPARED_EVERY === 0;
    const wall = isCompared ? wallTime(zone, next.at) : `${next.day}T${time}`;
    if (next.rule === "skipped_hour") {
      special++;
      // The gap lies between this minute and the one before.
      if (
        wall <= `${next.day}T${time}` ||
        wallTime(zone, next.at - 60_000) >= `${next.day}T${time}`
      ) {
        throw new Error(`${zone} ${time} ${next.day} skipped: ${wall}`);
      }
    } else if (wall !== `${next.day}T${time}`) {
      throw new Error(`${zone} ${time} ${next.day}: ${wall}`);
    }
    if (next.rule === "repeated_hour") special++;
    last = next;
  }
  return special;
}

const MANY_YEARS = loadOf(1, 10);
const SOME_YEARS = loadOf(2, 5);

const TIMES = ["02:30", "00:00", "23:30", "00:30", "01:15", "03:00", "12:00", "23:59"];

test(`a slot fires once for every local day of ${SOME_YEARS} years in eight zones, none twice, none missing`, () => {
  const zones = [
    ...["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"],
    ...["America/Havana", "Africa/Casablanca", "America/Scoresbysund", "Pacific/Chatham"],
  ];
  const from = Date.parse("2024-01-01T00:00:00Z");
  for (const zone of zones) for (const time of TIMES) follow(zone, time, from, SOME_YEARS * 366);
  expect(follow("Europe/Paris", "02:30", from, SOME_YEARS * 366)).toBe(2 * SOME_YEARS);
}, 120_000);

test(`a slot fires once for every local day in spring and autumn of ${MANY_YEARS} years in every zone`, () => {
  const zones = Intl.supportedValuesOf("timeZone");
  expect(zones.length).toBeGreaterThan(400);
  // Months with changes of clocks, except Ramadan's.
  const months: [month: string, days: number][] = [
    ["03-01", 62],
    ["09-01", 72],
  ];
  let special = 0;
  for (const [i, zone] of zones.entries()) {
    for (let year = 2026; year < 2026 + MANY_YEARS; year++) {
      const time = TIMES[(i + year) % TIMES.length] as string;
      for (const [month, days] of months) {
        special += follow(zone, time, Date.parse(`${year}-${month}T00:00:00Z`), days);
      }
    }
  }
  console.log(
    `${zones.length} zones, ${MANY_YEARS} years: ${special} firings at a change of the clocks.`,
  );
}, 240_000);

test("where the clocks are changed, every minute of the day has the instant that the runtime tells", () => {
  for (const zone of [
    "Europe/Paris",
    "Australia/Lord_Howe",
    "America/Scoresbysund",
    "Africa/Cairo",
  ]) {
    const clock = new ZoneClock(zone);
    const start = Date.parse("2027-01-01T00:00:00Z");
    for (let at = start; at < start + 365 * DAY_MS; at += DAY_MS) {
      if (clock.offsetAt(at) === clock.offsetAt(at + DAY_MS)) continue;
      const firsts = new Map<string, number>();
      for (let minute = at - DAY_MS; minute < at + 2 * DAY_MS; minute += 60_000) {
        const wall = wallTime(zone, minute);
        if (!firsts.has(wall)) firsts.set(wall, minute);
      }
      for (const day of [clock.dayAt(at), addDays(clock.dayAt(at), 1)]) {
        for (let minute = 0; minute < 1_440; minute++) {
          const time = new Date(minute * 60_000).toISOString().slice(11, 16);
          const { at: instant, rule } = clock.instantOf(day, time);
          const first = firsts.get(`${day}T${time}`);
          if (first === undefined ? rule !== "skipped_hour" : instant !== first) {
            throw new Error(`${zone} ${day} ${time}: ${iso(instant)}, ${first && iso(first)}`);
          }
        }
      }
    }
  }
}, 60_000);
