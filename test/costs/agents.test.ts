import { expect, test } from "vitest";
import { callTool, send } from "../support/agent.ts";
import { connectSandbox, createMember, form, Harness } from "../support/harness.ts";
import { type Costs, measure } from "../support/meter.ts";
import { slowPlans, summary } from "./support.ts";

test("a tool that reads is one round trip, authentication included; so is the list of tools", async () => {
  const harness = new Harness();
  const member = await createMember();
  const id = await connectSandbox(harness, member);
  const { token } = member;
  const made = await callTool(harness, token, "create_post", { accountIds: [id], text: "Words" });
  const { postId } = made.structuredContent.posts[0];
  for (const [name, args] of [
    ["list_accounts", {}],
    ["get_platform_capabilities", { platform: "x" }],
    ["get_post_status", { postId }],
    ["list_recent_posts", { accountId: id }],
    ["suggest_hashtags", { text: "Words", platform: "bluesky", accountId: id }],
    ["validate_post", { accountIds: [id], text: "Other words" }],
  ] as const) {
    const { costs } = await measure(harness, () => callTool(harness, token, name, args));
    expect(summary(costs), name).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    expect(await slowPlans(costs.roundTrips.flat()), name).toEqual([]);
  }
  const { costs } = await measure(harness, () => send(harness, "tools/list", {}, { token }));
  expect(costs.roundTrips.map((batch) => batch.length)).toEqual([1]);
});

/** Source: performance bar 29. */
test("create_post costs no more than the same call of the API costs", async () => {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const ids = [
    await connectSandbox(harness, member, "One"),
    await connectSandbox(harness, member, "Two", "linkedin"),
  ];
  const countOf = ({ roundTrips, rowsRead, rowsWritten, queueSends }: Costs) => ({
    roundTrips: roundTrips.length,
    rowsRead,
    rowsWritten,
    queueSends,
  });
  // The token's first use by an agent in an hour is noted.
  await callTool(harness, token, "list_accounts");
  await harness.settle();
  const tool = await measure(harness, () =>
    callTool(harness, token, "create_post", { accountIds: ids, text: "By a tool" }),
  );
  harness.advance(7 * 24 * 3_600);
  const call = await measure(harness, () =>
    harness.call("POST", "/upload/bulk", {
      token,
      body: form({ accounts: JSON.stringify(ids), title: "By the API", description: "By the API" }),
    }),
  );
  expect(call.result.status).toBe(200);
  const [own, theirs] = [countOf(tool.costs), countOf(call.costs)];
  expect(own.roundTrips).toBe(2);
  expect(own.roundTrips).toBeLessThanOrEqual(theirs.roundTrips);
  expect(own.rowsRead).toBeLessThanOrEqual(theirs.rowsRead);
  expect(own.rowsWritten).toBeLessThanOrEqual(theirs.rowsWritten);
  expect(own.queueSends).toEqual(theirs.queueSends);
});
