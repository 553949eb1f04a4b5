import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { PlanName } from "../../../src/core/plans.ts";
import { expirePlans } from "../../../src/features/plans/expiry.ts";
import { setTeamPlan } from "../../../src/features/plans/repo.ts";
import { createMember, Harness } from "../../support/harness.ts";

test("a change of plan is told in one event, and none where nothing changes", async () => {
  const { deps } = new Harness();
  const { teamId } = await createMember();
  const set = (plan: PlanName | null) => deps.db.runAll(setTeamPlan(deps, { teamId, plan }));
  for (const plan of ["basic", "basic", "pro", null, null] as const) await set(plan);
  const { results } = await env.DB.prepare(
    "SELECT name, data FROM events WHERE team_id = ? ORDER BY id",
  )
    .bind(teamId)
    .all<{ name: string; data: string }>();
  expect(results.map(({ name, data }) => [name, JSON.parse(data)])).toEqual([
    ["subscription.created", { plan: "basic", previousPlan: null }],
    ["subscription.updated", { plan: "pro", previousPlan: "basic" }],
    ["subscription.cancelled", { plan: null, previousPlan: "pro" }],
  ]);
  await set("scale");
  const team = await env.DB.prepare("SELECT plan FROM teams WHERE id = ?").bind(teamId).first();
  expect(team).toEqual({ plan: "scale" });
});

test("a plan that has an end ends there, with its event", async () => {
  const harness = new Harness();
  const { deps } = harness;
  const [{ teamId }, other] = [await createMember(), await createMember()];
  const until = new Date(deps.now().getTime() + 3_600_000);
  await deps.db.runAll(setTeamPlan(deps, { teamId, plan: "pro", until }));
  await deps.db.runAll(setTeamPlan(deps, { teamId: other.teamId, plan: "pro" }));
  const planOf = (id: number) =>
    env.DB.prepare("SELECT plan, plan_until FROM teams WHERE id = ?").bind(id).first();
  await expirePlans(deps);
  expect(await planOf(teamId)).toEqual({ plan: "pro", plan_until: until.getTime() });
  harness.advance(3_600);
  await expirePlans(deps);
  await expirePlans(deps);
  expect(await planOf(teamId)).toEqual({ plan: null, plan_until: null });
  expect(await planOf(other.teamId)).toEqual({ plan: "pro", plan_until: null });
  const { results } = await env.DB.prepare(
    "SELECT name, data FROM events WHERE team_id = ? ORDER BY id DESC LIMIT 1",
  )
    .bind(teamId)
    .all<{ name: string; data: string }>();
  expect(results.map(({ name, data }) => [name, JSON.parse(data)])).toEqual([
    ["subscription.expired", { plan: null, previousPlan: "pro" }],
  ]);
});
