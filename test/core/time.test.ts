import { expect, test } from "vitest";
import { addMonths, parseInstant } from "../../src/core/time.ts";

test.each([
  ["2026-12-01T09:00:00Z", "2026-12-01T09:00:00.000Z"],
  ["2026-12-01T09:00Z", "2026-12-01T09:00:00.000Z"],
  ["2026-12-01T09:00:00.123Z", "2026-12-01T09:00:00.123Z"],
  ["2026-12-01T09:00:00+01:00", "2026-12-01T08:00:00.000Z"],
  ["2026-12-01 09:00:00-0530", "2026-12-01T14:30:00.000Z"],
])("reads %s as an instant", (text, instant) => {
  expect(parseInstant(text)?.toISOString()).toBe(instant);
});

test.each([
  "2026-12-01T09:00:00",
  "2026-12-01",
  "2026-02-30T09:00:00Z",
  "2026-12-01T25:00:00Z",
  "tomorrow",
  "1764579600",
  "",
])("refuses %j, which names no instant", (text) => {
  expect(parseInstant(text)).toBeNull();
});

test.each([
  ["2026-08-31T12:00:00Z", 6, "2027-02-28T12:00:00.000Z"],
  ["2026-11-20T00:00:00Z", 6, "2027-05-20T00:00:00.000Z"],
])("%s and %i months is %s", (from, months, expected) => {
  expect(addMonths(new Date(from), months).toISOString()).toBe(expected);
});
