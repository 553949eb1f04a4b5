import { expect, test } from "vitest";
import { objectOf, only, pairOf, readOrNull, text, wholeNumber } from "../../src/core/readers.ts";

const pair = pairOf(wholeNumber(0), text);

test("a pair is a list of two, each as it must be", () => {
  expect(pair([1, "a"])).toEqual([1, "a"]);
});

test.each([[[1]], [[1, "a", "b"]], [["a", 1]], [{ 0: 1, 1: "a" }], [null]])(
  "%j is no pair",
  (value) => {
    expect(readOrNull(pair, value)).toBeNull();
  },
);

const message = objectOf({ kind: only("publish"), uploadId: wholeNumber(1) });

test("what is read is what the reader knows of", () => {
  expect(readOrNull(message, { kind: "publish", uploadId: 7, more: true })).toEqual({
    kind: "publish",
    uploadId: 7,
  });
});

test.each([{ kind: "other", uploadId: 7 }, { kind: "publish" }, "publish", undefined, []])(
  "%j is no such message",
  (value) => {
    expect(readOrNull(message, value)).toBeNull();
  },
);

test("a fault of the reader itself is not swallowed", () => {
  const broken = () => {
    throw new TypeError("broken");
  };
  expect(() => readOrNull(broken, 1)).toThrow("broken");
});
