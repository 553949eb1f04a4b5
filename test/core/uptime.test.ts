import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../src/core/time.ts";
import { countMinute, type Minutes, uptimeAt } from "../../src/core/uptime.ts";

const START = Date.UTC(2026, 10, 1, 12);

/** Ticks every minute of the spans, in ms after the start. */
function runs(...spans: [from: number, to: number][]): Minutes {
  let minutes: Minutes | undefined;
  for (const [from, to] of spans) {
    for (let at = START + from; at < START + to; at += MINUTE) minutes = countMinute(minutes, at);
  }
  if (!minutes) throw new Error("There is no minute.");
  return minutes;
}

test.each([
  ["its first minute", runs([0, MINUTE]), 0, { percent: 100, days: 1 }],
  ["a day without a gap", runs([0, DAY]), DAY - MINUTE, { percent: 100, days: 1 }],
  [
    "an hour out of ten",
    runs([0, 5 * HOUR], [6 * HOUR, 10 * HOUR]),
    10 * HOUR - MINUTE,
    { percent: 90, days: 1 },
  ],
  ["an hour of silence until now", runs([0, HOUR]), 2 * HOUR - MINUTE, { percent: 50, days: 1 }],
  [
    "a gap that is 40 days old",
    runs([0, HOUR], [2 * DAY, 42 * DAY]),
    42 * DAY - MINUTE,
    { percent: 100, days: 30 },
  ],
  [
    "a minute missed in 40 days",
    runs([0, 39 * DAY], [39 * DAY + MINUTE, 40 * DAY]),
    40 * DAY - MINUTE,
    { percent: 99.99, days: 30 },
  ],
])("%s", (_, minutes, after, uptime) => {
  expect(uptimeAt(minutes, START + after)).toEqual(uptime);
  expect(minutes.days.length).toBeLessThanOrEqual(30);
});

test("a minute counts once, also when the clock is set back", () => {
  const hour = runs([0, HOUR]);
  expect(countMinute(hour, START)).toEqual(hour);
  expect(countMinute(hour, START + HOUR - MINUTE / 2)).toEqual(hour);
  expect(uptimeAt(hour, START - DAY)).toBeNull();
});
