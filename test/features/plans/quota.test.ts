import { expect, test } from "vitest";
import { DEFAULT_PLANS } from "../../../src/core/plans.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  form,
  harnessWith,
  type Member,
} from "../../support/harness.ts";

const { plans } = DEFAULT_PLANS;
const TWO_A_MONTH = {
  plans: { ...DEFAULT_PLANS, plans: { ...plans, owner: { ...plans.owner, monthlyPosts: 2 } } },
};

async function onStage() {
  const harness = harnessWith(TWO_A_MONTH);
  const member: Member = await createMember();
  const accountId = await connectSandbox(harness, member);
  let words = 0;
  return {
    harness,
    member,
    edit: (id: number, json: object, token = member.token) =>
      harness.call("PATCH", `/upload/${id}`, { token, json }),
    post: (schedule_date?: string) =>
      harness.call("POST", "/upload", {
        token: member.token,
        body: form({
          accountId,
          description: `Words ${words++}`,
          ...(schedule_date ? { schedule_date } : {}),
        }),
      }),
  };
}

const usedUp = (month: string) => ({
  status: 409,
  body: {
    success: false,
    code: "PLAN_LIMIT",
    error: `The plan's 2 posts of ${month} are used up.`,
  },
});

test("a planned post counts for the month that it is planned for, and no other", async () => {
  const { harness, post } = await onStage();
  const taken = { status: 200 };
  expect(await post("2027-01-01T00:00:00Z")).toMatchObject(taken);
  expect(await post("2027-01-31T23:59:59Z")).toMatchObject(taken);
  expect(await post("2027-01-15T12:00:00Z")).toMatchObject(usedUp("2027-01"));
  expect(await post("2027-02-01T00:00:00Z")).toMatchObject(taken);
  expect(await post("2026-12-31T23:59:59Z")).toMatchObject(taken);
  expect(await post()).toMatchObject(taken);
  expect(await post()).toMatchObject(usedUp("2026-12"));
  expect(await post("2027-06-01T08:00:00Z")).toMatchObject(taken);
  expect(await post("2027-06-01T08:00:01Z")).toMatchObject(taken);
  expect(await post("2027-06-01T08:00:02Z")).toMatchObject(usedUp("2027-06"));
  harness.advance(31 * 86_400);
  expect(await post()).toMatchObject(usedUp("2027-01"));
});

test("a planned post is not moved into a month that is full", async () => {
  const { edit, member, post } = await onStage();
  for (const day of ["05", "06"]) await post(`2027-01-${day}T00:00:00Z`);
  const { uploadId } = (await post("2026-12-20T00:00:00Z")).body.data;
  const full = { scheduledFor: "2027-01-07T00:00:00Z" };
  expect(await edit(uploadId, full)).toMatchObject(usedUp("2027-01"));
  const asking = await createToken(member.userId, { scopes: ["posts:write"] });
  const other = (await post("2027-03-01T00:00:00Z")).body.data.uploadId;
  expect(await edit(other, full, asking)).toMatchObject({
    status: 200,
    body: { data: { status: "pending_approval" } },
  });
  for (const scheduledFor of ["2026-12-24T00:00:00Z", "2027-02-07T00:00:00Z"]) {
    expect(await edit(uploadId, { scheduledFor })).toMatchObject({ status: 200 });
  }
  expect(await post()).toMatchObject({ status: 200 });
  expect(await post()).toMatchObject({ status: 200 });
  expect(await post()).toMatchObject(usedUp("2026-12"));
});
