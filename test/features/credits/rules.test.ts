import { expect, test } from "vitest";
import { costOfAll, creditRefusal, lessOf, periodOf } from "../../../src/features/credits/rules.ts";

const paidPosts = { reader: () => import("../../../src/platforms/x/text.ts") };

test.each<[string, number]>([
  ["", 1],
  ["Just words", 1],
  ["e.g. this, i.e. that", 1],
  ["Wait...what", 1],
  ["A sentence.Another one", 1],
  ["Version v1.2 is out, and 1.2.3 too", 1],
  ["It costs 3.14 €", 1],
  ["Write to me@example.com", 1],
  ["notes.txt and index.unknowntld", 1],
  ["@ada and #example", 1],
  ["https://example.com", 15],
  ["Look: http://example.com/a?b=c#d!", 15],
  ["(https://example.com)", 15],
  ["HTTPS://EXAMPLE.COM", 15],
  ["example.com", 15],
  ["Read example.com, now", 15],
  ["See example.co.uk.", 15],
  ["“example.shop”", 15],
  ["v1.2 is at example.dev", 15],
  ["Mail me@example.com or see example.com", 15],
  ["漢字example.comです", 15],
])("%j costs %i", async (text, cost) => {
  expect(await costOfAll(paidPosts, [{ title: text, description: null }])).toBe(cost);
});

test("what X gets is what costs: the title, else the description", async () => {
  expect(await costOfAll(paidPosts, [{ title: "Words", description: "example.com" }])).toBe(1);
  expect(await costOfAll(paidPosts, [{ title: " ", description: "example.com" }])).toBe(15);
});

test("a period is a month in UTC", () => {
  expect(periodOf(new Date("2026-11-30T23:59:59.999Z"))).toBe("2026-11");
  expect(periodOf(new Date("2026-12-01T00:00:00.000Z"))).toBe("2026-12");
});

const NOW = new Date("2026-12-31T12:00:00Z");

test.each([
  [{ monthlyAllowance: 50, includedRemaining: 10, purchased: 5 }, 15],
  [{ monthlyAllowance: 50, includedRemaining: 0, purchased: 1 }, 1],
])("%j pays for %i", (balance, cost) => {
  expect(creditRefusal(balance, cost, NOW)).toBeNull();
});

test("a refusal tells what is missing, and when there is more", () => {
  const balance = { monthlyAllowance: 50, includedRemaining: 10, purchased: 4 };
  expect(creditRefusal(balance, 15, NOW)).toBe(
    "Not enough X credits: a post with a link costs 15, and 14 are left (10 of the month's 50, 4 purchased). The included credits are back on 2027-01-01.",
  );
});

test.each([
  [0, 5, 10],
  [5, 0, 10],
  [6, 0, 9],
  [15, 0, 0],
])(
  "of 5 included and 10 purchased credits, %i spent leave %i and %i",
  (spent, includedRemaining, purchased) => {
    const balance = { monthlyAllowance: 50, includedRemaining: 5, purchased: 10 };
    expect(lessOf(balance, spent)).toEqual({ monthlyAllowance: 50, includedRemaining, purchased });
  },
);
