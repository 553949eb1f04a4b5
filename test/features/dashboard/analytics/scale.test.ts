import { expect, test } from "vitest";
import {
  areaPath,
  gapsOf,
  linePath,
  scaleOf,
} from "../../../../src/features/dashboard/analytics/scale.ts";

test.each<[values: (number | null)[], isFromZero: boolean, low: number, high: number]>([
  [[], true, 0, 1],
  [[null, 0], true, 0, 1],
  [[1], true, 0, 2],
  [[3, 90], true, 0, 100],
  [[3, 101], true, 0, 200],
  [[1_234_567], true, 0, 2_000_000],
  [[63_000, 63_400], false, 63_000, 65_000],
  [[500, 500], false, 500, 500 + 2 * 5],
  [[10, 400], false, 0, 400],
])("%j (from zero: %s) is drawn from %i to %i", (values, isFromZero, low, high) => {
  expect(scaleOf(values, isFromZero)).toEqual({ low, high });
});

test.each<[values: (number | null)[], line: string, area: string, gaps: object[]]>([
  [[0, 5, 10], "M0 100 1 50 2 0", "M0 100 0 100 1 50 2 0 2 100z", []],
  [
    [null, 5, null],
    "M1 50h0",
    "M1 100 1 50 1 100z",
    [
      { from: 0, to: 0 },
      { from: 2, to: 2 },
    ],
  ],
  [
    [0, null, null, 10],
    "M0 100h0M3 0h0",
    "M0 100 0 100 0 100zM3 100 3 0 3 100z",
    [{ from: 1, to: 2 }],
  ],
  [[null, null], "", "", [{ from: 0, to: 1 }]],
])("%j breaks off where nothing was measured", (values, line, area, gaps) => {
  const scale = { low: 0, high: 10 };
  expect(linePath(values, scale)).toBe(line);
  expect(areaPath(values, scale)).toBe(area);
  expect(gapsOf([values])).toEqual(gaps);
});

test("a day is a gap only where no line has a value", () => {
  expect(
    gapsOf([
      [1, null, null],
      [null, 2, null],
    ]),
  ).toEqual([{ from: 2, to: 2 }]);
});
