import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { grantPack, refundPack } from "../../../../src/features/credits/repo/packs.ts";
import { drifts, onStage, type Stage } from "../support.ts";

async function withPack(): Promise<Stage & { id: string; refund(): Promise<number[]> }> {
  const stage = await onStage("basic");
  const { member, harness } = stage;
  const { db, now } = harness.deps;
  const { teamId } = member;
  const id = `pack_of_${teamId}`;
  await db.runAll(grantPack(now(), { id, teamId, name: "Starter", credits: 20 }));
  return { ...stage, id, refund: () => db.runAll(refundPack(now(), teamId, id)) };
}

test("a pack adds purchased credits, and its refund takes them back once", async () => {
  const stage = await withPack();
  expect(await stage.credits()).toMatchObject({ purchased: 20, total: 70 });
  await stage.refund();
  expect(await stage.credits()).toMatchObject({ purchased: 0, total: 50 });
  await stage.harness.deps.db.runAll(
    grantPack(stage.harness.deps.now(), {
      id: `${stage.id}_2`,
      teamId: stage.member.teamId,
      name: "Starter",
      credits: 5,
    }),
  );
  await stage.refund();
  expect(await stage.credits()).toMatchObject({ purchased: 5 });
  expect(await drifts(stage)).toEqual([]);
});

test("of a pack that is partly spent, what is left is taken back", async () => {
  const stage = await withPack();
  for (let i = 0; i < 4; i++) await stage.publish({ title: `Read example.com ${i}` });
  expect(await stage.credits()).toMatchObject({ includedRemaining: 0, purchased: 10 });
  await stage.refund();
  expect(await stage.credits()).toMatchObject({ total: 0 });
  expect(await stage.ledger()).toContainEqual({
    reference: `pack:${stage.id}`,
    kind: "pack_refund",
    included: 0,
    purchased: -10,
  });
  expect(await drifts(stage)).toEqual([]);
});

test("nobody refunds a pack of another team, or one that is not there", async () => {
  const stage = await withPack();
  const { db, now } = stage.harness.deps;
  await db.runAll(refundPack(now(), stage.member.teamId + 1, stage.id));
  await db.runAll(refundPack(now(), stage.member.teamId, "pack_none"));
  expect(await stage.credits()).toMatchObject({ purchased: 20 });
  expect(await drifts(stage)).toEqual([]);
});

test("the nightly check tells of every team that drifts, and repairs nothing", async () => {
  const stage = await withPack();
  await stage.publish();
  const { harness, member } = stage;
  const { teamId } = member;
  await env.DB.batch([
    env.DB.prepare("UPDATE credit_balances SET purchased = 23 WHERE team_id = ?").bind(teamId),
    env.DB.prepare("UPDATE credit_periods SET included = 40 WHERE team_id = ?").bind(teamId),
  ]);
  const drift = { teamId, periods: 1, purchased: 3 };
  expect(await drifts(stage)).toEqual([drift]);
  await env.DB.exec("DELETE FROM chores");
  harness.advance(19 * 3_600);
  for (let i = 0; i < 20; i++) await harness.tick();
  expect(harness.logs).toContainEqual({ event: "credits.drift", ...drift });
  expect(harness.logs).toContainEqual(
    expect.objectContaining({ event: "chore.done", chore: "check credits" }),
  );
  expect(await drifts(stage)).toEqual([drift]);
  await env.DB.batch([
    env.DB.prepare("UPDATE credit_balances SET purchased = 20 WHERE team_id = ?").bind(teamId),
    env.DB.prepare("UPDATE credit_periods SET included = 49 WHERE team_id = ?").bind(teamId),
  ]);
  expect(await drifts(stage)).toEqual([]);
});
