import { expect, test } from "vitest";
import {
  capped,
  MAX_MESSAGE_CHARACTERS,
  oneLine,
  toWait,
} from "../../../src/platforms/kit/replies.ts";

test.each<[number, number]>([
  [0.2, 1],
  [60, 60],
  [-5, 0],
  [86_400, 86_400],
  [86_401, 86_400],
  [Number.POSITIVE_INFINITY, 86_400],
])("a wait of %d seconds is told as %d", (seconds, outcome) => {
  expect(toWait(seconds)).toBe(outcome);
});

test("a stranger's text is shown on one line, in its own direction", () => {
  expect(oneLine(" one\r\ntwo\u2028\u202Ethree ", 100)).toBe("one two three");
});

test("a platform's words are cut where they are long", () => {
  expect(capped("x".repeat(600))).toBe("x".repeat(MAX_MESSAGE_CHARACTERS));
});
