import { expect, test } from "vitest";
import { createMember, createToken, Harness } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { setPlan } from "./support.ts";

const harness = new Harness();

test("shows the balance, what posts cost, and the packs, in one round trip", async () => {
  const { token, teamId } = await createMember();
  await setPlan(teamId, "pro");
  const { costs, result } = await measure(harness, () =>
    harness.call("GET", "/x-credits", { token }),
  );
  expect(result.status).toBe(200);
  expect(result.body).toEqual({
    success: true,
    data: {
      balance: { monthlyAllowance: 150, includedRemaining: 150, purchased: 0, total: 150 },
      costs: { post: 1, linkPost: 15 },
      packs: [
        { name: "Starter", credits: 100, price: "$5" },
        { name: "Growth", credits: 500, price: "$20" },
        { name: "Bulk", credits: 2_000, price: "$60" },
      ],
    },
  });
  expect(costs.roundTrips).toHaveLength(1);
  expect(costs.rowsWritten).toBe(0);
});

test("a team without a plan of its own has the instance's", async () => {
  const { token } = await createMember();
  const { body } = await harness.call("GET", "/x-credits", { token });
  expect(body.data.balance).toMatchObject({ monthlyAllowance: 100_000 });
});

test("wants posts:read", async () => {
  const { userId } = await createMember();
  const token = await createToken(userId, { scopes: ["accounts:read"] });
  const answer = await harness.call("GET", "/x-credits", { token });
  expect(answer).toMatchObject({
    status: 403,
    body: { code: "INSUFFICIENT_SCOPE", requiredScope: "posts:read" },
  });
});
