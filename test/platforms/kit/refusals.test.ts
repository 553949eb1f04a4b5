import { expect, test } from "vitest";
import {
  BUSY,
  GONE,
  LIMITED,
  type Refusal,
  type Rule,
  refusalJudge,
  UNAVAILABLE,
} from "../../../src/platforms/kit/refusals.ts";

interface Told extends Refusal {
  waitSeconds: number | null;
}

const RULES = new Map<number, Rule>([
  [429, BUSY],
  [402, LIMITED],
  [410, GONE],
]);

const judge = refusalJudge<Told>({
  isTokenRefusal: ({ status }) => status === 401,
  ruleOf: ({ status }) => RULES.get(status),
  waitSeconds: (rule, { waitSeconds }) => (rule === BUSY ? waitSeconds : null),
  isLongLimit: ({ status }) => status === 402,
});

const refusal = (status: number, waitSeconds: number | null = null): Told => ({
  status,
  message: "In its words",
  waitSeconds,
});

test.each<[number, string, boolean]>([
  [410, GONE.code, true],
  [402, LIMITED.code, false],
  [500, UNAVAILABLE.code, true],
  [408, UNAVAILABLE.code, true],
  [302, UNAVAILABLE.code, true],
  [200, UNAVAILABLE.code, true],
  [400, "unknown", false],
])("HTTP %i is refused by its rule, else by its status: %s", (status, code, transient) => {
  expect(judge.toRefused(refusal(status))).toEqual({
    kind: "failed",
    failure: { code, message: "In its words" },
    transient,
    ...(status === 410 ? { restart: true } : {}),
  });
});

test.each([
  [null, true],
  [600, true],
  [601, false],
])("a limit that ends in %s seconds is worth a back-off: %s", (waitSeconds, transient) => {
  expect(judge.toRefused(refusal(429, waitSeconds))).toMatchObject({ transient });
});

test.each([200, 302, 408, 500, 503])("HTTP %i leaves open what the call has done", (status) => {
  expect(judge.isUndecided(refusal(status))).toBe(true);
});

test.each([400, 401, 402, 410, 429])("HTTP %i says that the call has done nothing", (status) => {
  expect(judge.isUndecided(refusal(status))).toBe(false);
});

test("a refused question is asked again where it may be answered later, a long limit included", () => {
  expect(() => judge.toUnknowable(refusal(503))).toThrow("In its words");
  expect(() => judge.toUnknowable(refusal(402))).toThrow("In its words");
  expect(judge.toUnknowable(refusal(401))).toEqual({ kind: "token_expired" });
  expect(judge.toUnknowable(refusal(400))).toEqual({
    kind: "unknowable",
    message: "In its words",
  });
});
