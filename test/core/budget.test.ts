import { describe, expect, test } from "vitest";
import { Budget, type SharedBudget, shareBudget } from "../../src/core/budget.ts";

const FREE = 50;
const HAND_OVER = 2;

const never = () => new Promise<void>(() => {});

function stage({
  calls = FREE,
  messages = 5,
  wait = never as (ms: number) => Promise<void>,
  isDevelopment = false,
} = {}) {
  let at = 0;
  const now = () => new Date(at);
  const budget = shareBudget({ calls, jobs: messages, isDevelopment, now, wait });
  return {
    budget,
    advance: (seconds: number) => {
      at += seconds * 1_000;
    },
  };
}

test("a budget allows as many calls as remain", () => {
  const budget = new Budget(2);
  expect([budget.allows(2), budget.allows(3)]).toEqual([true, false]);
  budget.spend();
  expect([budget.remaining, budget.allows(1), budget.allows(2)]).toEqual([1, true, false]);
});

test("a larger limit leaves the jobs of a batch more calls", async () => {
  const { budget } = stage({ calls: 10_000, messages: 100 });
  expect(await budget.within(9_801, spending(0))).toBeNull();
  expect(await budget.within(9_800, spending(0))).toBe("done");
});

/** A step that spends so much and ends. */
const spending = (count: number) => async (spend: () => void) => {
  for (let i = 0; i < count; i++) spend();
  return "done" as const;
};

/** A step that asks for more, and spends that. */
const growing =
  (count: number) =>
  async (spend: () => void, more = (_: number) => false) => {
    const hasRoom = more(count);
    for (let i = 0; hasRoom && i < count; i++) spend();
    return hasRoom;
  };

/** A step that ends when it is told to. */
function held(budget: SharedBudget, calls: number) {
  const { promise, resolve } = Promise.withResolvers<number>();
  let hasBegun = false;
  const result = budget.within(calls, async (spend) => {
    hasBegun = true;
    for (let left = await promise; left > 0; left--) spend();
    return "done" as const;
  });
  return { result, end: (spent: number) => resolve(spent), hasBegun: () => hasBegun };
}

/** Lets everything happen that can. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

test.each([
  ["in production four minutes", false, 239],
  ["in development 15 seconds, for the local queue waits for the whole batch", true, 14],
])("%s after its begin, a batch begins no step", async (_, isDevelopment, seconds) => {
  const { budget, advance } = stage({ isDevelopment });
  advance(seconds);
  expect(await budget.within(1, spending(1))).toBe("done");
  advance(1);
  expect(await budget.within(1, spending(1))).toBeNull();
});

describe("with nothing in flight", () => {
  test.each([
    ["are left", 8, 32, true, 8],
    ["are not left", 8, 33, false, 40],
  ])("a step gets more calls where they %s", async (_, calls, more, expected, left) => {
    const { budget } = stage();
    expect(await budget.within(calls, growing(more))).toBe(expected);
    expect(await budget.within(left + 1, spending(0))).toBe(null);
    expect(await budget.within(left, spending(0))).toBe("done");
  });

  test.each([
    ["all that there is", 1, [], 48, "done"],
    ["more than there is", 1, [], 49, null],
    ["what the hand-overs of a batch leave", 5, [], 40, "done"],
    ["more than these leave", 5, [], 41, null],
    ["what is kept for it however large the batch is", 100, [], 32, "done"],
    ["what others left", 5, [[12, 9]], 31, "done"],
    ["what others spent", 5, [[12, 9]], 32, null],
    ["what others gave back", 5, [[40, 0]], 40, "done"],
    ["what others spent beyond their share", 5, [[1, 20]], 21, null],
  ] as [string, number, [number, number][], number, "done" | null][])(
    "a step that asks for %s",
    async (_, messages, before, calls, expected) => {
      const { budget } = stage({ messages });
      for (const [asked, spent] of before) await budget.within(asked, spending(spent));
      expect(await budget.within(calls, spending(0))).toBe(expected);
    },
  );

  test("what a broken step did not spend is free again", async () => {
    const { budget } = stage();
    const broken = budget.within(40, async (spend) => {
      spend();
      throw new Error("Broken");
    });
    await expect(broken).rejects.toThrow("Broken");
    expect(await budget.within(39, spending(0))).toBe("done");
    expect(await budget.within(40, spending(0))).toBe(null);
  });

  test("no step begins after four minutes, which leaves a transfer its ten", async () => {
    const { budget, advance } = stage();
    advance(239);
    expect(await budget.within(1, spending(0))).toBe("done");
    advance(1);
    expect(await budget.within(1, spending(0))).toBe(null);
  });
});

describe("with others in flight", () => {
  test("a step waits for room, however many have to end before", async () => {
    const { budget } = stage();
    const [first, second, third] = [held(budget, 20), held(budget, 20), held(budget, 30)];
    await settle();
    expect([first, second, third].map((step) => step.hasBegun())).toEqual([true, true, false]);
    first.end(5);
    await settle();
    expect(third.hasBegun()).toBe(false);
    second.end(5);
    await settle();
    expect(third.hasBegun()).toBe(true);
  });

  test("a small step goes past a large one that waits", async () => {
    const { budget } = stage();
    const [slow, large] = [held(budget, 20), held(budget, 30)];
    expect(await budget.within(12, spending(3))).toBe("done");
    expect([slow.hasBegun(), large.hasBegun()]).toEqual([true, false]);
  });

  test("a step that will have no room is told when the last one has ended", async () => {
    const { budget } = stage();
    const [first, second] = [held(budget, 40), held(budget, 12)];
    first.end(30);
    expect(await second.result).toBe(null);
    expect(second.hasBegun()).toBe(false);
  });

  test("a step waits five seconds at most for a slow one", async () => {
    const waits: number[] = [];
    let ring = () => {};
    const wait = (ms: number) => {
      waits.push(ms);
      return new Promise<void>((resolve) => {
        ring = resolve;
      });
    };
    const { budget } = stage({ wait });
    const [slow, second] = [held(budget, 40), held(budget, 12)];
    ring();
    expect(await second.result).toBe(null);
    expect(waits).toEqual([5_000]);
    slow.end(0);
    expect(await slow.result).toBe("done");
  });

  test("together they never spend more than there is", async () => {
    const { budget } = stage();
    let spent = 0;
    const run = async () => {
      for (let steps = 0; steps < 20; steps++) {
        const step = await budget.within(12, async (spend) => {
          for (let i = 0; i < 9; i++) {
            await settle();
            spend();
            spent++;
          }
        });
        if (step === null) return;
      }
    };
    await Promise.all(Array.from({ length: 5 }, run));
    expect(spent).toBeGreaterThan(FREE - 5 * HAND_OVER - 12);
    expect(spent).toBeLessThanOrEqual(FREE - 5 * HAND_OVER);
  });
});
