import assert from "node:assert/strict";
import { test } from "node:test";
import { withOffset } from "../../src/n8n/nodes/Akimbo/shared/dates.ts";

const ROWS: [date: string, zone: string, expected: string][] = [
  ["2026-12-24T18:00:00", "Europe/Berlin", "2026-12-24T17:00:00.000Z"],
  ["2026-07-01 09:30:00", "Europe/Berlin", "2026-07-01T07:30:00.000Z"],
  ["2026-12-24T18:00", "America/New_York", "2026-12-24T23:00:00.000Z"],
  ["2026-12-24T18:00:00", "Asia/Kolkata", "2026-12-24T12:30:00.000Z"],
  ["2026-12-24T18:00:00", "UTC", "2026-12-24T18:00:00.000Z"],
  // Hours around both changes of clocks.
  ["2027-03-28T01:59:00", "Europe/Berlin", "2027-03-28T00:59:00.000Z"],
  ["2027-03-28T03:00:00", "Europe/Berlin", "2027-03-28T01:00:00.000Z"],
  ["2026-10-25T03:30:00", "Europe/Berlin", "2026-10-25T02:30:00.000Z"],
  ["2026-10-25T01:30:00", "Europe/Berlin", "2026-10-24T23:30:00.000Z"],
  // Left as they are.
  ["2026-12-24T18:00:00+01:00", "Asia/Kolkata", "2026-12-24T18:00:00+01:00"],
  ["2026-12-24T18:00:00.000Z", "Asia/Kolkata", "2026-12-24T18:00:00.000Z"],
  ["tomorrow", "UTC", "tomorrow"],
];

test("a local date gets the offset of the workflow's time zone", () => {
  for (const [date, zone, expected] of ROWS) assert.equal(withOffset(date, zone), expected, date);
});
