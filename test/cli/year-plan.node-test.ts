import assert from "node:assert/strict";
import { test } from "node:test";
import { planYear } from "../../src/cli/year-plan.ts";
import { PLATFORMS } from "../../src/core/platforms.ts";
import { DAY } from "../../src/core/time.ts";

const FROM = new Date("2025-11-23T00:00:00Z");
const year = planYear(1, FROM, 365);

test("the same seed plans the same year, another one another", () => {
  assert.deepEqual(planYear(1, FROM, 365), year);
  assert.notDeepEqual(planYear(2, FROM, 365).posts, year.posts);
});

test("every platform has a post on the first day, and posts by hand later", () => {
  const first = year.posts.filter(({ at }) => at.getTime() < FROM.getTime() + DAY);
  assert.deepEqual(first.flatMap(({ platforms }) => platforms).sort(), [...PLATFORMS].sort());
  const byHand = year.handPosts.map(({ platform }) => platform);
  assert.deepEqual([...new Set(byHand)].sort(), [...PLATFORMS].sort());
});

test("no two texts are the same, and each fits every platform", () => {
  const texts = [...year.posts, ...year.handPosts].map(({ text }) => text);
  assert.equal(new Set(texts).size, texts.length);
  for (const text of texts) assert.ok(text.length > 0 && text.length <= 200, text);
});

test("posts stand in the order of time, within the year", () => {
  for (const posts of [year.posts, year.handPosts]) {
    const times = posts.map(({ at }) => at.getTime());
    assert.deepEqual(
      times.toSorted((a, b) => a - b),
      times,
    );
    assert.ok(Math.min(...times) >= FROM.getTime());
    assert.ok(Math.max(...times) < FROM.getTime() + 365 * DAY);
  }
});

test("a business posts a few times a week, some of it with hashtags, more on Wednesdays than on Sundays", () => {
  assert.ok(year.posts.length > 120 && year.posts.length < 220, String(year.posts.length));
  assert.ok(year.posts.some(({ text }) => text.includes("#")));
  assert.ok(year.posts.some(({ text }) => !text.includes("#")));
  const on = (weekday: number) => year.posts.filter(({ at }) => at.getUTCDay() === weekday).length;
  assert.ok(on(3) > on(0));
});
