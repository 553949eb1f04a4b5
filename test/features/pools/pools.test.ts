import { describe, expect, test } from "vitest";
import { createMember, createToken, joinTeam } from "../../support/harness.ts";
import { PoolTeam } from "../../support/pools.ts";

describe("a pool", () => {
  test("is created with slots, read, listed, changed and deleted", async () => {
    const team = await PoolTeam.make();
    const created = await team.send("POST", "/pools", {
      ...{ name: "Tips", timezone: "europe/berlin", slots: [team.slot({ days: [5, 1, 1] })] },
    });
    expect(created).toEqual({
      success: true,
      pool: {
        id: expect.stringMatching(/^\d+$/),
        ...{ name: "Tips", timezone: "Europe/Berlin", isActive: true, _count: { items: 0 } },
        slots: [
          {
            id: expect.stringMatching(/^\d+$/),
            ...{ time: "09:30", days: [1, 5], accountIds: [team.accountId] },
            nextAt: "2026-12-04T08:30:00.000Z",
          },
        ],
      },
    });
    const { pool } = created;
    expect(await team.send("GET", `/pools/${pool.id}`)).toEqual({ success: true, pool });
    expect(await team.send("GET", "/pools")).toEqual({ success: true, pools: [pool] });
    const changed = await team.send("PATCH", `/pools/${pool.id}`, {
      name: "Hints",
      isActive: false,
    });
    expect(changed.pool).toMatchObject({
      name: "Hints",
      isActive: false,
      slots: [{ nextAt: null }],
    });
    const again = await team.send("PATCH", `/pools/${pool.id}`, {
      isActive: true,
      timezone: "UTC",
    });
    expect(again.pool.slots).toMatchObject([{ nextAt: "2026-12-04T09:30:00.000Z" }]);
    expect(await team.send("GET", `/pools/${pool.id}`)).toEqual(again);
    expect(await team.send("DELETE", `/pools/${pool.id}`)).toEqual({ success: true });
    expect((await team.call("GET", `/pools/${pool.id}`)).body.code).toBe("NOT_FOUND");
    expect(await team.send("GET", "/pools")).toEqual({ success: true, pools: [] });
  });

  test("has slots that are added, changed and deleted", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool({ slots: [] });
    const { slot } = await team.send("POST", `/pools/${id}/slots`, team.slot({ time: "08:00" }));
    expect(slot).toMatchObject({ time: "08:00", nextAt: "2026-12-02T08:00:00.000Z" });
    const path = `/pools/${id}/slots/${slot.id}`;
    const changed = await team.send("PATCH", path, { time: "10:00" });
    expect(changed.slot).toEqual({ ...slot, time: "10:00", nextAt: "2026-12-01T10:00:00.000Z" });
    expect((await team.send("GET", `/pools/${id}`)).pool.slots).toEqual([changed.slot]);
    expect(await team.send("DELETE", path)).toEqual({ success: true });
    expect((await team.call("DELETE", path)).body).toMatchObject({ code: "NOT_FOUND" });
    expect((await team.call("PATCH", path, { time: "10:00" })).body.code).toBe("NOT_FOUND");
  });

  test("of another team is 403 FORBIDDEN, and one that is not there 404", async () => {
    const [team, other] = [await PoolTeam.make(), await PoolTeam.make()];
    const { id, slots } = await other.pool();
    const calls: [method: string, path: string, json?: object][] = [
      ["GET", ""],
      ["PATCH", "", { name: "Mine" }],
      ["DELETE", ""],
      ["POST", "/slots", team.slot()],
      ["PATCH", `/slots/${slots[0]?.id}`, { time: "10:00" }],
      ["DELETE", `/slots/${slots[0]?.id}`],
    ];
    for (const [method, path, json] of calls) {
      const foreign = await team.call(method, `/pools/${id}${path}`, json);
      expect([foreign.status, foreign.body.code], `${method} ${path}`).toEqual([403, "FORBIDDEN"]);
      const unknown = await team.call(method, `/pools/999999${path}`, json);
      expect([unknown.status, unknown.body.code], `${method} ${path}`).toEqual([404, "NOT_FOUND"]);
    }
    expect((await other.send("GET", `/pools/${id}`)).pool.slots).toEqual(slots);
  });

  test.each([
    ["an unknown zone", { timezone: "Europe/Atlantis" }, ["timezone"]],
    ["an offset for a zone", { timezone: "+02:00" }, ["timezone"]],
    ["no name", { name: " " }, ["name"]],
    ["25:61", { slots: [{ time: "25:61", days: [1], accountIds: ["a"] }] }, ["slots.0.time"]],
    ["no days", { slots: [{ time: "09:00", days: [], accountIds: ["a"] }] }, ["slots.0.days"]],
    [
      "an eighth day",
      { slots: [{ time: "09:00", days: [7], accountIds: ["a"] }] },
      ["slots.0.days.0"],
    ],
    [
      "no accounts",
      { slots: [{ time: "09:00", days: [1], accountIds: [] }] },
      ["slots.0.accountIds"],
    ],
    ["an unknown field", { color: "red" }, ["color"]],
    ["several mistakes", { name: 5, timezone: 5 }, ["name", "timezone"]],
  ])("with %s is 400 VALIDATION with errors[], and nothing is stored", async (_, wrong, fields) => {
    const team = await PoolTeam.make();
    const answer = await team.call("POST", "/pools", { name: "Tips", timezone: "UTC", ...wrong });
    expect(answer).toMatchObject({ status: 400, body: { success: false, code: "VALIDATION" } });
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
    expect((await team.send("GET", "/pools")).pools).toEqual([]);
  });

  test("with accounts of another team is VALIDATION, in a new slot and in a changed one", async () => {
    const [team, other] = [await PoolTeam.make(), await PoolTeam.make()];
    const { id, slots } = await team.pool();
    const foreign = { accountIds: [team.accountId, other.accountId] };
    const answers = [
      await team.call("POST", "/pools", {
        name: "A",
        timezone: "UTC",
        slots: [team.slot(foreign)],
      }),
      await team.call("POST", `/pools/${id}/slots`, team.slot(foreign)),
      await team.call("PATCH", `/pools/${id}/slots/${slots[0]?.id}`, foreign),
    ];
    expect(answers.map(({ status, body }) => [status, body.code, body.errors[0].field])).toEqual([
      [400, "VALIDATION", "slots.0.accountIds.1"],
      [400, "VALIDATION", "accountIds.1"],
      [400, "VALIDATION", "accountIds.1"],
    ]);
    expect((await team.send("GET", "/pools")).pools).toHaveLength(1);
  });

  test("refuses what is no JSON, and nothing to change, with VALIDATION", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    for (const json of ["{", {}]) {
      const { status, body } = await team.call("PATCH", `/pools/${id}`, json);
      expect([status, body.code, body.errors.length]).toEqual([400, "VALIDATION", 1]);
    }
  });

  test("cannot be changed by members of a team that requires approval", async () => {
    const team = await PoolTeam.make();
    const { id, slots } = await team.pool();
    const { userId } = await createMember();
    await joinTeam(team.member.teamId, userId, "MEMBER");
    const token = await createToken(userId, { teamId: team.member.teamId });
    const path = `/pools/${id}/slots/${slots[0]?.id}`;
    expect((await team.call("PATCH", path, { time: "10:00" }, token)).status).toBe(200);
    await team.send("PATCH", "/settings", { requireMemberApproval: true });
    const refused = await team.call("PATCH", path, { time: "11:00" }, token);
    expect([refused.status, refused.body.code]).toEqual([403, "FORBIDDEN"]);
    expect((await team.call("GET", `/pools/${id}`, undefined, token)).status).toBe(200);
  });

  test("needs pools:read to be read, and pools:write to be changed", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const { userId } = team.member;
    const reader = await createToken(userId, { scopes: ["pools:read"] });
    const stranger = await createToken(userId, { scopes: ["posts:publish"] });
    expect((await team.call("GET", "/pools", undefined, reader)).status).toBe(200);
    expect((await team.call("PATCH", `/pools/${id}`, { name: "A" }, reader)).body).toMatchObject({
      ...{ code: "INSUFFICIENT_SCOPE", requiredScope: "pools:write" },
    });
    expect((await team.call("GET", "/pools", undefined, stranger)).body).toMatchObject({
      ...{ code: "INSUFFICIENT_SCOPE", requiredScope: "pools:read" },
    });
  });

  test("loses an account that is disconnected from its slots", async () => {
    const [team, other] = [await PoolTeam.make(), await PoolTeam.make()];
    const second = await team.send("POST", "/accounts", {
      ...{ platform: "x", sandbox: true, name: "Second" },
    });
    const both = [team.accountId, second.data.id];
    const { id } = await team.pool({ slots: [team.slot({ accountIds: both }), team.slot()] });
    const theirs = await other.pool();
    await team.send("DELETE", `/accounts/${team.accountId}`);
    const { pool } = await team.send("GET", `/pools/${id}`);
    expect(pool.slots.map(({ accountIds }: { accountIds: string[] }) => accountIds)).toEqual([
      [second.data.id],
      [],
    ]);
    expect((await other.send("GET", `/pools/${theirs.id}`)).pool.slots).toEqual(theirs.slots);
  });

  test("takes changes at the same time one after another", async () => {
    const team = await PoolTeam.make();
    const { id, slots } = await team.pool();
    const path = `/pools/${id}/slots/${slots[0]?.id}`;
    const answers = await Promise.all([
      team.call("PATCH", path, { time: "10:00" }),
      team.call("PATCH", `/pools/${id}`, { timezone: "Asia/Kathmandu" }),
      team.call("PATCH", path, { days: [3] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { pool } = await team.send("GET", `/pools/${id}`);
    expect(pool).toMatchObject({
      timezone: "Asia/Kathmandu",
      slots: [{ time: "10:00", days: [3], nextAt: "2026-12-02T04:15:00.000Z" }],
    });
  });
});
