import { expect, test } from "vitest";
import { Turns } from "../../src/core/turns.ts";
import { readBody } from "../../src/sandbox/kit/input.ts";

const PIECE = new Uint8Array(256 * 1_024);

/** A body whose bytes are there as soon as they are asked for. */
function bodyOf(pieces: number): ReadableStream<Uint8Array> {
  let left = pieces;
  return new ReadableStream({
    pull: (controller) => (left-- > 0 ? controller.enqueue(PIECE) : controller.close()),
  });
}

/** Turns that other work gets while this work is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  let turns = 0;
  const other = async () => {
    for (; !isOver; turns++) await scheduler.wait(0);
  };
  const others = other();
  await work;
  isOver = true;
  await others;
  return turns;
}

test("other work gets a turn after each megabyte", async () => {
  const turns = new Turns();
  const work = async () => {
    for (let i = 0; i < 40; i++) await turns.passed(PIECE.length);
  };
  expect(await turnsDuring(work())).toBeGreaterThanOrEqual(9);
});

test("other work goes on while a simulated platform takes in a large body", async () => {
  const request = new Request("https://sandbox.test", { method: "POST", body: bodyOf(40) });
  expect(await turnsDuring(readBody(request, 20_000_000))).toBeGreaterThanOrEqual(9);
});
