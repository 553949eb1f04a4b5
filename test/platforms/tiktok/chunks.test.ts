import { expect, test } from "vitest";
import { chunkRange, nextChunk, planChunks } from "../../../src/platforms/tiktok/chunks.ts";

test.each([
  [1, 1, 1],
  [4_999_999, 4_999_999, 1],
  [5_000_000, 5_000_000, 1],
  [20_000_000, 20_000_000, 1],
  [20_000_001, 10_000_000, 2],
  [60_000_001, 10_000_000, 6],
  [64_000_001, 10_000_000, 6],
  [69_999_999, 10_000_000, 6],
  [70_000_000, 10_000_000, 7],
  [128_000_000, 10_000_000, 12],
  [1_000_000_000, 10_000_000, 100],
  [1_000_000_001, 20_000_000, 50],
  [4_000_000_000, 20_000_000, 200],
])("plans %i bytes as chunks of %i bytes, %i of them", (sizeBytes, chunkSize, count) => {
  const plan = planChunks(sizeBytes);
  expect(plan).toEqual({ chunkSize, count });
  // TikTok counts chunks this way.
  expect(Math.floor(sizeBytes / chunkSize)).toBe(count);
  expect(count).toBeLessThanOrEqual(1_000);
  let end = 0;
  for (let index = 0; index < count; index++) {
    const { offset, length } = chunkRange(plan, sizeBytes, index);
    expect(offset).toBe(end);
    expect(length).toBeGreaterThan(0);
    if (index < count - 1) expect(length).toBe(chunkSize);
    else if (count > 1) expect(length).toBeLessThan(2 * chunkSize);
    end += length;
  }
  expect(end).toBe(sizeBytes);
});

const PLAN = { chunkSize: 10_000_000, count: 6 };
const SIZE = 65_000_000;

test.each([
  ["nothing", 0, 0],
  ["a chunk, as a count", 10_000_000, 1],
  ["a chunk, as the last byte's position", 9_999_999, 1],
  ["all but the last chunk", 50_000_000, 5],
  ["everything", 65_000_000, 6],
  ["everything, as a position", 64_999_999, 6],
  ["half a chunk", 5_000_000, null],
  ["a part of the last chunk", 60_000_000, null],
])("with %s uploaded (%i), goes on at the right chunk", (_, uploaded, next) => {
  expect(nextChunk(PLAN, SIZE, uploaded)).toBe(next);
});
