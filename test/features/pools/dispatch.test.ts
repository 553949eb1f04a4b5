import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createMember, createToken, joinTeam } from "../../support/harness.ts";
import { loadOf } from "../../support/load.ts";
import { PoolTeam } from "../../support/pools.ts";
import { photo } from "../../support/stage.ts";

const titles = (items: { title: string; status: string }[]) =>
  items.map(({ title, status }) => `${title}: ${status}`);

describe("a slot", () => {
  test("publishes the item that waits longest at its minute, and the next one the day after", async () => {
    const team = await PoolTeam.make();
    const { id, slots } = await team.pool();
    for (const title of ["First tip", "Second tip"]) {
      expect((await team.add(id, { title, photo: photo() })).status).toBe(200);
    }
    await team.runUntil("2026-12-01T09:29:00Z");
    expect(await team.firings(id)).toEqual([]);
    await team.runUntil("2026-12-01T09:31:00Z");
    expect(titles(await team.items(id))).toEqual(["First tip: dispatched", "Second tip: queued"]);
    const [item] = await team.items(id, "dispatched");
    const [firing] = await team.firings(id);
    expect(firing).toEqual({
      ...{ slotId: slots[0]?.id, at: "2026-12-01T09:30:00.000Z", wallTime: "2026-12-01T09:30" },
      ...{ offset: "+00:00", rule: null, outcome: "dispatched", reason: null },
      item: { id: item.id, title: "First tip" },
      uploadIds: [expect.any(Number)],
    });
    const { data } = await team.send("GET", `/upload/${firing.uploadIds[0]}`);
    expect(data).toMatchObject({ status: "completed", title: "First tip" });
    team.moveTo("2026-12-02T09:29:00Z");
    await team.runUntil("2026-12-02T09:31:00Z");
    expect(titles(await team.items(id, "dispatched"))).toEqual([
      "First tip: dispatched",
      "Second tip: dispatched",
    ]);
  });

  test("of an empty pool records that, and one of a pool that is switched off does nothing", async () => {
    const team = await PoolTeam.make();
    const [empty, off] = [await team.pool(), await team.pool({ isActive: false })];
    await team.add(off.id, { photo: photo() });
    await team.runUntil("2026-12-01T09:31:00Z");
    expect(await team.firings(empty.id)).toMatchObject([{ outcome: "empty", item: null }]);
    expect(await team.firings(off.id)).toEqual([]);
    expect(await team.items(off.id)).toMatchObject([{ status: "queued", isLocked: false }]);
    expect(
      (await team.send("GET", "/events")).data.filter(({ event }: { event: string }) =>
        event.startsWith("upload"),
      ),
    ).toEqual([]);
  });

  test("skips an item that its account refuses, with the reason in words", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    await team.add(id, { title: "Fails [sandbox:content_flagged]", photo: photo() });
    await team.add(id, { title: "x".repeat(400), photo: photo() });
    await team.runUntil("2026-12-01T09:31:00Z");
    const [failed] = await team.items(id, "skipped");
    expect(failed.reason).toMatch(/^bluesky: /);
    team.moveTo("2026-12-02T09:29:00Z");
    await team.runUntil("2026-12-02T09:31:00Z");
    const [refused] = await team.firings(id);
    expect(refused).toMatchObject({ outcome: "skipped", uploadIds: [] });
    expect(refused.reason).toContain("300");
  });

  test("dispatches an item when one of its accounts has published it, and tells of the other", async () => {
    const team = await PoolTeam.make();
    const second = await team.send("POST", "/accounts", {
      ...{ platform: "threads", sandbox: true, name: "Second" },
    });
    const slot = team.slot({ accountIds: [team.accountId, second.data.id] });
    const { id } = await team.pool({ slots: [slot] });
    await team.send("DELETE", `/accounts/${second.data.id}`);
    await env.DB.prepare("UPDATE pool_slots SET account_ids = ? WHERE pool_id = ?")
      .bind(JSON.stringify(slot.accountIds), Number(id))
      .run();
    await team.add(id, { photo: photo() });
    await team.runUntil("2026-12-01T09:31:00Z");
    const [firing] = await team.firings(id);
    expect(firing).toMatchObject({ outcome: "dispatched", uploadIds: [expect.any(Number)] });
    expect(firing.reason).toContain("not found");
  });

  test("takes no item when it has lost its last account", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    await team.add(id, { photo: photo() });
    await team.send("DELETE", `/accounts/${team.accountId}`);
    await team.runUntil("2026-12-01T09:31:00Z");
    expect(await team.firings(id)).toMatchObject([{ outcome: "skipped", item: null }]);
    expect(await team.items(id)).toMatchObject([{ status: "queued", isLocked: false }]);
  });

  test("locks its item while the posts run: it is queued, and cannot be removed", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const { body } = await team.add(id, { photo: photo() });
    const path = `/pools/${id}/videos/${body.items[0].id}`;
    team.moveTo("2026-12-01T09:30:00Z");
    await team.harness.tick();
    await team.harness.deliver();
    expect(await team.items(id, "queued")).toMatchObject([{ status: "queued", isLocked: true }]);
    expect(await team.firings(id)).toMatchObject([{ outcome: "running" }]);
    expect((await team.call("DELETE", path)).body).toMatchObject({ code: "NOT_CANCELLABLE" });
    expect((await team.send("DELETE", `/pools/${id}/videos`)).removed).toBe(0);
    await team.harness.drain();
    expect(await team.items(id)).toMatchObject([{ status: "dispatched", isLocked: false }]);
    expect((await team.call("DELETE", path)).status).toBe(409);
  });

  test("publishes under the same caps as any post: what the plan does not hold is skipped", async () => {
    const team = await PoolTeam.make();
    await env.DB.prepare("UPDATE teams SET plan = 'basic' WHERE id = ?")
      .bind(team.member.teamId)
      .run();
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
       INSERT INTO uploads (team_id, account_id, platform, status, status_group, settings, media, sort_at, created_at)
       SELECT ?, ?, 'bluesky', 'completed', 'completed', '{}', '[]', ?, ? FROM n`,
    )
      .bind(team.member.teamId, team.accountId, Date.now(), Date.now())
      .run();
    const { id } = await team.pool();
    await team.add(id, { photo: photo() });
    const capacity = await team.send("GET", `/pools/${id}/capacity?count=10`);
    expect(capacity.warning).toContain("200");
    await team.runUntil("2026-12-01T09:31:00Z");
    const [firing] = await team.firings(id);
    expect(firing).toMatchObject({ outcome: "skipped" });
    expect(firing.reason).toContain("200 posts of 2026-12 are used up");
  });

  test("holds posts for approval that were added without a right to publish, and ends with their decision", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const token = await createToken(team.member.userId, { scopes: ["pools:write"] });
    const adder = Object.assign(Object.create(team), { member: { ...team.member, token } });
    expect((await adder.add(id, { photo: photo() })).status).toBe(200);
    await team.runUntil("2026-12-01T09:31:00Z");
    const [{ outcome, uploadIds }] = await team.firings(id);
    expect(outcome).toBe("running");
    const { data } = await team.send("GET", `/upload/${uploadIds[0]}`);
    expect(data.status).toBe("pending_approval");
    await team.send("DELETE", `/upload/${uploadIds[0]}`);
    await team.runUntil("2026-12-01T10:20:00Z");
    expect(await team.firings(id)).toMatchObject([
      { outcome: "skipped", reason: "bluesky: The post was removed." },
    ]);
  });

  test("holds the posts of a member whose team has come to require approval", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const { userId } = await createMember();
    await joinTeam(team.member.teamId, userId, "MEMBER");
    const token = await createToken(userId, { teamId: team.member.teamId });
    const adder = Object.assign(Object.create(team), { member: { ...team.member, token } });
    expect((await adder.add(id, { photo: photo() })).status).toBe(200);
    await team.send("PATCH", "/settings", { requireMemberApproval: true });
    expect((await adder.add(id, { photo: photo() })).body).toMatchObject({ code: "FORBIDDEN" });
    await team.runUntil("2026-12-01T09:31:00Z");
    const [{ uploadIds }] = await team.firings(id);
    expect((await team.send("GET", `/upload/${uploadIds[0]}`)).data.status).toBe(
      "pending_approval",
    );
  });
});

const DAYS = loadOf(1, 25);
const TICKS_A_DAY = loadOf(15, 40);
const TICKS = DAYS * TICKS_A_DAY;

describe("ticks", () => {
  test("that come late fire what is due for 15 minutes, and record what is older as missed", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    await team.fill(id, ["One", "Two", "Three"]);
    team.moveTo("2026-12-04T09:44:00Z");
    await team.harness.tick();
    await team.harness.drain();
    const outcomes = (await team.firings(id)).map(
      ({ at, outcome }: { at: string; outcome: string }) => `${at.slice(8, 16)} ${outcome}`,
    );
    expect(
      outcomes.map((one: string) => one.replace(/ (running|skipped|dispatched)$/, " fired")),
    ).toEqual([...["04T09:30 fired", "03T09:30 missed", "02T09:30 missed", "01T09:30 missed"]]);
    expect(await team.items(id, "queued")).toHaveLength(2);
  });

  test("are judged by their scheduled time, not by when they run", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    team.moveTo("2026-12-01T10:00:00Z");
    await team.harness.tick(new Date("2026-12-01T09:29:00Z"));
    expect(await team.firings(id)).toEqual([]);
    await team.harness.tick(new Date("2026-12-01T09:30:00Z"));
    await team.harness.drain();
    expect(await team.firings(id)).toMatchObject([{ outcome: "empty" }]);
  });

  test(`${TICKS}, each twice at once, late and out of order: one item for each firing`, async () => {
    const team = await PoolTeam.make();
    const slots = Array.from({ length: TICKS_A_DAY }, (_, i) =>
      team.slot({ time: `10:${String(i).padStart(2, "0")}` }),
    );
    const { id } = await team.pool({ slots });
    await team.fill(
      id,
      Array.from({ length: TICKS }, (_, i) => `Item ${i}`),
    );
    let ticks = 0;
    for (let day = 1; day <= DAYS; day++) {
      const start = Date.parse("2026-12-01T10:00:00Z") + (day - 1) * 86_400_000;
      for (let minute = 0; minute < TICKS_A_DAY; minute++) {
        const at = start + minute * 60_000;
        team.moveTo(new Date(at + 600_000 * (minute % 2)).toISOString());
        const doubled = [team.harness.tick(new Date(at)), team.harness.tick(new Date(at))];
        const isDisordered = ticks++ % 10 === 0;
        await Promise.all([
          ...doubled,
          ...(isDisordered ? [team.harness.tick(new Date(at - 120_000))] : []),
        ]);
        const fires = team.harness.sent.splice(0).map(({ message }) => message);
        // Each message twice, too.
        await Promise.all([...fires, ...fires].map((message) => team.harness.consume([message])));
        team.harness.sent.splice(0);
      }
    }
    expect(ticks).toBe(TICKS);
    const { results } = await env.DB.prepare(
      `SELECT COUNT(*) AS firings, COUNT(DISTINCT item_id) AS items, SUM(outcome = 'item') AS done
       FROM pool_firings WHERE pool_id = ?`,
    )
      .bind(Number(id))
      .all();
    expect(results).toEqual([{ firings: TICKS, items: TICKS, done: TICKS }]);
  }, 300_000);

  test("make up for a message that got lost", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    await team.add(id, { photo: photo() });
    team.moveTo("2026-12-01T09:30:00Z");
    await team.harness.tick();
    team.harness.sent.splice(0);
    expect(await team.firings(id)).toMatchObject([{ outcome: "running", item: null }]);
    await team.runUntil("2026-12-01T09:32:00Z");
    expect(await team.firings(id)).toMatchObject([{ outcome: "dispatched" }]);
  });
});
