import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseGrant, describeBalance } from "../../src/cli/credits-commands.ts";
import { describeTeamPlan, parsePlan, parseUntil } from "../../src/cli/plan-commands.ts";
import { toOffer, toStatement } from "../../src/cli/team-database.ts";
import { grantPack } from "../../src/features/credits/repo/packs.ts";

const { packs } = toOffer({}).plans;

test("grants a pack by its name, or any number of credits", () => {
  assert.deepEqual(chooseGrant({ pack: "starter" }, packs), { name: "Starter", credits: 100 });
  assert.deepEqual(chooseGrant({ amount: "7" }, packs), { name: "Grant", credits: 7 });
});

for (const options of [
  {},
  { pack: "Starter", amount: "7" },
  { pack: "Huge" },
  { amount: "0" },
  { amount: "-5" },
  { amount: "1.5" },
  { amount: "99999999" },
]) {
  test(`${JSON.stringify(options)} is nothing to grant`, () => {
    assert.throws(() => chooseGrant(options, packs), /--pack|--amount|no pack Huge/);
  });
}

test("sells what PLANS says", () => {
  const PLANS = '{"packs":[{"name":"Tiny","credits":3,"price":"$1"}]}';
  const offer = toOffer({ PLANS, DEFAULT_PLAN: "basic" });
  assert.deepEqual(chooseGrant({ pack: "Tiny" }, offer.plans.packs), { name: "Tiny", credits: 3 });
  assert.equal(offer.defaultPlan, "basic");
});

test("tells a balance and when it is reset", () => {
  const balance = { monthlyAllowance: 50, includedRemaining: 20, purchased: 7 };
  assert.equal(
    describeBalance("acme", balance, new Date("2026-12-24T00:00:00Z")),
    "acme has 27 X credits: 20 of the month's 50 (until 2027-01-01), 7 purchased. X charges you at most about $0.40 for the posts: $0.015 for one, $0.200 with a link; and $0.010 for each user that is read. Set a spending limit in X's console.",
  );
});

test("knows the plans, and none", () => {
  assert.equal(parsePlan("pro"), "pro");
  assert.equal(parsePlan("none"), null);
  assert.throws(() => parsePlan("gold"), /no plan gold\. Choose one of owner, basic, pro, scale/);
});

test("tells whose plan it is", () => {
  const team = { id: 1, slug: "acme", plan: null, basePlan: null, planUntil: null };
  assert.match(describeTeamPlan(team, toOffer({})), /^acme has no plan of its own and uses owner/);
  assert.match(
    describeTeamPlan({ ...team, basePlan: "basic" }, toOffer({})),
    /uses basic: its owner came/,
  );
  assert.equal(describeTeamPlan({ ...team, plan: "pro" }, toOffer({})), "acme is on pro.");
  const planUntil = new Date("2027-01-31T00:00:00Z");
  assert.equal(
    describeTeamPlan({ ...team, plan: "pro", planUntil }, toOffer({})),
    "acme is on pro until 2027-01-31T00:00:00.000Z.",
  );
});

test("a statement of the Worker becomes text with its values quoted", () => {
  const pack = { id: "pack_1", teamId: 3, name: "It's", credits: 100 };
  const [first] = grantPack(new Date(5), pack).map(toStatement);
  assert.match(first ?? "", /VALUES \('pack_1', 3, 'It''s', 100, 5\)$/);
});

test("a statement with a question mark of its own is not guessed at", () => {
  assert.throws(() => toStatement({ sql: "SELECT '?', ?", params: [1] }), /Not one value/);
});

test("a plan ends on a coming day or moment, in UTC", () => {
  const now = new Date("2026-12-01T09:00:00Z");
  assert.equal(parseUntil("2027-01-31", now).toISOString(), "2027-01-31T00:00:00.000Z");
  assert.equal(parseUntil("2026-12-01T18:30Z", now).toISOString(), "2026-12-01T18:30:00.000Z");
  for (const text of ["tomorrow", "2027-02-30", "31.1.2027", "2027-01-31T18:00+01:00", ""]) {
    assert.throws(() => parseUntil(text, now), /is not a date/, text);
  }
  assert.throws(() => parseUntil("2026-12-01", now), /is over already/);
});
