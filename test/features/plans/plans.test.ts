import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { PlanName } from "../../../src/core/plans.ts";
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
