import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/sqlite-core";
import { expect, expectTypeOf, test } from "vitest";
import { connect, type Query, sqlQuery } from "../../src/db/client.ts";
import { named, runNamed } from "../../src/db/named.ts";
import { valueReader } from "../../src/db/rows.ts";

const number = (value: number): Query<number[]> =>
  sqlQuery(sql`SELECT ${value} AS n`, valueReader(integer("n").notNull()));
const word = (value: string): Query<string[]> =>
  sqlQuery(sql`SELECT ${value} AS word`, valueReader(text("word").notNull()));

const db = connect(env.DB);

test("statements of a batch answer by their names", async () => {
  const answers = await runNamed(db, {
    word: word("first"),
    several: [number(1), number(2)],
    pair: [number(3), word("last")] as const,
  });
  expectTypeOf(answers.word).toEqualTypeOf<string[]>();
  expectTypeOf(answers.pair).toEqualTypeOf<readonly [number[], string[]]>();
  expect(answers).toEqual({ word: ["first"], several: [[1], [2]], pair: [[3], ["last"]] });
});

test("what is left out answers null, and the others keep their names", async () => {
  const some = (isWanted: boolean) => ({
    before: isWanted ? number(1) : null,
    none: [],
    middle: word("middle"),
    after: isWanted ? [number(2)] : undefined,
    last: number(3),
  });
  const answers = await runNamed(db, some(false));
  expectTypeOf(answers.before).toEqualTypeOf<number[] | null>();
  const always = { none: [], middle: ["middle"], last: [3] };
  expect(answers).toEqual({ ...always, before: null, after: null });
  expect(await runNamed(db, some(true))).toEqual({ ...always, before: [1], after: [[2]] });
});

test("statements stand in the order of their names, to be run by others", () => {
  const [first, second, third] = [number(1), number(2), number(3)];
  const { queries, read } = named({ z: [second, first], b: null, a: third });
  expect(queries).toEqual([second, first, third]);
  expect(read([[2], [1], [3]])).toEqual({ z: [[2], [1]], b: null, a: [3] });
});

test("statements ahead of others of an unknown number keep their types", async () => {
  const rest = [word("a"), word("b")];
  const [one, two, ...words] = await db.run([number(1), number(2), ...rest]);
  expectTypeOf(one).toEqualTypeOf<number[]>();
  expectTypeOf(words).toEqualTypeOf<string[][]>();
  expect([one, two, words]).toEqual([[1], [2], [["a"], ["b"]]]);
});
