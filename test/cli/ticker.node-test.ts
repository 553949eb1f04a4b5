import assert from "node:assert/strict";
import { test } from "node:test";
import { minuteOf, nextTick } from "../../src/cli/ticker.ts";

const at = (time: string): number => Date.parse(`2026-11-20T${time}Z`);

test("an instant lies in the minute that has begun", () => {
  assert.equal(minuteOf(at("10:30:59.999")), at("10:30:00"));
  assert.equal(minuteOf(at("10:31:00")), at("10:31:00"));
});

const cases: [string, string, string, string][] = [
  ["the next boundary", "10:30:00", "10:30:12.5", "10:31:00"],
  ["a whole minute after a tick in time", "10:30:00", "10:30:00", "10:31:00"],
  ["no minute twice, though the timer fires early", "10:31:00", "10:30:59.998", "10:32:00"],
  ["nothing of what the machine slept through", "10:30:00", "12:45:10", "12:46:00"],
];
for (const [what, last, now, next] of cases) {
  test(`ticks for ${what}`, () => {
    assert.equal(nextTick(at(last), at(now)), at(next));
  });
}
