import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { PoolTeam } from "../../support/pools.ts";
import { photo } from "../../support/stage.ts";

const setStatus = (accountId: string, status: string) =>
  env.DB.prepare("UPDATE accounts SET status = ? WHERE id = ?").bind(status, accountId).run();

const noticesOf = async (teamId: number) =>
  (
    await env.DB.prepare("SELECT subject FROM notices WHERE team_id = ? AND subject LIKE 'slot_%'")
      .bind(teamId)
      .all()
  ).results;

async function fireOn(team: PoolTeam, day: number): Promise<void> {
  const date = `2026-12-0${day}`;
  team.moveTo(`${date}T09:30:00Z`);
  await team.harness.tick();
  await team.harness.deliver();
  await team.harness.deliver();
}

test("a slot whose account has expired waits: its items stay, and the team gets one notice", async () => {
  const team = await PoolTeam.make();
  const { id, slots } = await team.pool();
  for (const title of ["First tip", "Second tip"]) await team.add(id, { title, photo: photo() });
  await setStatus(team.accountId, "expired");
  await fireOn(team, 1);
  await fireOn(team, 2);
  const firings = await team.firings(id);
  expect(firings).toHaveLength(2);
  for (const firing of firings) {
    expect(firing).toMatchObject({ outcome: "skipped", item: null, uploadIds: [] });
    expect(firing.reason).toMatch(
      /is expired\. Reconnect the account first\. The queue stays as it is/,
    );
  }
  expect(await team.items(id, "queued")).toHaveLength(2);
  expect(await noticesOf(team.member.teamId)).toEqual([{ subject: `slot_${slots[0]?.id}` }]);
  await setStatus(team.accountId, "active");
  await fireOn(team, 3);
  expect((await team.firings(id))[0]).toMatchObject({ item: { title: "First tip" } });
  await setStatus(team.accountId, "expired");
  await fireOn(team, 4);
  expect(await noticesOf(team.member.teamId)).toHaveLength(2);
});

test("a slot with one account that can be used goes on", async () => {
  const team = await PoolTeam.make();
  const other = await team.send("POST", "/accounts", {
    ...{ platform: "threads", sandbox: true, name: "Second" },
  });
  const slot = team.slot({ accountIds: [team.accountId, other.data.id] });
  const { id } = await team.pool({ slots: [slot] });
  await team.add(id, { photo: photo() });
  await setStatus(other.data.id, "expired");
  await fireOn(team, 1);
  const [firing] = await team.firings(id);
  expect(firing).toMatchObject({ uploadIds: [expect.any(Number)] });
  expect(firing.reason).toContain("is expired");
});

describe("the capacity of a pool", () => {
  test("counts the slots that have accounts, as the preview does", async () => {
    const team = await PoolTeam.make();
    const other = await team.send("POST", "/accounts", {
      ...{ platform: "threads", sandbox: true, name: "Second" },
    });
    const lost = team.slot({ time: "12:00", accountIds: [other.data.id] });
    const { id } = await team.pool({ slots: [team.slot(), lost] });
    await team.send("DELETE", `/accounts/${other.data.id}`);
    await team.fill(id, ["One", "Two"]);
    const capacity = await team.send("GET", `/pools/${id}/capacity?count=0`);
    expect(capacity).toMatchObject({ slotsPerDay: 1, daysOfContent: 2, warning: null });
  });

  test("warns when adding passes the items that a pool holds", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    await team.fill(
      id,
      Array.from({ length: 990 }, (_, i) => `Item ${i}`),
    );
    const capacity = (count: number) => team.send("GET", `/pools/${id}/capacity?count=${count}`);
    expect((await capacity(10)).warning).toBeNull();
    expect((await capacity(11)).warning).toContain("it takes 10 more");
  });
});

test("a locked item says whether its post can still be deleted", async () => {
  const team = await PoolTeam.make();
  const { id } = await team.pool();
  const { body } = await team.add(id, { photo: photo() });
  const path = `/pools/${id}/videos/${body.items[0].id}`;
  team.moveTo("2026-12-01T09:30:00Z");
  await team.harness.tick();
  await team.harness.deliver();
  const [{ uploadIds }] = await team.firings(id);
  const waiting = await team.call("DELETE", path);
  expect(waiting).toMatchObject({ status: 409, body: { code: "NOT_CANCELLABLE" } });
  expect(waiting.body.error).toContain(`Post ${uploadIds[0]} of this item waits`);
  await env.DB.prepare("UPDATE uploads SET status = 'processing' WHERE id = ?")
    .bind(uploadIds[0])
    .run();
  const processing = await team.call("DELETE", path);
  expect(processing.body.error).toContain("is being published");
  expect(processing.body.error).not.toContain("Delete");
});
