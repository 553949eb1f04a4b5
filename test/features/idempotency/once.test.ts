import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { AppError, type ErrorCode } from "../../../src/core/errors.ts";
import { sqlWrite } from "../../../src/db/client.ts";
import { look, once } from "../../../src/features/idempotency/once.ts";
import { callerOf } from "../../support/caller.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

interface Named {
  name: string;
}

/** A small feature: it lengthens the team's name. */
async function lengthen(
  harness: Harness,
  member: Member,
  key: string | null,
  { word = "!", isLost = false, bodyOf = (text: string): unknown => text } = {},
) {
  const ctx = await callerOf(harness, member);
  const call = key === null ? null : { route: "POST /toy", key };
  return once<unknown, Named>(ctx, call, () => bodyOf(word), {
    look: () => look(ctx, "posts:write", call, []),
    make: async (_, first) => {
      if (word === "?") throw new AppError("FORBIDDEN", "No questions.");
      const answer = { name: word };
      const [changed] = await ctx.db.runAll([
        sqlWrite(sql`UPDATE teams SET name = name || ${word}
          WHERE id = ${ctx.team} AND ${first.isNew} AND ${isLost ? sql`FALSE` : sql`TRUE`}`),
        ...first.keep(answer),
      ]);
      return changed === 1 ? answer : null;
    },
  });
}

async function onStage() {
  const harness = new Harness();
  const member = await createMember();
  return {
    harness,
    member,
    call: (key: string | null, options: Parameters<typeof lengthen>[3] = {}) =>
      lengthen(harness, member, key, options),
    name: () =>
      env.DB.prepare("SELECT name FROM teams WHERE id = ?").bind(member.teamId).first("name"),
  };
}

const codeOf = (call: Promise<unknown>): Promise<ErrorCode | null | "none"> =>
  call.then(
    () => "none" as const,
    (error) => error.code,
  );

test("a call that is repeated is done once, and given the first answer", async () => {
  const { call, name } = await onStage();
  expect(await call("k")).toEqual({ result: { name: "!" }, isReplayed: false });
  expect(await call("k")).toEqual({ result: { name: "!" }, isReplayed: true });
  expect(await name()).toBe("A team!");
});

test("a call without a name is done each time", async () => {
  const { call, name } = await onStage();
  for (const _ of [1, 2]) expect(await call(null)).toMatchObject({ isReplayed: false });
  expect(await name()).toBe("A team!!");
});

test("the body of a call is looked at where the call has a name, and by its content", async () => {
  const { call } = await onStage();
  const bodyOf = vi.fn((word: string): unknown => ({ word }));
  await call(null, { bodyOf });
  expect(bodyOf).not.toHaveBeenCalled();
  await call("k", { bodyOf });
  expect(await call("k", { bodyOf })).toMatchObject({ isReplayed: true });
});

test("another body under the same key is refused", async () => {
  const { call, name } = await onStage();
  await call("k");
  expect(await codeOf(call("k", { word: "." }))).toBe("IDEMPOTENCY_MISMATCH");
  expect(await name()).toBe("A team!");
});

test("of many calls at once one is done, and all are given its answer", async () => {
  const { call, name } = await onStage();
  const done = await Promise.all(Array.from({ length: 20 }, () => call("k")));
  expect(done.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
  expect(done.map(({ result }) => result)).toEqual(Array(20).fill({ name: "!" }));
  expect(await name()).toBe("A team!");
});

test("of two bodies at once under one key, one is refused", async () => {
  const { call, name } = await onStage();
  const codes = await Promise.all(["!", "."].map((word) => codeOf(call("k", { word }))));
  expect(codes.toSorted()).toEqual(["IDEMPOTENCY_MISMATCH", "none"]);
  expect(await name()).toMatch(/^A team[!.]$/);
});

test("what was refused, or lost five races, may be called again under its key", async () => {
  const { call, name } = await onStage();
  expect(await codeOf(call("k", { word: "?" }))).toBe("FORBIDDEN");
  expect(await codeOf(call("k", { isLost: true }))).toBe("IDEMPOTENCY_IN_PROGRESS");
  expect(await call("k")).toMatchObject({ isReplayed: false });
  expect(await name()).toBe("A team!");
});

test("a call without a name that lost five races is told that others were faster", async () => {
  const { call, name } = await onStage();
  expect(await codeOf(call(null, { isLost: true }))).toBe("QUEUE_BUSY");
  expect(await name()).toBe("A team");
});

describe.each([
  ["/webhooks", "webhooks", { url: "https://example.com/hook", events: ["upload.completed"] }],
  ["/short-links", "short_links", { url: "https://example.com/page" }],
])("POST %s, when every attempt is lost", (path, table, json) => {
  test.each([
    ["named", { "idempotency-key": "k" }, "IDEMPOTENCY_IN_PROGRESS"],
    ["not named", {}, "QUEUE_BUSY"],
  ])("answers 409 to a call that is %s, which can be sent again", async (_, headers, code) => {
    const { harness, member } = await onStage();
    const { token } = member;
    const send = () => harness.call("POST", path, { token, json, headers });
    await env.DB.exec(
      `CREATE TRIGGER lose_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(IGNORE); END`,
    );
    try {
      const refused = await send();
      expect(refused).toMatchObject({ status: 409, body: { success: false, code } });
      expect(refused.headers.get("retry-after")).toBe("1");
    } finally {
      await env.DB.exec(`DROP TRIGGER lose_${table}`);
    }
    expect(await send()).toMatchObject({ status: 200, body: { success: true } });
  });
});

test("a key is its team's own, and good for a day", async () => {
  const [one, two] = [await onStage(), await onStage()];
  await one.call("k");
  expect(await two.call("k")).toMatchObject({ isReplayed: false });
  one.harness.advance(86_400);
  expect(await one.call("k")).toMatchObject({ isReplayed: false });
});

test("costs one row and no round trip more than the call without a name", async () => {
  const { harness, call } = await onStage();
  const named = await measure(harness, () => call("k"));
  const unnamed = await measure(harness, () => call(null));
  expect(named.costs.roundTrips).toHaveLength(2);
  expect(unnamed.costs.roundTrips).toHaveLength(2);
  expect(named.costs.rowsWritten - unnamed.costs.rowsWritten).toBeLessThanOrEqual(2);
});
