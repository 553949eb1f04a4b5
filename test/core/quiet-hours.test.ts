import { expect, test } from "vitest";
import { quietUntil } from "../../src/core/quiet-hours.ts";

const NIGHT = { from: "22:00", to: "07:00", timezone: "Europe/Berlin" };
const LUNCH = { from: "12:00", to: "13:30", timezone: "UTC" };

const CASES: [at: string, hours: typeof NIGHT, until: string | null][] = [
  ["2026-12-01T20:59:59Z", NIGHT, null],
  ["2026-12-01T21:00:00Z", NIGHT, "2026-12-02T06:00:00.000Z"],
  ["2026-12-02T05:59:59Z", NIGHT, "2026-12-02T06:00:00.000Z"],
  ["2026-12-02T06:00:00Z", NIGHT, null],
  // The clocks go forward in this night.
  ["2027-03-27T22:00:00Z", NIGHT, "2027-03-28T05:00:00.000Z"],
  // The clocks repeat the hour from two to three in this night: the end is its first half past two.
  ["2026-10-25T00:15:00Z", { ...NIGHT, to: "02:30" }, "2026-10-25T00:30:00.000Z"],
  ["2026-10-25T01:15:00Z", { ...NIGHT, to: "02:30" }, null],
  ["2026-12-01T12:30:00Z", LUNCH, "2026-12-01T13:30:00.000Z"],
  ["2026-12-01T13:30:00Z", LUNCH, null],
  ["2026-12-01T09:00:00Z", { ...LUNCH, from: "09:00", to: "09:00" }, null],
];

test.for(CASES)("at %s", ([at, hours, until]) => {
  expect(quietUntil(hours, new Date(at))?.toISOString() ?? null).toBe(until);
});
