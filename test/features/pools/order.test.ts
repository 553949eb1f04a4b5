import { expect, test } from "vitest";
import { beforeOf, movesTo } from "../../../src/features/pools/places.ts";
import { PoolTeam } from "../../support/pools.ts";
import { photo } from "../../support/stage.ts";

/** A queue whose items are named by their places, from 1. */
const queueOf = (...positions: number[]) =>
  positions.map((position, i) => ({ id: i + 1, position }));

const WHOLE = queueOf(1, 2, 3, 4);

test.each([
  ["to the front, below the least", WHOLE, 3, 1, [[3, 0]]],
  ["to the end, above the greatest", WHOLE, 2, null, [[2, 5]]],
  ["into a gap", queueOf(1, 5, 6), 3, 2, [[3, 2]]],
  [
    "between neighbours, which then take turns",
    WHOLE,
    4,
    3,
    [
      [4, 3],
      [3, 4],
    ],
  ],
  [
    "up among neighbours",
    WHOLE,
    4,
    2,
    [
      [4, 2],
      [2, 3],
      [3, 4],
    ],
  ],
  [
    "down among neighbours",
    WHOLE,
    1,
    4,
    [
      [2, 1],
      [3, 2],
      [1, 3],
    ],
  ],
  [
    "among equal places",
    queueOf(1, 1, 1),
    3,
    2,
    [
      [3, 2],
      [2, 3],
    ],
  ],
  ["before itself", WHOLE, 2, 2, []],
  ["to where it is", WHOLE, 2, 3, []],
  ["alone", queueOf(7), 1, null, []],
])("an item is moved %s", (_, queue, id, before, expected) => {
  const moves = movesTo(queue, id, before) ?? [];
  expect(moves.map((move) => [move.id, move.to])).toEqual(expected);
});

test("every move in every queue of five gives the order that it says", () => {
  const queues = [queueOf(1, 2, 3, 4, 5), queueOf(-3, 0, 4, 5, 9), queueOf(2, 2, 2, 3, 3)];
  for (const queue of queues) {
    const ids = queue.map(({ id }) => id);
    for (const id of ids) {
      for (const before of [...ids, null]) {
        const moves = new Map(movesTo(queue, id, before)?.map((move) => [move.id, move.to]));
        const after = queue
          .map((place) => ({ ...place, position: moves.get(place.id) ?? place.position }))
          .sort((a, b) => a.position - b.position || a.id - b.id);
        const others = ids.filter((one) => one !== id);
        const at = before === null ? others.length : others.indexOf(before);
        const expected = before === id ? ids : others.toSpliced(at, 0, id);
        expect(after.map((place) => place.id)).toEqual(expected);
      }
    }
  }
});

test("an item that is not in the queue has no place in it", () => {
  expect(movesTo(WHOLE, 9, 1)).toBeNull();
  expect(movesTo(WHOLE, 1, 9)).toBeNull();
});

test.each([
  ["up", 3, 2],
  ["up", 1, 1],
  ["down", 1, 3],
  ["down", 3, null],
  ["down", 4, 4],
  ["first", 4, 1],
  ["last", 1, null],
] as const)("a step %s of item %i goes before %s", (step, id, before) => {
  expect(beforeOf(WHOLE, id, step)).toBe(before);
});

const DAILY = '{"every":{"days":1},"times":5}';

test("slots take items as they were moved, and what returns stands behind all of them", async () => {
  const team = await PoolTeam.make();
  const { id } = await team.pool();
  const ids: number[] = [];
  for (const title of ["A", "B", "C"]) {
    const fields = {
      title,
      photo: photo(10 + ids.length),
      ...(title === "C" ? { repeat: DAILY } : {}),
    };
    const { body } = await team.add(id, { ...fields });
    ids.push(body.items[0].id);
  }
  const [a, , c] = ids;
  await team.send("POST", `/pools/${id}/videos/${c}/move`, { before: a });
  const { body: activity } = await team.call("GET", "/activity?limit=1");
  expect(activity.data).toMatchObject([
    { action: "pool.item_moved", subject: { type: "pool", id: String(id) } },
  ]);
  await team.runUntil("2026-12-01T09:40:00Z");
  const [fired] = await team.firings(id);
  expect(fired.item.title).toBe("C");
  const positions = await team.items(id, "queued");
  const order = positions
    .toSorted(
      (one: { position: number }, other: { position: number }) => one.position - other.position,
    )
    .map(({ title }: { title: string }) => title);
  expect(order).toEqual(["A", "B", "C"]);
});

test("an item that has gone out is not moved (409 NOT_CANCELLABLE)", async () => {
  const team = await PoolTeam.make();
  const { id } = await team.pool();
  const added = [await team.add(id, { photo: photo() }), await team.add(id, { photo: photo(9) })];
  const [gone, waiting] = added.map(({ body }) => body.items[0].id);
  await team.runUntil("2026-12-01T09:40:00Z");
  for (const [item, before] of [
    [gone, waiting],
    [waiting, gone],
  ]) {
    const { status, body } = await team.call("POST", `/pools/${id}/videos/${item}/move`, {
      before,
    });
    expect([status, body.code]).toEqual([409, "NOT_CANCELLABLE"]);
    expect(body.error).toContain("Only queued items have a place in line.");
  }
});

test("the texts of a queued item are changed, by the rules for new ones", async () => {
  const team = await PoolTeam.make();
  const { id } = await team.pool();
  const { body } = await team.add(id, { photo: photo(), description: "Old" });
  const path = `/pools/${id}/videos/${body.items[0].id}`;
  const changed = await team.send("PATCH", path, { title: "New", description: null });
  expect(changed.item).toMatchObject({ title: "New", description: null });
  for (const fields of [{ title: " " }, { title: "x".repeat(100_000) }, {}]) {
    const refused = await team.call("PATCH", path, fields);
    expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION"]);
  }
  expect((await team.items(id))[0]).toMatchObject({ title: "New" });
});
